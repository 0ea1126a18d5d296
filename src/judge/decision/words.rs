//! Rule 7: the five words, their negation, and lines that contain both kinds.
//!
//! Must not find a word inside another one (`COMPLETE` is part of `INCOMPLETE`).

use super::record::Decision;

/// Rule 4: the words of a decision.
const WORDS: [(&str, Decision); 5] = [
    ("complete", Decision::Complete),
    ("pass", Decision::Complete),
    ("incomplete", Decision::Incomplete),
    ("fail", Decision::Incomplete),
    ("failed", Decision::Incomplete),
];

/// What may come between "not" and the word.
const BETWEEN: [&str; 7] = ["yet", "fully", "quite", "entirely", "really", "be", "been"];

/// After a positive word, one of these introduces a condition, so that the line is no verdict.
const CONDITIONS: [&str; 9] = ["if", "unless", "once", "when", "until", "after", "pending", "except", "only"];

/// The decision that `text` is the word for, ignoring case.
pub(super) fn whole_word(text: &str) -> Option<Decision> {
    WORDS.into_iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, decision)| decision)
}

/// A line that opens with one of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opening<'a> {
    pub(super) decision: Decision,
    /// Whether the word and its negation are in capitals.
    pub(super) is_upper: bool,
    /// What follows the word.
    pub(super) tail: &'a str,
}

/// Reads the word with which `text` begins, possibly negated.
pub(super) fn opening(text: &str) -> Option<Opening<'_>> {
    let (first, mut tail) = next_word(text)?;
    if let Some(decision) = whole_word(first) {
        return Some(Opening { decision, is_upper: is_upper(first), tail });
    }
    if !first.eq_ignore_ascii_case("not") {
        return None;
    }
    let mut all_upper = is_upper(first);
    loop {
        let (word, rest) = next_word(tail.trim_start())?;
        all_upper &= is_upper(word);
        tail = rest;
        if is_one_of(&BETWEEN, word) {
            continue;
        }
        if whole_word(word)? != Decision::Complete {
            // "not failed" is neither positive nor negative.
            return None;
        }
        let after = next_word(tail.trim_start()).filter(|(word, _)| word.eq_ignore_ascii_case("yet"));
        return Some(Opening {
            decision: Decision::Incomplete,
            is_upper: all_upper,
            tail: after.map_or(tail, |(_, rest)| rest),
        });
    }
}

/// Whether `text` begins with a word that makes the preceding word conditional.
pub(super) fn is_condition(text: &str) -> bool {
    next_word(text).is_some_and(|(word, _)| is_one_of(&CONDITIONS, word))
}

/// Whether `line` contains both a positive and a negative word, so that it repeats the instruction. A negated
/// positive word counts as negative. With `only_upper_positive`, positive words in lower case are ignored.
pub(super) fn is_echo(line: &str, only_upper_positive: bool) -> bool {
    let (mut has_positive, mut has_negative, mut is_negated) = (false, false, false);
    for word in line
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '\'' || c == '’'))
        .filter(|word| !word.is_empty())
    {
        match whole_word(word.trim_matches(['\'', '’'])) {
            Some(Decision::Complete) if is_negated => has_negative = true,
            Some(Decision::Complete) => has_positive |= !only_upper_positive || is_upper(word),
            Some(Decision::Incomplete) => has_negative |= !is_negated,
            None => {}
        }
        is_negated = is_negation(word) || is_negated && is_one_of(&BETWEEN, word);
    }
    has_positive && has_negative
}

fn is_negation(word: &str) -> bool {
    let ends_negated =
        word.get(word.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("n't"));
    ends_negated
        || word.ends_with("n’t")
        || word.eq_ignore_ascii_case("not")
        || word.eq_ignore_ascii_case("cannot")
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|one| word.eq_ignore_ascii_case(one))
}

fn is_upper(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_lowercase())
}

/// The letters at the beginning of `text`, and the rest. `None` if the letters run on into another script, a
/// digit or `_a`.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    let runs_on = rest.trim_start_matches('_').starts_with(char::is_alphanumeric)
        && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (!word.is_empty() && !runs_on).then_some((word, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_open_a_line() {
        for (text, decision, tail) in [
            ("COMPLETE", Decision::Complete, ""),
            ("pass: x", Decision::Complete, ": x"),
            ("INCOMPLETE x", Decision::Incomplete, " x"),
            ("FAILED", Decision::Incomplete, ""),
            ("not complete", Decision::Incomplete, ""),
            ("NOT YET COMPLETE: x", Decision::Incomplete, ": x"),
            ("Not complete yet.", Decision::Incomplete, "."),
            ("not fully pass", Decision::Incomplete, ""),
            ("FAIL_", Decision::Incomplete, "_"),
        ] {
            let found = opening(text).map(|opening| (opening.decision, opening.tail));
            assert_eq!(found, Some((decision, tail)), "{text}");
        }
        for text in [
            "COMPLETED", "PASSED", "COMPLETEです", "PASS2", "COMPLETE_CHECK", "not failed", "not",
            "not incomplete", "done", "",
        ] {
            assert_eq!(opening(text), None, "{text}");
        }
    }

    #[test]
    fn both_kinds_in_one_line_are_an_echo() {
        for line in [
            "COMPLETE or INCOMPLETE", "PASS/FAIL", "complete|failed", "COMPLETEまたはINCOMPLETE",
            "PASS, not COMPLETE",
        ] {
            assert!(is_echo(line, false), "{line}");
        }
        for line in [
            "COMPLETE", "NOT COMPLETE (FAIL)", "FAIL: it doesn't pass", "PASS: it did not fail",
            "INCOMPLETE, cannot be complete",
        ] {
            assert!(!is_echo(line, false), "{line}");
        }
        assert!(!is_echo("INCOMPLETE: complete the notes", true));
        assert!(is_echo("INCOMPLETE or COMPLETE", true));
    }
}
