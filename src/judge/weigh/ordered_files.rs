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
/// A later prompt of so few words leaves an order as it is: "yes, go on".
const FEW_WORDS: usize = 3;

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
    let evidence = checked(Source::RequiredFiles, "asked for", read, &checker, &none_there, points);
    debug_assert!(evidence.claim == Claim::No, "none of these files is there");
    evidence_set.add(Parts::CHECKS, evidence);
}

/// Whether the last of these prompts that says more than "go on" names a file and orders it to be made, wherever it names it.
fn is_ordered(name: &str, prompts: &[String]) -> bool {
    let name = name.to_lowercase();
    let is_short = |prompt: &&String| {
        prompt.split_whitespace().count() <= FEW_WORDS && !prompt.to_lowercase().contains(&name)
    };
    let Some(prompt) = prompts.iter().rev().find(|prompt| !is_short(prompt)) else { return false };
    let own = runs::own_lines(prompt).to_lowercase();
    let mut naming = sentences(&own).filter(|sentence| sentence.contains(&name)).peekable();
    naming.peek().is_some() && naming.all(|sentence| makes(sentence, &name))
}

/// Whether a sentence orders the file `name` to be made.
fn makes(sentence: &str, name: &str) -> bool {
    let is_other = words::has(sentence, "negates_order")
        || words::has(sentence, "takes_away")
        || words::has(sentence, "is_no_order");
    let Some((before, behind)) = sentence.split_once(name).filter(|_| !is_other) else { return false };
    if behind.starts_with(|sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '/' | '-' | '_')) {
        return false;
    }
    let before: Vec<&str> = before.split_whitespace().collect();
    let behind = behind_list(behind);
    words::begins(behind, "makes_behind") || !goes_on(behind) && (is_object(&before) || is_place(&before))
}

/// What follows a name and those that are joined to it: "a.md and b.md with examples", "a.mdとb.mdを作成して".
fn behind_list(behind: &str) -> &str {
    let is_joint = |sign: char| is_frame(sign) || sign.is_whitespace() || ",とや、和及与와과".contains(sign);
    let mut end = behind.trim_start_matches(is_frame);
    let mut rest = end;
    loop {
        rest = rest.trim_start_matches(is_joint);
        let is_end = |sign: char| sign.is_whitespace() || !sign.is_ascii();
        let (word, behind) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        rest = behind;
        if is_file(bare_word(word)) {
            end = rest;
        } else if bare_word(word).is_empty() || !words::of("beside_a_file").contains(bare_word(word)) {
            return end;
        }
    }
}

/// Whether the name only describes what is made, "a robots.txt route", or says where or when: "add a.env to .gitignore".
fn goes_on(behind: &str) -> bool {
    let next = behind.trim_start().split(|sign: char| !sign.is_alphanumeric()).next();
    let is_end = behind.starts_with(|sign: char| !sign.is_alphanumeric() && !sign.is_whitespace());
    !is_end && next.is_some_and(|next| !next.is_empty() && !words::of("follows_a_file").contains(next))
}

/// Whether an order to make a file stands before its name, with nothing but other names and articles between: "write a.md
/// and a short b.md"; or before another file that the name is joined to: "add a Dockerfile for the API and a compose.yml".
fn is_object(before: &[&str]) -> bool {
    let is_beside =
        |word: &str| word.is_empty() || is_file(word) || words::of("beside_a_file").contains(word);
    let Some(at) = before.iter().rposition(|word| !is_beside(bare_word(word))) else { return false };
    if is_order(before, at, "makes_a_file") {
        return true;
    }
    let is_joined = before[at + 1..].iter().any(|word| words::of("joins_files").contains(bare_word(word)));
    let makes_other = |verb: usize| {
        let object = before[verb + 1..]
            .iter()
            .map(|word| bare_word(word))
            .find(|word| is_file(word) || !is_beside(word));
        is_order(before, verb, "makes_a_file") && object.is_some_and(is_file)
    };
    is_joined && (0..at).any(makes_other)
}

/// Whether the name is the place where the agent's own result is to be written: "note the numbers in a.md".
fn is_place(before: &[&str]) -> bool {
    let is_in = |word: &str| words::of("into_a_file").contains(word);
    let is_article =
        |word: &str| !is_in(word) && (word.is_empty() || words::of("beside_a_file").contains(word));
    let Some(at) = before.iter().rposition(|word| !is_article(bare_word(word))) else { return false };
    let order = (at.saturating_sub(NEAR)..at).rev().find(|verb| is_order(before, *verb, "saves_into"));
    is_in(bare_word(before[at]))
        && order.is_some_and(|verb| {
            before[verb..at].iter().any(|word| words::begins(bare_word(word), "own_result"))
        })
}

/// Whether the word at this place is a verb of the group that opens an order: nothing stands before it in its clause but
/// what begins one, such as "and please".
fn is_order(words: &[&str], at: usize, group: &str) -> bool {
    let verb = bare_word(words[at]);
    let verb =
        words::of("begins_joined_order").iter().find_map(|begin| verb.strip_prefix(begin)).unwrap_or(verb);
    let begin = words[..at]
        .iter()
        .rposition(|word| word.ends_with([',', ':', ';', '.', '、', '，']))
        .map_or(0, |end| end + 1);
    words::of(group).contains(verb)
        && words[begin..at]
            .iter()
            .rev()
            .map(|word| bare_word(word))
            .take_while(|word| !words::of("joins_orders").contains(word))
            .all(|word| {
                word.is_empty()
                    || word.bytes().all(|byte| byte.is_ascii_digit())
                    || words::of("begins_order").contains(word)
            })
}

/// A word without the signs around it.
fn bare_word(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '.').trim_end_matches('.')
}

/// Signs around a name.
fn is_frame(sign: char) -> bool {
    matches!(sign, '`' | '"' | '\'' | '*')
}

/// Whether a word is the name of a file.
fn is_file(word: &str) -> bool {
    let has_end = |(_, end): (&str, &str)| {
        !end.is_empty() && end.len() <= 10 && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
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
            ("The command should write report.csv.", "report.csv"),
            ("Write a script that generates sitemap.xml.", "sitemap.xml"),
            ("Write all errors to errors.txt.", "errors.txt"),
            ("Add cache.json and secrets.json to .gitignore.", "cache.json"),
            ("Le script doit écrire sortie.json.", "sortie.json"),
            ("El comando debe guardar los resultados en informe.html.", "informe.html"),
            ("As a user I want to export my notes as notes.md.", "notes.md"),
            ("実行結果をresult.csvに出力するオプションを追加してください。", "result.csv"),
            ("For each page add a page.tsx.", "page.tsx"),
            ("Fix the race in writing state.json.", "state.json"),
            ("Write a file for each, e.g. alpha.json.", "alpha.json"),
        ] {
            assert!(!orders(prompt, name), "{prompt}");
        }
    }

    #[test]
    fn only_the_last_prompt_of_some_length_counts() {
        let after = |later: &str| is_ordered("notes.md", &["Create notes.md.".to_owned(), later.to_owned()]);
        assert!(after("Yes, go on"));
        assert!(!after("Drop notes.md again."));
        assert!(!after("Perfect as a section of the README, no separate page"));
    }
}
