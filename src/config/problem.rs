//! A problem in the configuration: file, line, column, key, what is allowed, and what was perhaps meant.

use std::fmt;

use crate::model::display_text;

/// How many problems are kept. Further ones are only counted, since a hostile file may have a million.
const MAX_KEPT: usize = 20;

/// How much of a key or value is shown, in characters.
const MAX_SHOWN: usize = 60;

/// A position in a text, counted from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The position of the byte at `offset` in `text`; the end of the text if it is beyond.
    pub(super) fn of(text: &str, offset: usize) -> Place {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
        Place { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, variable or flag, for the user. Untrusted.
    pub source: String,
    /// The position in the file; `None` for a variable or flag.
    pub place: Option<Place>,
    /// The full name of the key, if there is one. Untrusted.
    pub key: Option<String>,
    /// What is wrong and what is allowed. Untrusted.
    pub what: String,
}

impl fmt::Display for Problem {
    /// Writes `file:line:column: what is wrong`, made safe for display.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&display_text::line(&self.source))?;
        if let Some(Place { line, column }) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if let Some(key) = &self.key {
            write!(f, "`{}` ", shown(key))?;
        }
        f.write_str(&display_text::line(&self.what))
    }
}

/// The problems in one text, in order. Empty if there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Problem>,
    n_more: usize,
}

impl Problems {
    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// One line per problem, and a line with the number of those not kept.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.kept.iter().map(ToString::to_string).collect();
        if self.n_more > 0 {
            lines.push(format!("… and {} more", self.n_more));
        }
        lines
    }

    /// A problem with a file as a whole.
    pub(super) fn of_file(source: &str, what: String) -> Problems {
        let problem = Problem { source: source.to_owned(), place: None, key: None, what };
        Problems { kept: vec![problem], n_more: 0 }
    }

    /// Whether further problems are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MAX_KEPT
    }

    pub(super) fn push(&mut self, problem: Problem) {
        if self.is_full() {
            self.n_more += 1;
        } else {
            self.kept.push(problem);
        }
    }

    pub(super) fn append(&mut self, other: Problems) {
        self.n_more += other.n_more;
        for problem in other.kept {
            self.push(problem);
        }
    }

    pub(super) fn sort(&mut self) {
        self.kept.sort_by_key(|problem| problem.place);
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

/// A key or value as shown in a message.
pub(super) fn shown(text: &str) -> String {
    display_text::shorten(&display_text::line(text), MAX_SHOWN).into_owned()
}

/// Longer names get no suggestion: they are no typing mistakes, and the comparison is quadratic.
const MAX_MEANT: usize = 40;

/// The question whether one of these words was meant by `name`; empty if none is near.
pub(super) fn meant(name: &str, words: &[&str]) -> String {
    let near = nearest(name, words.iter().copied());
    near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

/// What is wrong with the key `name`, if `allowed` exist, each behind `prefix`.
pub(super) fn unknown_key(name: &str, allowed: &[&str], prefix: &str) -> String {
    let near = nearest(name, allowed.iter().copied());
    let meant = near.map_or_else(String::new, |near| format!("; did you mean `{prefix}{near}`?"));
    format!("is not a closeout key{meant}; allowed here: {}", allowed.join(", "))
}

/// The candidate closest to `name`, if it is close enough to be meant: at most one mistake per three
/// characters, ignoring case. A mistake is an extra, missing or wrong character, or two neighbours swapped.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().nth(MAX_MEANT).is_some() {
        return None;
    }
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(n_slips, candidate)| *n_slips <= (candidate.chars().count() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}
