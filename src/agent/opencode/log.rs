//! The write-ahead log and its index, read only to tell whether a commit is in progress
//! (<https://www.sqlite.org/walformat.html>).
//!
//! A commit is written to the log first, which triggers a file event, and a moment later to the index,
//! which does not trigger one but makes the commit visible. A reader in between sees the previous state and
//! is not woken again. Nothing here locks or writes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::disk::open;

/// The index starts with two copies of its header; the size of one in bytes.
const INDEX_HEADER: usize = 48;
/// The size of the log's header, and of each frame's, in bytes.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// How many frames after the last visible one are examined.
const MAX_FRAMES: u64 = 4096;

/// The index's header, which differs after each commit. Numbers are in native byte order.
pub(super) type IndexHeader = [u8; INDEX_HEADER];

/// The header of the index; `None` if it is just being written, or there is no index.
pub(super) fn index_header(index: &Path) -> Option<IndexHeader> {
    let file = open(index).ok()?;
    let mut headers = [0; 2 * INDEX_HEADER];
    file.read_exact_at(&mut headers, 0).ok()?;
    let (one, other) = headers.split_at(INDEX_HEADER);
    if one == other { one.try_into().ok() } else { None }
}

/// Whether the log holds a commit that is not visible through this index yet.
pub(super) fn has_unseen_commit(log: &Path, index: &IndexHeader) -> bool {
    unseen_commit(log, index).unwrap_or(false)
}

fn unseen_commit(log: &Path, index: &IndexHeader) -> io::Result<bool> {
    let file = open(log)?;
    let header: [u8; LOG_HEADER] = bytes(&file, 0)?;
    let page = u64::from(number(&header, 8));
    let salt = &header[16..24];
    // The log has been restarted: this index belongs to an earlier generation.
    if salt != &index[32..40] || !(512..=65_536).contains(&page) {
        return Ok(false);
    }
    let visible = u64::from(u32::from_ne_bytes([index[16], index[17], index[18], index[19]]));
    for frame in visible..visible + MAX_FRAMES {
        let at = LOG_HEADER as u64 + frame * (FRAME_HEADER as u64 + page);
        let Ok(header) = bytes::<FRAME_HEADER>(&file, at) else { break };
        if &header[8..16] != salt {
            break;
        }
        // The size of the database after a commit, in pages; 0 in a frame that does not end one.
        if number(&header, 4) != 0 {
            return Ok(file.metadata()?.len() >= at + FRAME_HEADER as u64 + page);
        }
    }
    Ok(false)
}

fn bytes<const N: usize>(file: &File, at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn number(header: &[u8], at: usize) -> u32 {
    header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
}
