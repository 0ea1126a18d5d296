//! What a path alone reveals: whether git refuses it, and how it is written as plain text. Pure.

pub(crate) use crate::model::hex::{hex, unhex};

/// Whether git refuses this path: because of a component (`verify_path` in git, checked for every system), or
/// because it is a link (`mode` in git's octal digits) named `.gitmodules`.
pub(crate) fn is_refused(path: &[u8], mode: &str) -> bool {
    is_name_refused(path) || (mode == "120000" && is_gitmodules(path))
}

/// Whether a component is `.gitmodules`, also by the NTFS short names of it.
fn is_gitmodules(path: &[u8]) -> bool {
    path.split(|byte| matches!(byte, b'/' | b'\\')).any(|name| {
        let name = plain(name);
        name == ".gitmodules" || name.starts_with("gitmod~") || name.starts_with("gi7eba~")
    })
}

fn is_name_refused(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|name| {
        if name.is_empty() || name == b"." || name == b".." {
            return true;
        }
        name.split(|byte| *byte == b'\\').any(|part| matches!(&*plain(part), ".git" | "git~1"))
    })
}

/// A name as the least exact file system sees it: lower case, without the characters that HFS+ ignores and the
/// endings that NTFS drops.
fn plain(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let text = text.chars().filter(|c| !is_ignored(*c)).collect::<String>().to_lowercase();
    text.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_owned()
}

fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}
