//! The write-ahead log and its index, as far as they tell that a commit is on its way
//! (<https://www.sqlite.org/walformat.html>).
//!
//! A commit is first written to the log, which file events tell, and a moment later to the index, which
//! they do not tell: there it becomes visible. Who reads in between would see the state before it, and
//! not be woken again. Nothing here locks or writes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::disk::open;

/// The header of the index stands twice at its begin; each is so many bytes.
const INDEX_HEADER: usize = 48;
/// The header of the log, and of each frame in it, in bytes.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// So many frames after the last visible one are looked at.
const MOST_FRAMES: u64 = 4096;

/// The header of the index: it is another one after each commit. In the machine's order of bytes.
pub(super) type IndexHeader = [u8; INDEX_HEADER];

/// The header of the index; `None` if it is being written, or there is none.
pub(super) fn index_header(index: &Path) -> Option<IndexHeader> {
    let file = open(index).ok()?;
    let mut headers = [0; 2 * INDEX_HEADER];
    file.read_exact_at(&mut headers, 0).ok()?;
    let (one, other) = headers.split_at(INDEX_HEADER);
    if one == other { one.try_into().ok() } else { None }
}

/// Whether the log holds a commit that is not visible by this index yet.
pub(super) fn has_unseen_commit(log: &Path, index: &IndexHeader) -> bool {
    unseen_commit(log, index).unwrap_or(false)
}

fn unseen_commit(log: &Path, index: &IndexHeader) -> io::Result<bool> {
    let file = open(log)?;
    let header: [u8; LOG_HEADER] = bytes(&file, 0)?;
    let page = u64::from(number(&header, 8));
    let salt = &header[16..24];
    // Another generation of the log: nobody uses this index.
    if salt != &index[32..40] || !(512..=65_536).contains(&page) {
        return Ok(false);
    }
    let visible = u64::from(u32::from_ne_bytes([index[16], index[17], index[18], index[19]]));
    for frame in visible..visible + MOST_FRAMES {
        let at = LOG_HEADER as u64 + frame * (FRAME_HEADER as u64 + page);
        let Ok(header) = bytes::<FRAME_HEADER>(&file, at) else { break };
        if &header[8..16] != salt {
            break;
        }
        // The size of the database after the commit; 0 in a frame that does not end one.
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
