//! An index that was read and can be recognised again without reading it: nothing is read under git's lock.
//!
//! It must be kept until that comparison: while the file is open, no other file can get its inode.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::Stamp;
use crate::disk;
use crate::git::{self, INDEX_CAP, RawIndex, Repository, Shadow};

/// The longest index that is read although it cannot be whole, in bytes.
const BROKEN_CAP: u64 = 16 << 20;
/// The length of the header: signature, version, number of entries (`gitformat-index`).
const HEADER: u64 = 12;
/// The fewest bytes that an entry takes, without its path.
const ENTRY: u64 = 62;

/// An index as it was read, or the fact that there was none.
pub(crate) struct SeenIndex {
    /// Its bytes and modification time.
    pub(crate) raw: Option<RawIndex>,
    current: Option<(File, Stamp)>,
}

impl SeenIndex {
    /// Reads the index at `path`, in a trusted folder. Bytes and modification time belong to the same file.
    pub(crate) fn read(path: &Path) -> Result<SeenIndex, RescueError> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let name = path.file_name().unwrap_or_default();
        for _ in 0..10 {
            let Some(file) = git::open(folder, name)? else {
                return Ok(SeenIndex { raw: None, current: None });
            };
            let before = stamp(&file, path)?;
            let metadata = file.metadata().map_err(RescueError::io("look at", path))?;
            let bytes = content(&file, metadata.len()).map_err(RescueError::io("read", path))?;
            let modified = metadata.modified().map_err(RescueError::io("look at", path))?;
            let current =
                SeenIndex { raw: Some(RawIndex { bytes, modified }), current: Some((file, before)) };
            // Git and closeout both replace the whole file, so the same file still has the same content.
            if current.is_still_at(path)? {
                return Ok(current);
            }
        }
        Err(RescueError::Busy("the index changes all the time".to_owned()))
    }

    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.raw.as_ref().map(|raw| &raw.bytes[..])
    }

    /// Whether `path` is still the same unmodified file, or still absent.
    pub(crate) fn is_still_at(&self, path: &Path) -> Result<bool, RescueError> {
        match (rustix::fs::lstat(path), &self.current) {
            (Ok(stat), Some((_, stamp))) => Ok(Stamp::of(&stat) == *stamp),
            (Ok(_), None) => Ok(false),
            (Err(Errno::NOENT), current) => Ok(current.is_none()),
            (Err(errno), _) => Err(RescueError::io("look at", path)(errno.into())),
        }
    }
}

/// Creates a shadow of the repository in the new folder `work`, with a copy of its current index. An index behind a
/// link counts as missing: a record is made without it, and nothing else is done then.
pub(crate) fn shadow(repo: &Repository, work: &Path) -> Result<Shadow, RescueError> {
    let index = repo.index();
    let raw = if index.is_symlink() { None } else { SeenIndex::read(&index)?.raw };
    Ok(Shadow::with_copies(repo, work, raw)?)
}

fn stamp(file: &File, path: &Path) -> Result<Stamp, RescueError> {
    let stat = rustix::fs::fstat(file).map_err(|errno| RescueError::io("look at", path)(errno.into()))?;
    Ok(Stamp::of(&stat))
}

/// The content of an index of this length. Of a long one that no git can read only the header, which no git can read
/// either.
fn content(file: &File, length: u64) -> io::Result<Vec<u8>> {
    if length > BROKEN_CAP {
        let header = disk::read_sized(file, length, HEADER)?;
        let n_entries = header.get(8..12).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
        let is_whole = header.starts_with(b"DIRC")
            && n_entries.is_some_and(|n_entries| u64::from(n_entries) * ENTRY <= length);
        if length > INDEX_CAP || !is_whole {
            return Ok(header);
        }
    }
    disk::read_start(file, INDEX_CAP)
}
