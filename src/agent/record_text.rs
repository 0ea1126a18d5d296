//! What is kept of the texts in records: the start or end of long ones, and times. Pure. Nothing here makes
//! text safe to display.

use crate::model::{Timestamp, display_text};

/// How much of the end of a message is kept, in bytes.
pub(super) const LONGEST_MESSAGE: usize = 256 << 10;
/// The longest prompt, call or title kept, in characters.
const LONGEST_LINE: usize = 200;

/// A text for one line: trimmed, and cut to [`LONGEST_LINE`] characters.
pub(super) fn shortened(text: &str) -> String {
    display_text::cut_after(text.trim(), LONGEST_LINE).into_owned()
}

/// Like [`shortened`], but `None` if nothing is left.
pub(super) fn shortened_if_any(text: &str) -> Option<String> {
    Some(shortened(text)).filter(|text| !text.is_empty())
}

/// A question with its numbered options, each a label and a description, as clients show it.
pub(super) fn question_text<'a>(question: &str, options: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let options = options.enumerate().map(|(index, (label, description))| {
        let separator = if description.is_empty() { "" } else { ": " };
        format!("\n{}. {label}{separator}{description}", index + 1)
    });
    std::iter::once(question.to_owned()).chain(options).collect()
}

/// A line of JSON with every lone surrogate replaced by U+FFFD, because some clients cut text in the middle
/// of a surrogate pair. `None` if there is none.
pub(super) fn mended(line: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut mended = Vec::with_capacity(line.len());
    let (mut at, mut is_other) = (0, false);
    while at < line.len() {
        if line[at] != b'\\' {
            mended.push(line[at]);
            at += 1;
            continue;
        }
        let n_bytes = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                is_other = true;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        mended.extend_from_slice(&line[at..(at + n_bytes).min(line.len())]);
        at += n_bytes;
    }
    is_other.then_some(mended)
}

/// The last `most` bytes of a text, or fewer, so as not to split a character.
pub(super) fn end_of(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// Cuts a message to its last [`LONGEST_MESSAGE`] bytes.
pub(super) fn keep_end(message: &mut String) {
    let cut = message.len() - end_of(message, LONGEST_MESSAGE).len();
    message.drain(..cut);
}

/// Parses a time as the clients write it (RFC 3339).
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(at.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened(" né "), "né");
        assert_eq!(shortened(&"é".repeat(LONGEST_LINE + 1)), "é".repeat(LONGEST_LINE) + "…");
        assert_eq!(shortened_if_any(" \n"), None);
        assert_eq!((end_of("né", 1), end_of("né", 2), end_of("né", 9)), ("", "é", "né"));
        let mut message = "é".repeat(LONGEST_MESSAGE);
        keep_end(&mut message);
        assert_eq!(message.len(), LONGEST_MESSAGE);
    }

    #[test]
    fn half_pairs_are_mended_and_whole_ones_kept() {
        assert_eq!(mended(br#"{"a":"\ud83d"}"#).unwrap(), br#"{"a":"\ufffd"}"#);
        assert_eq!(mended(br#""\ude00x\ud83d\ude00""#).unwrap(), br#""\ufffdx\ud83d\ude00""#);
        assert_eq!(mended(br#""\\ud83d \ud83d\ude00""#), None);
    }

    #[test]
    fn a_moment_that_is_none_is_none() {
        assert_eq!(moment("1970-01-01T00:00:01.5Z"), Some(Timestamp(1500)));
        assert_eq!(moment("yesterday"), None);
    }
}
