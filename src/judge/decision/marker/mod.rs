//! Rule 7: verdict words on lines of a text, in a decision file or in the output.
//!
//! Must not take a word inside a sentence, a test runner's count, or the echo of an instruction for a verdict.
//!
//! *Strong*: the word alone on its line, or after a label. *Weak*: an upper-case word, a separator, a reason.

use std::borrow::Cow;

use super::decoration::{self, is_decoration, is_emphasis};
use super::record::Decision;
use super::words::{self, Opening};

pub(super) use super::words::whole_word;
pub(super) use reasons::read as reasons;

mod reasons;

const LABELS: [&str; 3] = ["verdict", "decision", "判定"];

/// The verdict of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) decision: Decision,
    /// Whether two markers of the deciding kind differ.
    pub(super) has_conflict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strength {
    Strong,
    Weak,
}

/// The verdict of a whole text.
pub(super) fn read(text: &str) -> Option<Found> {
    let mut tally = Tally::default();
    lines(text).for_each(|line| tally.add(line));
    tally.result()
}

/// The lines of a text, with any kind of line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// The markers seen so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally<'a> {
    strong: Option<Found>,
    weak: Option<Found>,
    last_line: &'a str,
}

impl<'a> Tally<'a> {
    /// Adds one more line.
    pub(super) fn add(&mut self, line: &'a str) {
        let is_statement = is_python_pass(self.last_line, line);
        if !line.trim().is_empty() {
            self.last_line = line;
        }
        let Some((decision, strength)) = read_line(line).filter(|_| !is_statement) else { return };
        let kind = match strength {
            Strength::Strong => &mut self.strong,
            Strength::Weak => &mut self.weak,
        };
        let has_conflict = kind.is_some_and(|earlier| earlier.has_conflict || earlier.decision != decision);
        *kind = Some(Found { decision, has_conflict });
    }

    /// The last marker of the stronger kind.
    pub(super) fn result(self) -> Option<Found> {
        self.strong.or(self.weak)
    }
}

/// Whether `pass` is the empty body of a Python block in quoted code, the one common line of code that looks
/// like a verdict.
fn is_python_pass(line_before: &str, line: &str) -> bool {
    const OPENERS: [&str; 13] = [
        "def", "class", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "async",
        "case",
    ];
    let before = line_before.trim();
    let opener = before.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    line.trim() == "pass"
        && line.starts_with([' ', '\t'])
        && before.ends_with(':')
        && OPENERS.contains(&opener)
}

/// What follows the word.
enum Tail<'a> {
    /// Nothing, or a single full stop.
    End,
    /// A separator and the text after it.
    Separated(&'a str),
    /// A space and the text after it.
    Blank(&'a str),
    /// Anything else.
    Joined,
}

fn read_line(line: &str) -> Option<(Decision, Strength)> {
    let line = without_escapes(line);
    let plain = decoration::strip(&line)?;
    let labelled = after_label(plain.text).and_then(decoration::strip);
    let text = labelled.unwrap_or(plain);
    let opening = words::opening(text.text)?;
    let has_sign_against = plain.has_sign_against || text.has_sign_against;
    if !opening.is_upper && line.trim_start().starts_with('"') {
        // An entry of a JSON list, such as the allowed values in a schema.
        return None;
    }
    let is_firm_no = opening.decision == Decision::Incomplete && opening.is_upper;
    if (opening.decision == Decision::Complete && has_sign_against) || words::is_echo(plain.text, is_firm_no)
    {
        return None;
    }
    let strength = if labelled.is_some() { labelled_strength(&opening) } else { plain_strength(&opening) };
    strength.map(|strength| (opening.decision, strength))
}

fn labelled_strength(opening: &Opening<'_>) -> Option<Strength> {
    let is_verdict = match tail(opening.tail) {
        Tail::End => true,
        // After a label, a number behind the separator is a reason: "VERDICT: FAIL (2 findings)".
        Tail::Separated(reason) => has_words(reason),
        Tail::Blank(rest) if starts_with_number(rest) => false,
        Tail::Blank(rest) => {
            opening.decision == Decision::Incomplete || opening.is_upper && !words::is_condition(rest)
        }
        Tail::Joined => false,
    };
    is_verdict.then_some(Strength::Strong)
}

fn plain_strength(opening: &Opening<'_>) -> Option<Strength> {
    let is_negative = opening.decision == Decision::Incomplete;
    match tail(opening.tail) {
        Tail::End => Some(Strength::Strong),
        Tail::Separated(rest) | Tail::Blank(rest) if !opening.is_upper || starts_with_number(rest) => None,
        // "INCOMPLETE:" followed by lines of reasons is a "no"; a "yes" must give a reason on its line.
        Tail::Separated(reason) if has_letters(reason) || is_negative => Some(Strength::Weak),
        Tail::Blank(_) if is_negative => Some(Strength::Weak),
        Tail::Separated(_) | Tail::Blank(_) | Tail::Joined => None,
    }
}

/// The text after `VERDICT:`, `DECISION:` or `判定：`. Emphasis between the word and the colon is allowed.
fn after_label(text: &str) -> Option<&str> {
    let rest = LABELS.into_iter().find_map(|label| {
        let (head, rest) = text.split_at_checked(label.len())?;
        head.eq_ignore_ascii_case(label).then_some(rest)
    })?;
    // A key of a JSON object ("decision": …) is not a label: the object may belong to another check.
    let rest = Some(rest).filter(|rest| !rest.starts_with(['"', '\'']))?;
    rest.trim_start_matches(is_decoration).strip_prefix([':', '：'])
}

fn tail(text: &str) -> Tail<'_> {
    let text = text.trim_start_matches(is_emphasis);
    let rest = text.trim_start();
    let has_blank = rest.len() < text.len();
    if rest.is_empty() || [".", "。", "．"].contains(&rest.trim_end_matches(is_decoration)) {
        return Tail::End;
    }
    let mut characters = rest.chars();
    let first = characters.next().unwrap_or_default();
    let after = characters.as_str();
    let is_separator = match first {
        ':' => !after.starts_with(':'),
        '：' | ',' | '，' | '、' | ';' | '；' | '。' | '．' | '(' | '（' | '—' | '–' => true,
        // "PASS-THROUGH" and "PASS.md" are names.
        '-' => has_blank || after.starts_with(|c: char| c.is_whitespace() || c == '-'),
        '.' => after.starts_with(char::is_whitespace),
        _ => false,
    };
    if is_separator {
        Tail::Separated(after)
    } else if has_blank {
        Tail::Blank(rest)
    } else {
        Tail::Joined
    }
}

/// Whether a number follows the word, which makes it a count, whatever comes between the two.
fn starts_with_number(rest: &str) -> bool {
    let is_between = |c: char| is_decoration(c) || matches!(c, ':' | ',' | ';' | '：' | '、' | '，' | '；');
    rest.trim_start_matches(is_between).starts_with(char::is_numeric)
}

fn has_letters(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// The line without terminal colours: `ESC [ … letter`.
fn without_escapes(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut parts = line.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.trim_start_matches(|c: char| matches!(c, '0'..='?' | ' '..='/'));
        let mut characters = rest.chars();
        characters.next();
        plain.push_str(characters.as_str());
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests;
