//! One thing that is wrong in a configuration, and where: file, line, column, key, what is allowed.

use std::fmt;

use crate::model::display_text;

/// Problems beyond this number are counted, not kept: a hostile file has a million.
const MAX_KEPT: usize = 20;

/// How many signs of a key or value are shown.
const MAX_SHOWN: usize = 60;

/// A place in a text, counted from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place of a byte in `text`; the end of the text for a byte beyond it.
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

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, variable or flag, for a person. Untrusted text.
    pub source: String,
    /// Where in the file; a variable or flag has no places.
    pub place: Option<Place>,
    /// The full name of the key, as far as there is one. Untrusted text.
    pub key: Option<String>,
    /// What is wrong and what is allowed. Untrusted text.
    pub what: String,
}

impl fmt::Display for Problem {
    /// `file:line:column: what is wrong`, cleaned for a screen.
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

/// What is wrong in one text, in the order of the text. Empty when nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Problem>,
    n_more: usize,
}

impl Problems {
    /// True when nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// One line for each problem, and one that counts those that were not kept.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.kept.iter().map(ToString::to_string).collect();
        if self.n_more > 0 {
            lines.push(format!("… and {} more", self.n_more));
        }
        lines
    }

    /// One problem with a file as a whole.
    pub(super) fn of_file(source: &str, what: String) -> Problems {
        let problem = Problem { source: source.to_owned(), place: None, key: None, what };
        Problems { kept: vec![problem], n_more: 0 }
    }

    /// True when further problems are only counted.
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

/// A key or value as it is shown in a message.
pub(super) fn shown(text: &str) -> String {
    display_text::shorten(&display_text::line(text), MAX_SHOWN).into_owned()
}
