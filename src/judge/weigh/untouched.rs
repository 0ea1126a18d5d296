//! What last words say of files that are no part of the work: that they are as the person left them admits nothing. Must
//! not judge anything else in the words.

use std::borrow::Cow;
use std::ops::Range;

use super::naming::names_same;
use crate::judge::words;

/// What ends a clause; a dot does only before a blank, since it stands in names.
const ENDS: [char; 6] = [',', ';', '!', '\n', '。', '、'];

/// The text with blanks in place of the clauses that say of the person's own changes, or of files that no prompt names,
/// that they are untouched, or that the commit is without them.
pub(super) fn without_persons_files<'t>(text: &'t str, prompts: &[String]) -> Cow<'t, str> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() || !is_left(&lower) {
        return Cow::Borrowed(text);
    }
    let in_persons = persons_sentences(&lower, prompts);
    let mut own = String::with_capacity(text.len());
    let mut at = 0;
    for clause in clauses(text) {
        let begin = at;
        at += clause.len();
        let said = &lower[begin..at];
        if is_of_person(said, prompts) || in_persons.iter().any(|place| place.contains(&begin)) {
            let end =
                said.trim_end().trim_end_matches(|sign: char| ENDS.contains(&sign) || sign == '.').len();
            own.extend(std::iter::repeat_n(' ', end));
            own.push_str(&clause[end..]);
        } else {
            own.push_str(clause);
        }
    }
    // Where nothing else is said, that is what the message says.
    if own.contains(char::is_alphanumeric) { Cow::Owned(own) } else { Cow::Borrowed(text) }
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(ENDS).flat_map(|part| part.split_inclusive(". "))
}

/// Where sentences stand that say why the commit is without a file that the prompts do not name: it is the person's.
fn persons_sentences(lower: &str, prompts: &[String]) -> Vec<Range<usize>> {
    let mut at = 0;
    let sentences = lower.split_inclusive('\n').flat_map(|line| line.split_inclusive(". "));
    let places = sentences.map(|said| {
        at += said.len();
        (at - said.len()..at, said)
    });
    let is_persons = |said: &str| {
        words::has(said, "is_left_out")
            && words::has(said, "is_persons")
            && !words::has(said, "was_asked")
            && !names_same(said, prompts)
    };
    places.filter(|(_, said)| is_persons(said)).map(|(place, _)| place).collect()
}

fn is_left(said: &str) -> bool {
    words::has(said, "is_untouched") || words::has(said, "is_left_out")
}

fn is_of_person(said: &str, prompts: &[String]) -> bool {
    is_left(said)
        && !words::has(said, "was_asked")
        && (words::has(said, "persons_changes") || is_only_of_files(said) && !names_same(said, prompts))
}

/// Whether a clause names files, and says nothing else of them.
fn is_only_of_files(said: &str) -> bool {
    let left = words::of("is_untouched").iter().chain(words::of("is_left_out"));
    let untouched = left.filter_map(|word| said.find(word)).min();
    let said = &said[..untouched.unwrap_or(said.len())];
    let is_frame = |sign: char| "`*'\"()".contains(sign);
    let mut words = said.split_whitespace().map(|word| word.trim_matches(is_frame)).peekable();
    let is_file = |word: &str| {
        let is_ending =
            |end: &str| !end.is_empty() && end.len() <= 5 && end.bytes().all(|b| b.is_ascii_alphanumeric());
        word.ends_with('/') || word.rsplit_once('.').is_some_and(|(_, end)| is_ending(end))
    };
    words.clone().any(is_file) && words.all(|word| is_file(word) || words::of("beside_files").contains(&word))
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
                "It is in. The editor settings are left out of the commit.",
                "It is in. The editor settings are left out of the commit.",
            ),
        ] {
            assert_eq!(own(text), rest);
        }
    }
}
