//! Reads the file with a session's events: its end first, then whatever is appended.

use std::io;
use std::path::{Path, PathBuf};

use super::fold::HookFold;
use crate::agent::record::{Followed, open_record, read_range, take_lines};

/// How much of the end of the previous file is read, in bytes.
const BEFORE: u64 = 64 << 10;

/// An event file that is followed.
#[derive(Debug)]
pub(super) struct EventFile {
    path: PathBuf,
    followed: Followed<HookFold>,
}

impl EventFile {
    /// Opens and reads the file. Links, FIFOs and other special files are errors.
    pub(super) fn open(path: &Path) -> io::Result<EventFile> {
        let file = open_record(path)?;
        let mut followed: Followed<HookFold> = Followed::open(&file)?;
        if followed.begins_at == 0 && followed.reader.is_short() {
            // The file was started recently, so earlier events are in the rotated one.
            let mut whole = before(path).unwrap_or_default();
            let size = file.metadata()?.len();
            take_lines(&mut whole, &read_range(&file, 0, size)?);
            followed.reader = whole;
        }
        Ok(EventFile { path: path.to_owned(), followed })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes what was appended. If the file was replaced, reads it from scratch.
    pub(super) fn follow(&mut self) -> io::Result<()> {
        if !self.followed.follow(&open_record(&self.path)?)? {
            *self = EventFile::open(&self.path)?;
        }
        Ok(())
    }

    pub(super) fn fold(&self) -> &HookFold {
        &self.followed.reader
    }
}

/// The events at the end of the file that a hook rotated when it had grown too long (`store::hook_log`).
fn before(path: &Path) -> io::Result<HookFold> {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    let file = open_record(Path::new(&name))?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(BEFORE);
    let piece = read_range(&file, start, size)?;
    let first =
        if start == 0 { 0 } else { piece.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
    let mut fold = HookFold::default();
    take_lines(&mut fold, &piece[first..]);
    Ok(fold)
}
