//! The files that agents write, which may be hostile: how they are opened, and what is said of one that cannot be
//! read. It knows nothing of what a file means.

use std::io;
use std::path::Path;

use crate::disk;
use crate::model::Unreadable;

pub(super) use crate::disk::{millis as modified_at, open as open_record};

/// The whole of a file of at most `longest` bytes.
pub(super) fn read_small(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    disk::read(path, longest)?.ok_or(io::ErrorKind::NotFound.into())
}

/// What is said of a file or folder that is there and cannot be read.
pub(super) fn unreadable(path: &Path, what: &str, error: &io::Error) -> Unreadable {
    let detail = format!("{what} cannot be read: {error}");
    Unreadable { name: path.display().to_string(), problem: disk::file_problem(error), detail }
}
