//! Adds an item to an object or list in JSON text with comments, formatted like the rest, or removes one,
//! keeping every other byte. Removing an item restores the text from before it was added.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// The white space of JSON (RFC 8259, section 2). Other white space can only stand in a comment or a string.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Appends an item to the container whose brackets are the first and last byte of `container`. `items` are
/// the ranges of its items; `item` renders the new one for a given indentation.
pub(super) fn append(
    text: &str,
    container: &Range<usize>,
    items: &[Range<usize>],
    layout: &Layout,
    item: impl Fn(&str) -> String,
) -> String {
    let (open, close) = (container.start + 1, container.end - 1);
    let outer = indent_of(text, container.start);
    let new_line = |indent: &str| format!("{}{indent}", layout.newline);
    let Some((first, last)) = items.first().zip(items.last()) else {
        if layout.is_one_line {
            return spliced(text, open..open, &item(""));
        }
        let indent = format!("{outer}{}", layout.indent);
        let added = format!("{}{}", new_line(&indent), item(&indent));
        let inner = &text[open..close];
        return if inner.trim_matches(BLANKS).is_empty() {
            spliced(text, open..close, &format!("{added}{}", new_line(outer)))
        } else {
            // The container has a comment, which may extend to the end of its line.
            let at = open + inner.trim_end_matches(BLANKS).len();
            spliced(text, at..at, &added)
        };
    };
    let is_on_lines = text[open..first.start].contains('\n');
    let indent = if is_on_lines { indent_of(text, first.start) } else { outer };
    let comma = comma_after(text, last.end);
    let from = comma.map_or(last.end, |comma| comma + 1);
    let at = line_comments_end(text, from);
    // A line comment would swallow what follows on its line.
    let needs_line = is_on_lines || ends_in_line_comment(&text[from..at]);
    let separator = match (needs_line, layout.is_one_line && !text[container.clone()].contains(", ")) {
        (true, _) => new_line(indent),
        (false, true) => String::new(),
        (false, false) => " ".to_owned(),
    };
    let added = format!("{separator}{}", item(indent));
    if comma.is_some() {
        spliced(text, at..at, &format!("{added},"))
    } else {
        let with_item = spliced(text, at..at, &added);
        spliced(&with_item, last.end..last.end, ",")
    }
}

/// Removes the item at index `number` from the container.
pub(super) fn remove(text: &str, container: &Range<usize>, items: &[Range<usize>], number: usize) -> String {
    let (open, close) = (container.start + 1, container.end - 1);
    let Some(item) = items.get(number) else { return text.to_owned() };
    let start = open + text[open..item.start].trim_end_matches(BLANKS).len();
    let before = number.checked_sub(1).and_then(|before| items.get(before));
    let follows_comment = ends_in_line_comment(&text[before.map_or(open, |before| before.end)..start]);
    if let Some(comma) = comma_after(text, item.end) {
        return spliced(text, start..comma + 1, "");
    }
    if items.len() == 1 {
        let is_alone = text[item.end..close].trim_matches(BLANKS).is_empty() && start == open;
        return spliced(text, start..if is_alone { close } else { item.end }, "");
    }
    // A preceding line comment must not swallow what follows the item.
    let kept = if follows_comment && !text[item.end..].starts_with(['\n', '\r']) { "\n" } else { "" };
    let without = spliced(text, start..item.end, kept);
    match before.and_then(|before| comma_after(text, before.end)) {
        Some(comma) => spliced(&without, comma..comma + 1, ""),
        None => without,
    }
}

/// The text with a part replaced.
pub(super) fn spliced(text: &str, part: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..part.start], &text[part.end..])
}

/// The white space at the start of the line that contains `at`.
fn indent_of(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let content = text[line..].trim_start_matches([' ', '\t']);
    &text[line..text.len() - content.len()]
}

/// Whether the text between two items (white space, a comma, comments) ends inside a line comment.
fn ends_in_line_comment(between: &str) -> bool {
    let mut rest = between;
    while let Some(at) = rest.find('/') {
        let comment = &rest[at..];
        let end = if comment.starts_with("//") { "\n" } else { "*/" };
        let Some(length) = comment.get(2..).and_then(|inside| inside.find(end)) else {
            return end == "\n";
        };
        rest = &comment[2 + length + end.len()..];
    }
    false
}

/// The position of the next comma after white space and comments, if one follows.
fn comma_after(text: &str, at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches(BLANKS);
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n')?;
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/")? + 2;
        } else {
            return trimmed.starts_with(',').then_some(at);
        }
    }
}

/// The end of the comments that follow on the same line; `at` if there are none.
fn line_comments_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut here = at;
    loop {
        let rest = &text[here..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        here += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            let line = trimmed.lines().next().unwrap_or_default();
            return here + line.len();
        }
        let Some(length) = trimmed.starts_with("/*").then(|| trimmed.find("*/")).flatten() else {
            return end;
        };
        if trimmed[..length].contains('\n') {
            return end;
        }
        here += length + 2;
        end = here;
    }
}

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
