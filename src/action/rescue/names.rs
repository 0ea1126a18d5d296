//! What can be said of a path alone: whether git refuses it, and how it is written in plain text.

use std::fmt::Write as _;

/// True when git refuses what is at the path: a component of its name (`verify_path` of git, on any system), or a
/// link (`mode` in git's digits) that is called `.gitmodules`.
pub(super) fn is_refused(path: &[u8], mode: &str) -> bool {
    is_name_refused(path) || (mode == "120000" && is_gitmodules(path))
}

/// `.gitmodules`, also by the short names that some systems give it.
fn is_gitmodules(path: &[u8]) -> bool {
    path.split(|byte| matches!(byte, b'/' | b'\\')).any(|name| {
        let name = plain(name);
        name == ".gitmodules" || name.starts_with("gitmod~") || name.starts_with("gi7eba~")
    })
}

/// True when git refuses a component of the path.
fn is_name_refused(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|name| {
        if name.is_empty() || name == b"." || name == b".." {
            return true;
        }
        name.split(|byte| *byte == b'\\').any(|part| matches!(&*plain(part), ".git" | "git~1"))
    })
}

/// A name as the least exact of file systems knows it: in lower case, without the characters that HFS+ ignores,
/// and without what NTFS leaves away at the end.
fn plain(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let text = text.chars().filter(|c| !is_ignored(*c)).collect::<String>().to_lowercase();
    text.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_owned()
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
