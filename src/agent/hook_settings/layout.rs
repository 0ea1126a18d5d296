//! How a settings file is formatted, so that additions look like the rest.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// The indentation to use if the file has none.
const INDENT: &str = "  ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The line ending.
    pub(super) newline: &'static str,
    /// One level of indentation.
    pub(super) indent: String,
    /// Whether the whole object is on one line.
    pub(super) is_one_line: bool,
}

impl Layout {
    /// The layout of `text`, which contains one object.
    pub(super) fn of(text: &str) -> Layout {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find_map(|line| {
            let content = line.trim_start_matches([' ', '\t']);
            let indent = &line[..line.len() - content.len()];
            (content.starts_with('"') && !indent.is_empty()).then(|| indent.to_owned())
        });
        let object = text.trim();
        let is_empty = object.trim_start_matches('{').trim_end_matches('}').trim().is_empty();
        let is_one_line = !object.contains('\n') && !is_empty;
        Layout { newline, indent: indented.unwrap_or_else(|| INDENT.to_owned()), is_one_line }
    }

    /// The value as text, for a line that is indented by `indent`.
    pub(super) fn text(&self, value: &impl Serialize, indent: &str) -> String {
        let mut bytes = Vec::new();
        let written = if self.is_one_line {
            value.serialize(&mut Serializer::new(&mut bytes))
        } else {
            let formatter = PrettyFormatter::with_indent(self.indent.as_bytes());
            value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        };
        debug_assert!(written.is_ok(), "plain values are always written");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.replace('\n', &format!("{}{indent}", self.newline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_that_of_the_first_indented_key() {
        let layout =
            |newline, indent: &str, is_one_line| Layout { newline, indent: indent.to_owned(), is_one_line };
        assert_eq!(Layout::of("{\r\n\t\"a\": 1\r\n}"), layout("\r\n", "\t", false));
        assert_eq!(Layout::of("{\n    // x\n    \"a\": 1\n}\n"), layout("\n", "    ", false));
        assert_eq!(Layout::of("{\"a\":1}\n"), layout("\n", "  ", true));
        assert_eq!(Layout::of("{}"), layout("\n", "  ", false));
    }
}
