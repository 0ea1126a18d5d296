//! Options on one line: `1) keep it 2) drop it`, `[A] Advanced [C] Continue`. Finds them in a passage. Must not
//! decide whether anybody asks to choose.

use std::ops::Range;

use super::document::Document;
use super::sentence::Sentence;

/// One option on a line: its label, and the bytes of its words in the passage.
pub(super) struct Inline<'t> {
    /// The label without brackets.
    pub(super) label: &'t str,
    /// The bytes of its words.
    pub(super) words: Range<usize>,
}

/// How many labels are looked for, at most.
const LABELS: usize = 20;

/// The first of `sentences`, which are in text order, whose line contains options. Each line is read only once,
/// because it can hold thousands of sentences.
pub(super) fn first_with_options<'s>(
    document: &Document<'_>,
    mut sentences: impl Iterator<Item = &'s Sentence>,
) -> Option<&'s Sentence> {
    let mut last_line = None;
    sentences.find(|sentence| {
        last_line.replace(sentence.line) != Some(sentence.line)
            && !options(document.line_text(sentence)).is_empty()
    })
}

/// The options in a passage. Empty unless there are at least two, with labels in order or in square brackets.
pub(super) fn options(text: &str) -> Vec<Inline<'_>> {
    let labels = labels(text);
    let in_order = labels.iter().enumerate().all(|(place, (_, label))| {
        let first = u32::from(text[label.clone()].chars().next().unwrap_or('?').to_ascii_uppercase());
        ['1', 'A']
            .iter()
            .any(|begin| Ok(first) == u32::try_from(place).map(|place| u32::from(*begin) + place))
    });
    let bracketed = labels.iter().all(|(whole, _)| text[whole.clone()].starts_with('['));
    if labels.len() < 2 || !(in_order || bracketed) {
        return Vec::new();
    }
    let ends: Vec<usize> = labels.iter().skip(1).map(|(whole, _)| whole.start).chain([text.len()]).collect();
    let option = |((whole, label), end): (&(Range<usize>, Range<usize>), usize)| {
        let end =
            whole.end + text[whole.end..end].trim_end_matches([' ', '\t', '(', '\u{ff08}', '|', '/']).len();
        let line = text[whole.end..end].find('\n').map_or(end, |line| whole.end + line);
        Inline { label: &text[label.clone()], words: whole.end..line }
    };
    let found: Vec<_> = labels.iter().zip(ends).map(option).collect();
    let all_have_words =
        found.iter().all(|option| text[option.words.clone()].chars().any(char::is_alphanumeric));
    if all_have_words { found } else { Vec::new() }
}

/// Each label with its brackets and the spaces after it, and the label alone.
fn labels(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let opens = before.is_none_or(|c: char| c.is_whitespace() || "(（、,，:：*|/".contains(c));
        before = Some(c);
        let square = c == '[';
        let (start, sign) = if square { (at + 1, text[at + 1..].chars().next()) } else { (at, Some(c)) };
        let Some(sign) = sign.filter(|sign| sign.is_ascii_alphanumeric() && opens && *sign != '0') else {
            continue;
        };
        if !square && !sign.is_ascii_digit() && !matches!(sign, 'A'..='F' | 'a'..='f') {
            continue;
        }
        let rest = &text[start..];
        let length = if square { rest.find(']').filter(|length| *length <= 2) } else { Some(1) };
        let Some(length) = length else { continue };
        let close = rest[length..].chars().next();
        let closed = if square { close == Some(']') } else { matches!(close, Some(')' | '）')) };
        let Some(close) = close.filter(|_| closed) else { continue };
        let from = start + length + close.len_utf8();
        let end = from + (text[from..].len() - text[from..].trim_start_matches([' ', '\t', '*']).len());
        found.push((at..end, start..start + length));
        if found.len() == LABELS {
            break;
        }
        while chars.peek().is_some_and(|(next, _)| *next < end) {
            before = chars.next().map(|(_, c)| c);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(&str, &str)> {
        options(text).into_iter().map(|option| (option.label, text[option.words].trim())).collect()
    }

    #[test]
    fn labels_in_order_or_in_square_brackets_are_options() {
        assert_eq!(of("1) keep 2) drop"), [("1", "keep"), ("2", "drop")]);
        assert_eq!(of("**[A] Advanced [P] Party**"), [("A", "Advanced"), ("P", "Party**")]);
        assert_eq!(of("(a) one (b) two"), [("a", "one"), ("b", "two")]);
        assert!(of("f(x) and g(y)").is_empty());
        assert!(of("see [1] and [2]").is_empty());
        assert!(of("only 1) here").is_empty());
    }
}
