//! The reader of one layer: its text, whose it is, and the problems found so far. Pure.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::LayerOrigin;
use super::problem::{Place, Problem, Problems, shown, unknown_key};

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) name: &'t str,
    pub(super) origin: LayerOrigin,
    pub(super) home: Option<&'t Path>,
    pub(super) problems: Problems,
}

impl Reader<'_> {
    /// The tables of the list `[[key]]`, each with its offset. Empty, with a problem reported, if the value
    /// is not such a list, is longer than `most`, or counts only in the user's own file (for the reason
    /// `why_own`).
    pub(super) fn tables<'v, 'd>(
        &mut self,
        key: &str,
        at: usize,
        value: &'v Spanned<DeValue<'d>>,
        most: usize,
        why_own: &str,
    ) -> Vec<(usize, &'v DeTable<'d>)> {
        let table = |entry: &'v Spanned<DeValue<'d>>| Some((entry.span().start, entry.get_ref().as_table()?));
        let what = match value.get_ref().as_array() {
            _ if self.origin == LayerOrigin::Workspace => {
                format!("counts only in your own configuration file{why_own}")
            }
            Some(entries) if entries.len() > most => {
                format!("must be at most {most} entries, not {}", entries.len())
            }
            Some(entries) if entries.iter().all(|entry| entry.get_ref().is_table()) => {
                return entries.iter().filter_map(table).collect();
            }
            Some(_) | None => format!("must be a list of tables: write [[{key}]]"),
        };
        self.problem(at, Some(key.to_owned()), what);
        Vec::new()
    }

    /// Reports a key that does not exist in this table.
    pub(super) fn unknown_in(&mut self, table: &str, name: &str, at: usize, allowed: &[&str]) {
        let what = unknown_key(name, allowed, &format!("{table}."));
        self.problem(at, Some(format!("{table}.{}", shown(name))), what);
    }

    pub(super) fn problem(&mut self, offset: usize, key: Option<String>, what: String) {
        // Finding the place scans the text from its start, so it is not done for a million problems.
        let place = (!self.problems.is_full()).then(|| Place::of(self.text, offset));
        self.problems.push(Problem { source: self.name.to_owned(), place, key, what });
    }
}

pub(super) fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(number) if i64::from_str_radix(number.as_str(), number.radix()).is_err() => {
            "a number of that size"
        }
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list of something else",
        DeValue::Table(_) => "a table",
    }
}

/// The strings of a list; `None` for any other value.
pub(super) fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|entry| entry.get_ref().as_str().map(str::to_owned)).collect()
}

/// A whole number that fits 64 bits.
pub(super) fn number(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}
