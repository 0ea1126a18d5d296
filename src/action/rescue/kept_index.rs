//! Indexes in our own folder, whole and with their times: an undo puts back what was there, byte for byte.
//!
//! It must not hand out one that is not what was kept.

use std::time::{Duration, SystemTime};

use super::error::RescueError;
use super::journal::KeptIndex;
use super::lock::WorktreeLock;
use super::{shared_index, whole_file};
use crate::disk::write;
use crate::git::{RawIndex, Sha1};

/// The most that an index that we keep can have.
const INDEX_CAP: u64 = 1 << 30;

/// Keeps an index in our own folder: written once, whole or not at all.
pub(super) fn keep(worktree: &WorktreeLock, raw: &RawIndex) -> Result<KeptIndex, RescueError> {
    let sum = Sha1::of(&raw.bytes);
    let path = worktree.folder.join(format!("index-{sum}"));
    let since = raw.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let index = KeptIndex { sum, modified: (since.as_secs(), since.subsec_nanos()) };
    // An earlier undo may need it: one that is there whole is not touched.
    if kept(worktree, &index).is_err() {
        write::replace(&path, &raw.bytes).map_err(RescueError::io("write", &path))?;
    }
    shared_index::keep(worktree, &raw.bytes)?;
    Ok(index)
}

/// An index that was kept, checked by its sum.
pub(super) fn kept(worktree: &WorktreeLock, kept: &KeptIndex) -> Result<RawIndex, RescueError> {
    let path = worktree.folder.join(format!("index-{}", kept.sum));
    let bytes = whole_file::read(&path, INDEX_CAP)?.unwrap_or_default();
    if Sha1::of(&bytes) != kept.sum {
        return Err(RescueError::Damage("the index that was kept is not what it was".to_owned()));
    }
    let (seconds, nanos) = kept.modified;
    Ok(RawIndex { bytes, modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos) })
}
