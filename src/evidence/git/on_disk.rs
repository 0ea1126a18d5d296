//! How changed files stand on the disk: when they were written, and how large they are. Reads no content.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::git::Repository;
use crate::model::{OnDisk, Timestamp};

/// So many entries of an untracked folder are looked at; of a larger one nothing is known.
const MOST_ENTRIES: usize = 2_000;

/// The file or folder at `path`, from the top; `None` where it is gone, or too much to look at.
pub(super) fn look(repository: &Repository, path: &[u8]) -> Option<OnDisk> {
    let mut open: Vec<PathBuf> = vec![repository.top.join(OsStr::from_bytes(path))];
    let mut newest = None;
    let mut n_seen = 0;
    while let Some(path) = open.pop() {
        n_seen += 1;
        let metadata = path.symlink_metadata().ok().filter(|_| n_seen <= MOST_ENTRIES)?;
        if metadata.is_dir() {
            // Of a submodule, its own moves too: a commit there writes no file here.
            if let Ok(text) = std::fs::read_to_string(path.join(".git")) {
                let git_dir = text.strip_prefix("gitdir: ").map(|git_dir| path.join(git_dir.trim_end()));
                let moved = git_dir.and_then(|git_dir| git_dir.join("logs/HEAD").symlink_metadata().ok());
                newest = newest.max(moved.as_ref().map(of));
            }
            for entry in std::fs::read_dir(&path).ok()? {
                open.push(entry.ok()?.path());
            }
        } else {
            newest = newest.max(Some(of(&metadata)));
        }
    }
    newest
}

/// What the system tells of a file.
pub(super) fn of(metadata: &Metadata) -> OnDisk {
    let millis =
        |seconds: i64, nanos: i64| Timestamp(seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000));
    OnDisk {
        modified_at: millis(metadata.mtime(), metadata.mtime_nsec()),
        changed_at: millis(metadata.ctime(), metadata.ctime_nsec()),
        size: metadata.len(),
    }
}
