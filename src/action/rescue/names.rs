//! What can be said of a path alone: whether git refuses it, and how it is written in plain text.

use std::fmt::Write as _;

/// True when git refuses a component of the path (`verify_path` of git, on any system).
pub(super) fn is_refused(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|name| {
        if name.is_empty() || name == b"." || name == b".." {
            return true;
        }
        // Characters that HFS+ ignores in names; all of them are written with these first bytes.
        let text: String = String::from_utf8_lossy(name)
            .chars()
            .filter(|c| !is_ignored(*c))
            .collect::<String>()
            .to_lowercase();
        let text = text.replace('\\', "/");
        text.split('/').any(|part| {
            let part = part.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']);
            part == ".git" || part == "git~1"
        })
    })
}

fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The bytes in hexadecimal digits: exact in any text.
pub(super) fn hex(path: &[u8]) -> String {
    path.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that [`hex`] wrote; `None` when the text is none of its.
pub(super) fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    text.chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect()
}
