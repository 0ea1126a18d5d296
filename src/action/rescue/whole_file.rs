//! Reads whole files in folders that are trusted: closeout's own, and places whose links were resolved before. Files
//! of a git directory are read by room `git`, which follows no link below it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::error::RescueError;
use crate::disk;

/// The most that is read of a small file of closeout's own.
const SMALL: u64 = 64 << 10;

/// The content of a small regular file, which is no link; `None` when there is none.
pub(super) fn read_small(path: &Path) -> Result<Option<Vec<u8>>, RescueError> {
    read(path, SMALL)
}

/// The content of a regular file of at most `cap` bytes, which is no link; `None` when there is none.
pub(super) fn read(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, RescueError> {
    disk::read(path, cap).map_err(RescueError::io("read", path))
}

/// Files as they were read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Files(BTreeMap<PathBuf, (FileId, Vec<u8>)>);

/// Device, inode and time of the last change of any kind.
pub(super) type FileId = (u64, u64, i64, i64);

impl Files {
    /// Adds a file: as it was before it was read, and what was read.
    pub(super) fn add(&mut self, path: &Path, id: Option<FileId>, content: &[u8]) {
        self.0.insert(path.to_owned(), (id.unwrap_or_default(), content.to_vec()));
    }

    /// The content of a file as it was read.
    pub(super) fn content(&self, path: &Path) -> Option<&[u8]> {
        self.0.get(path).map(|(_, content)| &content[..])
    }

    /// A file that is not the same any more, or was another in between.
    pub(super) fn changed(&self) -> Option<&Path> {
        self.0.iter().find(|(path, (id, _))| file_id(path) != Some(*id)).map(|(path, _)| path.as_path())
    }
}

/// The file that is at a path now.
pub(super) fn file_id(path: &Path) -> Option<FileId> {
    path.metadata().ok().map(|it| (it.dev(), it.ino(), it.ctime(), it.ctime_nsec()))
}
