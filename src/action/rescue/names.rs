//! What can be said of a path alone: whether git refuses it, and how it is written in plain text.

pub(super) use crate::model::hex::{hex, unhex};

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
