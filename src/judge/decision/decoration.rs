//! Rule 7: the meaningless characters around a line: emphasis, headings, list markers, brackets, emoji.
//!
//! Must not remove punctuation (`.`, `!`, `?`, `:`, `,`, `;`), which decides whether a line is a verdict, or
//! opening braces: a rejected line of JSON must not come back as a marker.

/// A line without its decoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plain<'a> {
    pub(super) text: &'a str,
    /// Whether a cross or a "no" sign was beside the text.
    pub(super) has_sign_against: bool,
}

/// Removes the decoration on both sides. `None` if the line is an unticked box, an option that was not chosen.
pub(super) fn strip(line: &str) -> Option<Plain<'_>> {
    let back = line.trim_end_matches(is_decoration);
    let front = strip_front(back)?;
    let removed = |part: Option<&str>| part.is_some_and(|part| part.contains(is_sign_against));
    let has_sign_against = removed(line.get(back.len()..)) || removed(back.get(..back.len() - front.len()));
    Some(Plain { text: front, has_sign_against })
}

/// Removes the decoration at the front, including a list number (`2.`, `2)`) and a ticked box.
fn strip_front(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches(|c| c != '[' && is_decoration(c));
        if is_unticked(trimmed) {
            return None;
        }
        let ticked = ["[x]", "[X]", "[✓]", "[✔]"].into_iter().find_map(|tick| trimmed.strip_prefix(tick));
        let next =
            ticked.or_else(|| trimmed.strip_prefix('[')).or_else(|| strip_number(trimmed)).unwrap_or(trimmed);
        if next.len() == rest.len() {
            return Some(rest);
        }
        rest = next;
    }
}

fn is_unticked(line: &str) -> bool {
    line.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(']'))
}

fn strip_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let n_digits = line.len() - rest.len();
    let rest = rest.strip_prefix(['.', ')', '）', '．'])?;
    ((1..=3).contains(&n_digits) && rest.starts_with(char::is_whitespace)).then_some(rest)
}

/// Removes the decoration around an object, except braces.
pub(super) fn trim_around_json(line: &str) -> &str {
    let front = strip_front_number(line.trim_start_matches(|c| c != '{' && is_decoration(c)));
    front.trim_end_matches(|c| c != '}' && is_decoration(c))
}

fn strip_front_number(line: &str) -> &str {
    strip_number(line).map_or(line, |rest| rest.trim_start_matches(|c| c != '{' && is_decoration(c)))
}

/// Whether a character can surround a line without meaning anything.
pub(super) fn is_decoration(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || is_emphasis(c)
        || matches!(c, '#' | '=' | '-' | '+' | '|' | '(' | '[' | '<' | '§' | '¶' | '·' | '•' | '※' | '＃' | '＝' | '－' | '｜' | '（')
        || matches!(c,
            '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{20e3}' | '\u{e0000}'..='\u{e01ef}')
        // Dashes, bullets, arrows, boxes, blocks, shapes, dingbats, emoji. Mathematical
        // operators (`≠`) mean something.
        || matches!(c,
            '\u{2010}'..='\u{2017}' | '\u{2020}'..='\u{2023}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{2bff}'
            | '\u{3003}'..='\u{301f}' | '\u{3030}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character is emphasis, a quotation mark or a closing bracket, which may
/// come between a word and its separator.
pub(super) fn is_emphasis(c: char) -> bool {
    matches!(
        c,
        '*' | '_'
            | '`'
            | '~'
            | '"'
            | '\''
            | ')'
            | ']'
            | '}'
            | '>'
            | '«'
            | '»'
            | '‹'
            | '›'
            | '＊'
            | '）'
            | '］'
            | '［'
    ) || matches!(c, '\u{2018}'..='\u{201f}' | '\u{3008}'..='\u{3011}')
}

/// Whether a sign contradicts a positive word.
fn is_sign_against(c: char) -> bool {
    matches!(c, '❌' | '✗' | '✘' | '✖' | '✕' | '❎' | '🚫' | '⛔' | '👎' | '☐')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_on_both_sides_are_removed() {
        for line in [
            "W", "  W  ", "**W**", "__W__", "`W`", "~~W~~", "## W", "- W", "* **W** *", "1. W", "12) W",
            "- [x] W", "[W]", "【W】", "「W」", "> W", "| W |", "=== W ===", "--- W ---", "✅ W ✅",
            "✔\u{fe0f} W", "🎉W🎉", "→ W", "• W", "\u{200b}W", "```W```", "\"W\"", "“W”", "(W)", "<W>",
            "— W —", "\u{feff}W\r", "※ W",
        ] {
            assert_eq!(strip(line).map(|plain| plain.text), Some("W"), "{line}");
        }
        assert_eq!(strip("✗ W"), Some(Plain { text: "W", has_sign_against: true }));
        assert_eq!(strip("W ❌"), Some(Plain { text: "W", has_sign_against: true }));
        assert_eq!(strip("- [ ] W"), None);
        assert_eq!(strip("[] W"), None);
    }

    #[test]
    fn sentence_marks_and_words_stay() {
        for line in ["W!", "W?", "W.", "W:", "!W", "≠ W", "a W", "3 W", "2024. W", "...W", "{W"] {
            assert_eq!(strip(line).map(|plain| plain.text), Some(line), "{line}");
        }
    }

    #[test]
    fn an_object_keeps_its_braces() {
        assert_eq!(trim_around_json("- `{\"a\":{}}`"), "{\"a\":{}}");
        assert_eq!(trim_around_json("1. {\"a\":{}} ✅"), "{\"a\":{}}");
    }
}
