//! Whether an index is whole. The git program does not check the sum at its end, so that it takes
//! the rest of a file that was cut off for entries, or for none.

use super::layout::{Layout, read_regular};
use super::trouble::{Read, trouble};
use crate::model::ReadProblem;

/// A larger index is not checked; it is left to git.
const CAP: u64 = 256 << 20;

/// Refuses an index whose parts do not fill it exactly. A missing or empty one is fine.
pub(super) fn check(layout: &Layout) -> Read<()> {
    let path = layout.git_dir.join("index");
    let Some(content) = read_regular(&path, CAP + 1)? else { return Ok(()) };
    let is_checked = content.len() as u64 <= CAP;
    if content.is_empty() || !is_checked || is_whole(&content, if layout.is_sha256 { 32 } else { 20 }) {
        return Ok(());
    }
    Err(trouble(ReadProblem::Invalid, "the index is damaged; `rm .git/index && git reset` makes it again"))
}

/// Follows header, entries and extensions to the checksum (`gitformat-index`).
fn is_whole(content: &[u8], n_id: usize) -> bool {
    let number =
        |at: usize| content.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let (Some(version), Some(n_entries)) = (number(4), number(8)) else { return false };
    if !content.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return false;
    }
    let mut at = 12;
    for _ in 0..n_entries {
        match entry_end(content, at, version, n_id) {
            Some(end) => at = end,
            None => return false,
        }
    }
    let end = content.len().saturating_sub(n_id);
    while at < end {
        let Some(length) = number(at + 4).and_then(|length| usize::try_from(length).ok()) else {
            return false;
        };
        at = at.saturating_add(8).saturating_add(length);
    }
    at == end
}

/// Where the entry at `at` ends; `None` when it does not.
fn entry_end(content: &[u8], at: usize, version: u32, n_id: usize) -> Option<usize> {
    let flags_at = at + 40 + n_id;
    let flags = content.get(flags_at..flags_at + 2)?;
    let is_extended = version >= 3 && flags[0] & 0x40 != 0;
    let mut name_at = flags_at + if is_extended { 4 } else { 2 };
    if version == 4 {
        // The name follows how much of the one before falls away.
        while content.get(name_at)? & 0x80 != 0 {
            name_at += 1;
        }
        name_at += 1;
        return Some(name_at + content.get(name_at..)?.iter().position(|byte| *byte == 0)? + 1);
    }
    let announced = usize::from(u16::from_be_bytes([flags[0] & 0x0F, flags[1]]));
    let length = if announced == 0xFFF {
        content.get(name_at..)?.iter().position(|byte| *byte == 0)?
    } else {
        announced
    };
    // Entries of a split index can stand for others by position and have no name.
    // One to eight NULs fill the entry up to a multiple of eight.
    let end = at + (name_at - at + length + 8) / 8 * 8;
    (*content.get(name_at + length)? == 0 && end <= content.len()).then_some(end)
}
