//! What reads one layer: its text, whose words it is, and what was found wrong in it so far. Pure.

use std::path::Path;

use toml::de::DeValue;

use super::key::LayerOrigin;
use super::problem::{Place, Problem, Problems};

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) name: &'t str,
    pub(super) origin: LayerOrigin,
    pub(super) home: Option<&'t Path>,
    pub(super) problems: Problems,
}

impl Reader<'_> {
    pub(super) fn problem(&mut self, offset: usize, key: Option<String>, what: String) {
        // Finding a place reads the text from its beginning: not for a million problems.
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
