//! Files that prompts order by name and that are not there (DESIGN.md 2.2). Must not look for files, and must not judge what
//! is in one.

use super::checks::checked;
use super::context::{EvidenceSet, WeighContext};
use crate::judge::checkers::{CheckContext, Checker};
use crate::judge::sentences::sentences;
use crate::judge::{runs, words};
use crate::model::{Claim, Observations, Origin, Parts, Point, Source};

/// So many words may stand between an order and the place that it names: "note the numbers of both runs in docs/load.md".
const NEAR: usize = 10;

/// Weighs the files that are not there: one that a prompt orders to be made says NO.
pub(super) fn weigh(observations: &Observations, context: &WeighContext<'_>, evidence_set: &mut EvidenceSet) {
    let ordered = observations.absent.iter().filter(|name| is_ordered(name, context.prompts));
    let missing: Vec<String> = ordered.cloned().collect();
    if missing.is_empty() {
        return;
    }
    let points = missing.iter().cloned().map(Point::MissingFile).collect();
    let checker = Checker::Files { required: missing };
    let none_there = CheckContext { files: Some(Vec::new()), ..CheckContext::default() };
    let read = Origin::File.as_read();
    let evidence = checked(Source::RequiredFiles, "files asked for", read, &checker, &none_there, points);
    debug_assert!(evidence.claim == Claim::No, "none of these files is there");
    evidence_set.add(Parts::CHECKS, evidence);
}

/// Whether the last of these prompts that names a file orders it to be made.
fn is_ordered(name: &str, prompts: &[String]) -> bool {
    let name = name.to_lowercase();
    let own = prompts.iter().rev().map(|prompt| runs::own_lines(prompt).to_lowercase());
    let last = own.into_iter().find(|prompt| prompt.contains(&name));
    last.is_some_and(|prompt| {
        let mut naming = sentences(&prompt).filter(|sentence| sentence.contains(&name)).peekable();
        naming.peek().is_some() && naming.all(|sentence| makes(sentence, &name))
    })
}

/// Whether a sentence orders the file `name` to be made.
fn makes(sentence: &str, name: &str) -> bool {
    if words::has(sentence, "negates_order")
        || words::has(sentence, "takes_away")
        || words::has(sentence, "is_no_order")
    {
        return false;
    }
    let Some((before, behind)) = sentence.split_once(name) else { return false };
    if behind.starts_with(|sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '/' | '-' | '_')) {
        return false;
    }
    words::begins(list_end(behind), "makes_behind")
        || !goes_on(behind) && (is_object(before) || !is_code(name) && is_place(before))
}

/// Whether it is a file of code: what is written "in" it need not make it.
fn is_code(name: &str) -> bool {
    words::of("ends_as_code").iter().any(|end| name.ends_with(end))
}

/// Whether the name only describes what is made, "a robots.txt route", or when: "a sitemap.xml at build time".
fn goes_on(behind: &str) -> bool {
    let next = behind.trim_start_matches(['`', '"', '\'', '*']);
    let next =
        next.strip_prefix(' ').and_then(|next| next.split(|sign: char| !sign.is_alphanumeric()).next());
    next.is_some_and(|next| !next.is_empty() && !words::of("follows_a_file").contains(next))
}

/// What follows the other files of a list: "a.mdとb.mdを作成".
fn list_end(behind: &str) -> &str {
    behind.trim_start_matches(|sign: char| {
        sign.is_ascii_graphic() || sign == ' ' || "と、和及与와과".contains(sign)
    })
}

/// Whether a verb that makes a file stands before its name, with nothing but other names and articles between: "write a.md
/// and a short b.md"; or before another file that the name is joined to: "add a Dockerfile for the API and a compose.yml".
fn is_object(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().map(bare).collect();
    let is_beside =
        |word: &str| word.is_empty() || is_file(word) || words::of("beside_a_file").contains(word);
    let Some(at) = words.iter().rposition(|word| !is_beside(word)) else { return false };
    if words::begins(words[at], "makes_a_file") {
        return true;
    }
    let is_joined = words[at + 1..].iter().any(|word| words::of("joins_files").contains(word));
    is_joined
        && words[..at].windows(2).enumerate().any(|(verb, pair)| {
            let object = words[verb + 1..].iter().find(|word| is_file(word) || !is_beside(word));
            words::begins(pair[0], "makes_a_file") && object.is_some_and(|object| is_file(object))
        })
}

/// Whether the name is the place where something is to be written: "note the numbers in a.md".
fn is_place(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().map(bare).collect();
    let is_in = |word: &str| words::of("into_a_file").contains(word);
    let is_article =
        |word: &&&str| !is_in(word) && (word.is_empty() || words::of("beside_a_file").contains(**word));
    let mut leads = words.iter().rev().skip_while(is_article);
    leads.next().is_some_and(|word| is_in(word))
        && leads.take(NEAR).any(|word| words::begins(word, "saves_into"))
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '.')
}

/// Whether a word is the name of a file.
fn is_file(word: &str) -> bool {
    let has_end = |(stem, end): (&str, &str)| !stem.is_empty() && !end.is_empty() && end.len() <= 10;
    word.rsplit_once('.').is_some_and(has_end) || words::of("files_without_end").contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(prompt: &str, name: &str) -> bool {
        is_ordered(name, &[prompt.to_owned()])
    }

    #[test]
    fn a_file_that_is_to_be_made_is_ordered() {
        for (prompt, name) in [
            ("Write RELEASE_NOTES.md and docs/upgrade-2.4.md. Commit all.", "docs/upgrade-2.4.md"),
            ("Add a Dockerfile for the API and a docker-compose.yml with Redis.", "docker-compose.yml"),
            ("Ajoute un Dockerfile pour l'API et un docker-compose.yml avec Postgres.", "docker-compose.yml"),
            ("Run the load test and note the numbers in docs/load.md, then commit.", "docs/load.md"),
            ("Please save the results as out/result.csv", "out/result.csv"),
            ("Can you create `config/prod.toml`?", "config/prod.toml"),
            ("Lege eine neue Datei docs/betrieb.md an.", "docs/betrieb.md"),
            ("docs/a.mdとdocs/b.mdを作成してください。", "docs/a.md"),
            ("新建 config/prod.yaml，然后提交。", "config/prod.yaml"),
            ("Escribe los resultados en informe.csv.", "informe.csv"),
        ] {
            assert!(orders(prompt, name), "{prompt}");
        }
    }

    #[test]
    fn a_file_that_is_read_ruled_out_or_an_example_is_not() {
        for (prompt, name) in [
            ("Fix the crash that parser.py has.", "parser.py"),
            ("Write the guide, like in other/guide.md.", "other/guide.md"),
            ("Create the client based on openapi.yaml.", "openapi.yaml"),
            ("Remove legacy.yml and add the new loader.", "legacy.yml"),
            ("Do not create notes.md.", "notes.md"),
            ("Add tests for src/cart.ts.", "src/cart.ts"),
            ("Add a section on retries to docs/api.md.", "docs/api.md"),
            ("If it is slow, write profile.txt.", "profile.txt"),
            ("Add a robots.txt route.", "robots.txt"),
            ("Generate a sitemap.xml at build time.", "sitemap.xml"),
            ("Write a test for slugify in src/text.py.", "src/text.py"),
            ("Write a file for each, e.g. alpha.json.", "alpha.json"),
        ] {
            assert!(!orders(prompt, name), "{prompt}");
        }
    }

    #[test]
    fn the_last_prompt_that_names_it_counts() {
        let prompts = ["Create notes.md.".to_owned(), "Drop notes.md again.".to_owned()];
        assert!(!is_ordered("notes.md", &prompts));
        assert!(is_ordered("notes.md", &[prompts[0].clone(), "Thanks".to_owned()]));
    }
}
