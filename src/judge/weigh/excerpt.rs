//! Short excerpts of long texts, for what outlives a collection. Must not interpret a text.

use crate::model::display_text;

/// How many bytes of the last words are kept.
const KEPT_BYTES: usize = 4096;
/// How many characters of a reason are kept.
const REASON_SIGNS: usize = 240;

/// The end of a text, cut at a line break if one is near, and whether anything was left out.
pub(super) fn tail(text: &str) -> (String, bool) {
    let text = text.trim_end();
    if text.len() <= KEPT_BYTES {
        return (text.to_owned(), false);
    }
    let start = text.ceil_char_boundary(text.len() - KEPT_BYTES);
    let rest = &text[start..];
    let kept = match rest.find('\n') {
        Some(end) if end < KEPT_BYTES / 4 => &rest[end + 1..],
        _ => rest,
    };
    (kept.to_owned(), true)
}

/// A reason as one line, shortened if needed.
pub(super) fn reason(text: &str) -> String {
    display_text::cut_after(&display_text::one_spaced(text), REASON_SIGNS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_cut_between_signs_and_lines() {
        let (kept, is_cut) = tail(&format!("{}\nlast line", "あ".repeat(5000)));
        assert!(is_cut && kept.ends_with("last line") && kept.len() <= KEPT_BYTES);
        assert_eq!(tail("short \n"), ("short".to_owned(), false));
    }

    #[test]
    fn reasons_are_one_line() {
        assert_eq!(reason(" a\n\tb  c "), "a b c");
        assert_eq!(reason(&"x".repeat(300)).chars().count(), 241);
    }
}
