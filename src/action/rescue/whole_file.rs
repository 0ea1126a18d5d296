//! Reads whole files in folders that are trusted: closeout's own, and places whose links were resolved before. Files
//! of a git directory are read by room `git`, which follows no link below it.

use std::path::Path;

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
