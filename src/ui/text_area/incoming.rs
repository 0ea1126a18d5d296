//! Filters text that comes into a text area. Control characters and invisible ones are dropped, so that what is
//! sent is what the person read; the result says what was dropped.

use crate::model::display_text;
use crate::present::counts;

/// The most bytes in a text area, more than any agent takes as one reply.
pub const MAX_BYTES: usize = 256 * 1024;

/// What was dropped from incoming text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Control characters.
    pub n_controls: usize,
    /// Invisible characters.
    pub n_invisible: usize,
    /// Whether the text was too long and was refused as a whole.
    pub is_too_long: bool,
}

impl LeftOut {
    /// A message saying what was dropped; `None` if nothing was.
    pub(crate) fn label(self) -> Option<String> {
        if self.is_too_long {
            return Some(format!("too long: nothing was inserted; at most {} KiB", MAX_BYTES / 1024));
        }
        let kinds = [
            (self.n_controls, counts::controls(self.n_controls)),
            (self.n_invisible, counts::invisible(self.n_invisible)),
        ];
        let parts: Vec<String> = kinds.into_iter().filter(|(n, _)| *n > 0).map(|(_, words)| words).collect();
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }
}

/// The cleaned text, if it fits into `room` bytes. A longer text is refused as a whole, since half of a text
/// would be worse than none.
pub(super) fn cleaned(text: &str, room: usize) -> (String, LeftOut) {
    let mut left_out = LeftOut::default();
    let mut kept = String::with_capacity(text.len().min(room));
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            // Terminals send the line breaks of a paste as carriage returns.
            '\r' => {
                signs.next_if_eq(&'\n');
                kept.push('\n');
            }
            // The last two are joiners: parts of emojis, and of letters in Persian and the scripts of India.
            '\n' | '\t' | '\u{200C}' | '\u{200D}' => kept.push(sign),
            _ if sign.is_control() => left_out.n_controls += 1,
            _ if display_text::is_unsafe(sign) => left_out.n_invisible += 1,
            _ => kept.push(sign),
        }
    }
    if kept.len() > room {
        return (String::new(), LeftOut { is_too_long: true, ..LeftOut::default() });
    }
    (kept, left_out)
}
