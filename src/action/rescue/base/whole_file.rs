//! Reads whole files and folders in trusted folders: closeout's own, and places whose links were already resolved. It must
//! not follow a link at the path itself. What may be reached through a link inside a git directory is read by
//! room `git` instead.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::RescueError;
use crate::disk;

/// The limit for a small file of closeout's own, in bytes.
const SMALL: u64 = 64 << 10;

/// The content of a small regular file that is not a link; `None` if there is none.
pub(crate) fn read_small(path: &Path) -> Result<Option<Vec<u8>>, RescueError> {
    read(path, SMALL)
}

/// The content of a regular file of at most `cap` bytes that is not a link; `None` if there is none.
pub(crate) fn read(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, RescueError> {
    disk::read(path, cap).map_err(RescueError::io("read", path))
}

/// All entries of a folder: a list that breaks off is an error, never a shorter list.
pub(crate) fn entries(folder: &Path) -> Result<Vec<DirEntry>, RescueError> {
    let listed = fs::read_dir(folder).and_then(Iterator::collect);
    listed.map_err(RescueError::io("list", folder))
}

/// The folders in a folder; links are left out.
pub(crate) fn folders(folder: &Path) -> Result<Vec<DirEntry>, RescueError> {
    let mut entries = entries(folder)?;
    entries.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(entries)
}

/// Files with identity and content as they were read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Files(BTreeMap<PathBuf, (FileId, Vec<u8>)>);

/// Device, inode, and ctime in seconds and nanoseconds.
pub(crate) type FileId = (u64, u64, i64, i64);

impl Files {
    /// Adds a file with its identity from before it was read, and the content that was read.
    pub(crate) fn add(&mut self, path: &Path, id: Option<FileId>, content: &[u8]) {
        self.0.insert(path.to_owned(), (id.unwrap_or_default(), content.to_vec()));
    }

    pub(crate) fn content(&self, path: &Path) -> Option<&[u8]> {
        self.0.get(path).map(|(_, content)| &content[..])
    }

    /// Every file with its content.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.0.iter().map(|(path, (_, content))| (path.as_path(), &content[..]))
    }

    /// A file whose identity differs from the one before it was read, if there is one.
    pub(crate) fn changed(&self) -> Option<&Path> {
        self.0.iter().find(|(path, (id, _))| file_id(path) != Some(*id)).map(|(path, _)| path.as_path())
    }
}

/// The identity of the file that is currently at a path.
pub(crate) fn file_id(path: &Path) -> Option<FileId> {
    path.metadata().ok().map(|it| (it.dev(), it.ino(), it.ctime(), it.ctime_nsec()))
}
