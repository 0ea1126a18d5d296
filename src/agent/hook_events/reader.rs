//! Reading the file of a session's events: its end first, then what was appended.

use std::io;
use std::path::{Path, PathBuf};

use super::fold::HookFold;
use crate::agent::record::{Followed, open_record, read_range, take_lines};

/// How much of the end of the file before this one is read, in bytes.
const BEFORE: u64 = 64 << 10;

/// A file of events that is followed.
#[derive(Debug)]
pub(super) struct EventFile {
    path: PathBuf,
    followed: Followed<HookFold>,
}

impl EventFile {
    /// Opens and reads it. A link, a FIFO and the like are errors.
    pub(super) fn open(path: &Path) -> io::Result<EventFile> {
        let file = open_record(path)?;
        let mut followed: Followed<HookFold> = Followed::open(&file)?;
        if followed.begins_at == 0 && followed.reader.is_short() {
            // It was begun a short time ago: what went before is in the file that was set aside.
            let mut whole = before(path).unwrap_or_default();
            let size = file.metadata()?.len();
            take_lines(&mut whole, &read_range(&file, 0, size)?);
            followed.reader = whole;
        }
        Ok(EventFile { path: path.to_owned(), followed })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes what was appended; reads it anew if it is another file by now.
    pub(super) fn follow(&mut self) -> io::Result<()> {
        if !self.followed.follow(&open_record(&self.path)?)? {
            *self = EventFile::open(&self.path)?;
        }
        Ok(())
    }

    /// What the events tell.
    pub(super) fn fold(&self) -> &HookFold {
        &self.followed.reader
    }
}

/// What the end of the file tells that a hook set aside when it had grown (`store::hook_log`).
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
