//! Reads when changed files were written and how large they are. Reads no content.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::disk;
use crate::git::Repository;
use crate::model::{OnDisk, Timestamp};

/// An untracked folder with more entries is not examined.
const MAX_ENTRIES: usize = 2_000;
/// The longest file `.git`, in bytes.
const LONGEST_NAME: u64 = 8 << 10;

/// The state on disk of the file or folder at `path` (from the top); `None` if it is gone or too large to
/// examine.
pub(super) fn look(repository: &Repository, path: &[u8]) -> Option<OnDisk> {
    let mut open: Vec<PathBuf> = vec![repository.top.join(OsStr::from_bytes(path))];
    let mut newest = None;
    let mut n_seen = 0;
    while let Some(path) = open.pop() {
        n_seen += 1;
        let metadata = path.symlink_metadata().ok().filter(|_| n_seen <= MAX_ENTRIES)?;
        if metadata.is_dir() {
            // A submodule's git directory counts too: a commit there writes no file here.
            if let Ok(Some(text)) = disk::read_linked(&path.join(".git"), LONGEST_NAME) {
                let text = String::from_utf8_lossy(&text);
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

pub(super) fn of(metadata: &Metadata) -> OnDisk {
    let millis =
        |seconds: i64, nanos: i64| Timestamp(seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000));
    OnDisk {
        modified_at: millis(metadata.mtime(), metadata.mtime_nsec()),
        changed_at: millis(metadata.ctime(), metadata.ctime_nsec()),
        size: metadata.len(),
    }
}
