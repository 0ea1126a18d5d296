//! Joins lines that were broken only because of a file's width into paragraphs, so that they can be wrapped
//! again. Lists, headings, code, quotes and tables keep their lines.
//!
//! Nothing else is changed: what is shown is what is sent.

use super::text;

/// A line indented this far is code.
const CODE_INDENT: usize = 4;

/// The paragraphs of a text, each cleaned, with empty lines between them.
pub(super) fn paragraphs(source: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut is_fenced = false;
    for line in text::paragraphs(source) {
        let bare = line.trim();
        let is_fence = bare.starts_with("```") || bare.starts_with("~~~");
        let stands_alone =
            is_fenced || is_fence || bare.is_empty() || bare.starts_with(['#', '|', '>', '<', '{', '}']);
        is_fenced ^= is_fence;
        let is_new = stands_alone || !is_open || begins_item(bare) || is_code(&line, &paragraphs);
        match paragraphs.last_mut().filter(|_| !is_new) {
            Some(last) => {
                if needs_blank(last, bare) {
                    last.push(' ');
                }
                last.push_str(bare);
            }
            None => paragraphs.push(line.trim_end().to_owned()),
        }
        is_open = !stands_alone;
    }
    paragraphs
}

/// Whether a line begins a list item: `- `, `* `, `+ `, `1. `, `1) `.
fn begins_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let is_numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')']);
    let mark = if is_numbered { after_number.get(1..) } else { line.strip_prefix(['-', '*', '+', '•']) };
    mark.is_some_and(|rest| rest.starts_with(' '))
}

/// Whether a line is code: deeply indented, and not the continuation of an item.
fn is_code(line: &str, before: &[String]) -> bool {
    let indent = line.len() - line.trim_start().len();
    let is_in_item = before.last().is_some_and(|last| begins_item(last.trim_start()));
    indent >= CODE_INDENT && !is_in_item
}

/// Whether two joined lines need a space between them. Between wide characters a line break stands for none.
fn needs_blank(before: &str, after: &str) -> bool {
    let is_wide =
        |sign: Option<char>| sign.is_some_and(|sign| text::width(sign.encode_utf8(&mut [0; 4])) == 2);
    !(is_wide(before.chars().next_back()) && is_wide(after.chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_file_broke_are_joined_and_others_stay() {
        let source = "You check a task.\nDo not go\non.\n\nWhat is known:\n\n- one item\n  that goes on\n- two\n\
                      1. three\n# Head\ntext\n```\ncode\n  more\n```\nend\n    indented\n| a | b |\n日本語\nです\n{\"a\": 1,\n\"b\": 2}";
        assert_eq!(
            paragraphs(source),
            [
                "You check a task. Do not go on.", "", "What is known:", "", "- one item that goes on",
                "- two", "1. three", "# Head", "text", "```", "code", "  more", "```", "end", "    indented",
                "| a | b |", "日本語です", "{\"a\": 1,", "\"b\": 2}",
            ]
        );
        assert_eq!(paragraphs(""), [""; 0]);
    }
}
