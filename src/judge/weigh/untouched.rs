//! What last words say of files that are no part of the work: that they are as the person left them admits nothing. Must
//! not judge anything else in the words.

use std::borrow::Cow;

use super::naming::names_same;
use crate::judge::sentences::{bare, clauses, sentences};
use crate::judge::words;

/// The text with blanks in place of the clauses that say of the person's own changes, or of files that no prompt names,
/// that they are untouched, or that the commit is without them.
pub(super) fn without_persons_files<'t>(text: &'t str, prompts: &[String]) -> Cow<'t, str> {
    if !is_left(&text.to_lowercase()) {
        return Cow::Borrowed(text);
    }
    let mut own = String::with_capacity(text.len());
    for sentence in sentences(text) {
        let is_why = is_persons_sentence(&sentence.to_lowercase(), prompts);
        for clause in clauses(sentence) {
            let said = clause.to_lowercase();
            let end = clause.len() - clause.trim_start().len() + bare(clause).len();
            if is_why || is_of_person(&said, prompts) {
                own.extend(std::iter::repeat_n(' ', end));
                own.push_str(&clause[end..]);
            } else {
                own.push_str(clause);
            }
        }
    }
    // Where nothing else is said, that is what the message says.
    if own.contains(char::is_alphanumeric) { Cow::Owned(own) } else { Cow::Borrowed(text) }
}

/// Whether a sentence says why the commit is without a file that the prompts do not name, and nothing else: it is the
/// person's.
fn is_persons_sentence(said: &str, prompts: &[String]) -> bool {
    let is_why = |clause: &str| {
        (words::has(clause, "is_left_out") || words::has(clause, "is_persons"))
            && !words::has(clause, "goes_on_with")
    };
    let mut clauses = clauses(said).filter(|clause| clause.contains(char::is_alphanumeric));
    words::has(said, "is_left_out")
        && words::has(said, "is_persons")
        && clauses.all(is_why)
        && said.split_whitespace().any(|word| is_file(word.trim_matches(is_frame)))
        && !words::has(said, "was_asked")
        && !names_same(said, prompts)
}

fn is_left(said: &str) -> bool {
    words::has(said, "is_untouched") || words::has(said, "is_left_out")
}

fn is_of_person(said: &str, prompts: &[String]) -> bool {
    is_left(said)
        && !words::has(said, "was_asked")
        && (words::has(said, "persons_changes") || is_only_of_files(said) && !names_same(said, prompts))
}

/// Signs around a name.
fn is_frame(sign: char) -> bool {
    "`*'\"()".contains(sign)
}

/// Whether a word is the name of a file or a folder.
fn is_file(word: &str) -> bool {
    let is_ending =
        |end: &str| !end.is_empty() && end.len() <= 5 && end.bytes().all(|b| b.is_ascii_alphanumeric());
    word.ends_with('/') || word.rsplit_once('.').is_some_and(|(_, end)| is_ending(end))
}

/// Whether a clause names files, and says nothing else of them.
fn is_only_of_files(said: &str) -> bool {
    let left = words::of("is_untouched").iter().chain(words::of("is_left_out").iter());
    let untouched = left.filter_map(|word| said.find(word)).min();
    let said = &said[..untouched.unwrap_or(said.len())];
    let mut words = said.split_whitespace().map(|word| word.trim_matches(is_frame)).peekable();
    words.clone().any(is_file) && words.all(|word| is_file(word) || words::of("beside_files").contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_the_persons_files_is_left_out() {
        let prompts = ["Add an .editorconfig and commit only that.".to_owned()];
        let own = |text: &str| {
            without_persons_files(text, &prompts).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for (text, rest) in [
            (
                "Committed .editorconfig only; your changes in README.md and notes/ are untouched.",
                "Committed .editorconfig only; .",
            ),
            ("It is in. README.md is untouched.", "It is in. ."),
            ("Two tests fail, README.md and `notes/` are unchanged.", "Two tests fail, ."),
            ("Fertig. Deine Änderungen in README.md sind unangetastet.", "Fertig. ."),
            (
                "It is in. The second file you asked for is untouched.",
                "It is in. The second file you asked for is untouched.",
            ),
            ("It is in. .editorconfig is untouched.", "It is in. .editorconfig is untouched."),
            ("It is in. The parser is untouched.", "It is in. The parser is untouched."),
            ("README.md is untouched.", "README.md is untouched."),
            (
                "It is in. `notes.txt` was there before and is yours, so I left it out of the commit.",
                "It is in. , .",
            ),
            ("It is in. I left `notes.txt` out of the commit.", "It is in. ."),
            (
                "It is in. I left `notes.txt` out since it is yours; the build is broken.",
                "It is in. I left `notes.txt` out since it is yours; the build is broken.",
            ),
            ("İ。 ẞ is in. README.md is untouched.", "İ。 ẞ is in. ."),
            (
                "It is in. The editor settings are left out of the commit.",
                "It is in. The editor settings are left out of the commit.",
            ),
        ] {
            assert_eq!(own(text), rest);
        }
    }
}
