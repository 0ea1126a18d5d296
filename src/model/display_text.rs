//! The only way for text from agents, repositories and file names to reach a screen, a log or a message.
//!
//! Untrusted text can contain escape sequences, control characters, characters that reverse the reading
//! direction, and invisible characters. All of them are made visible here: controls as their pictures (`␛`),
//! invisible and direction characters by number (`‹U+202E›`), bytes that are not UTF-8 as `\xNN`; a base
//! character keeps at most four combining marks. Rules: `SECURITY.md` 1.1. The result is text, never markup,
//! a command line or a path.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use unicode_normalization::char::is_combining_mark;

/// How many combining marks one base character may have.
const MAX_MARKS: usize = 4;

/// Cleans text of several lines: line feeds stay, a tab becomes four spaces, a carriage return before a line
/// feed is dropped.
pub fn block(text: &str) -> Cow<'_, str> {
    clean(text, Breaks::Keep)
}

/// Cleans text for one line: line breaks and tabs become single spaces.
pub fn line(text: &str) -> Cow<'_, str> {
    clean(text, Breaks::Blank)
}

/// Cleans bytes for one line; bytes that are not UTF-8 are shown as `\xNN`.
pub fn bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        shown.push_str(&clean(chunk.valid(), Breaks::Picture));
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\x{byte:02X}");
        }
    }
    shown
}

/// Cleans a path for one line. Line breaks in names are shown as pictures, so that one name never looks like
/// two.
pub fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Removes terminal escape sequences (CSI, OSC, DCS and the two-character ones), for code that reads the
/// words: colours around a word are not part of it. Other control characters may remain.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1B}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\u{1B}' {
            plain.push(sign);
            continue;
        }
        match signs.next() {
            // Parameters and intermediates, then one final character.
            Some('[') => drop(signs.by_ref().find(|sign| ('@'..='~').contains(sign))),
            // Up to BEL, or to ESC with a backslash, which is consumed too.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                if signs.by_ref().find(|sign| matches!(sign, '\u{7}' | '\u{1B}')) == Some('\u{1B}') {
                    signs.next();
                }
            }
            Some(_) | None => {}
        }
    }
    Cow::Owned(plain)
}

/// At most `max` characters of a text, with the ellipsis that ends it if something was cut.
pub fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some(_) if max == 0 => Cow::Borrowed(""),
        Some(_) => {
            let end = text.char_indices().nth(max - 1).map_or(0, |(position, _)| position);
            Cow::Owned(format!("{}…", text[..end].trim_end()))
        }
    }
}

/// The first `most` characters of a text, and an ellipsis after them if something was cut.
pub fn cut_after(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// The text with every run of white space replaced by one space, and none at its ends.
pub fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if a character must not reach a screen unchanged.
pub fn is_unsafe(sign: char) -> bool {
    sign.is_control() || is_invisible(sign)
}

/// How line breaks and tabs are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    /// Line feeds stay, tabs become spaces.
    Keep,
    /// Both become one space.
    Blank,
    /// Both become pictures.
    Picture,
}

fn clean(text: &str, breaks: Breaks) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7F).contains(&byte) || (byte == b'\n' && breaks == Breaks::Keep)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut n_marks = 0;
    let mut signs = text.chars().peekable();
    let mut before = None;
    while let Some(sign) = signs.next() {
        if is_combining_mark(sign) {
            n_marks += 1;
            if n_marks > MAX_MARKS {
                continue;
            }
        } else {
            n_marks = 0;
        }
        match sign {
            '\r' if signs.peek() == Some(&'\n') && breaks != Breaks::Picture => {}
            '\n' if breaks == Breaks::Keep => shown.push('\n'),
            '\t' if breaks == Breaks::Keep => shown.push_str("    "),
            '\n' | '\r' | '\t' if breaks == Breaks::Blank => shown.push(' '),
            // A joiner between two pictographs forms one emoji, which disguises nothing.
            '\u{200D}'
                if before.is_some_and(is_pictograph) && signs.peek().copied().is_some_and(is_pictograph) =>
            {
                shown.push(sign);
            }
            _ => push_visible(&mut shown, sign),
        }
        before = Some(sign);
    }
    Cow::Owned(shown)
}

fn push_visible(shown: &mut String, sign: char) {
    match sign {
        '\0'..='\u{1F}' => shown.push(char::from_u32(0x2400 + sign as u32).unwrap_or('\u{FFFD}')),
        '\u{7F}' => shown.push('\u{2421}'),
        _ if is_unsafe(sign) => {
            // Writing to a string cannot fail.
            let _ = write!(shown, "‹U+{:04X}›", sign as u32);
        }
        _ => shown.push(sign),
    }
}

/// Format characters (Unicode category Cf), line and paragraph separators, variation selectors of the
/// supplement, and letters without a glyph (Unicode 16, `DerivedCoreProperties`).
fn is_invisible(sign: char) -> bool {
    matches!(sign,
        '\u{AD}' | '\u{34F}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}'
        | '\u{890}'..='\u{891}' | '\u{8E2}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{110BD}' | '\u{110CD}' | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

fn is_pictograph(sign: char) -> bool {
    matches!(sign, '\u{2600}'..='\u{27BF}' | '\u{FE0F}' | '\u{1F000}'..='\u{1FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_pictures() {
        assert_eq!(line("\u{1b}]52;c;aGk=\u{7}"), "␛]52;c;aGk=␇");
        assert_eq!(line("a\u{9b}31mb"), "a‹U+009B›31mb");
    }

    #[test]
    fn signs_that_turn_the_reading_direction_are_named() {
        assert_eq!(line("gpj.\u{202e}exe"), "gpj.‹U+202E›exe");
        assert_eq!(line("a\u{e0041}b\u{200b}c"), "a‹U+E0041›b‹U+200B›c");
    }

    #[test]
    fn combining_marks_are_bounded() {
        let zalgo = format!("a{}b", "\u{301}".repeat(50));
        assert_eq!(line(&zalgo), format!("a{}b", "\u{301}".repeat(4)));
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        for text in ["はい、完了しました。", "é à ü", "한국어", "👩‍💻 ok", "plain"] {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn line_breaks_stay_in_blocks_only() {
        assert_eq!(block("a\r\nb\tc"), "a\nb    c");
        assert_eq!(line("a\r\nb\tc"), "a b c");
        assert_eq!(bytes(b"a\nb\xffc"), "a␊b\\xFFc");
    }

    #[test]
    fn words_are_read_without_the_escapes_around_them() {
        assert_eq!(without_escapes("\u{1b}[1;32mCOMPLETE\u{1b}[0m"), "COMPLETE");
        assert_eq!(without_escapes("a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c"), "abc");
        assert_eq!(without_escapes("cut \u{1b}[3"), "cut ");
        assert_eq!(without_escapes("plain"), "plain");
    }

    #[test]
    fn shortening_counts_signs() {
        assert_eq!(shorten("日本語です", 3), "日本…");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abc", 0), "");
        assert_eq!(cut_after("日本語です", 3), "日本語…");
        assert_eq!(cut_after("abc", 3), "abc");
        assert_eq!(one_spaced(" a\n\tb  c "), "a b c");
    }
}
