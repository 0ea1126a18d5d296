//! Indexes in our own folder, whole and with their times: an undo puts back what was there, byte for byte.
//!
//! It must not hand out one that is not what was kept.

use std::time::{Duration, SystemTime};

use super::error::RescueError;
use super::journal::KeptIndex;
use super::lock::WorktreeLock;
use super::repository::read_regular;
use super::sha1::Sha1;
use super::shadow::{RawIndex, write_index_to_disk};
use super::shared_index;

/// The most that an index that we keep can have.
const INDEX_CAP: u64 = 1 << 30;

/// Keeps an index in our own folder.
pub(super) fn keep(worktree: &WorktreeLock, raw: &RawIndex) -> Result<KeptIndex, RescueError> {
    let mut sum = Sha1::default();
    sum.update(&raw.bytes);
    let sum = sum.hex();
    write_index_to_disk(&worktree.folder.join(format!("index-{sum}")), raw)?;
    shared_index::keep(worktree, &raw.bytes)?;
    let since = raw.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(KeptIndex { sum, modified: (since.as_secs(), since.subsec_nanos()) })
}

/// An index that was kept, checked by its sum.
pub(super) fn kept(worktree: &WorktreeLock, kept: &KeptIndex) -> Result<RawIndex, RescueError> {
    let path = worktree.folder.join(format!("index-{}", kept.sum));
    let bytes = read_regular(&path, INDEX_CAP)?.unwrap_or_default();
    let mut sum = Sha1::default();
    sum.update(&bytes);
    if sum.hex() != kept.sum {
        return Err(RescueError::Damage("the index that was kept is not what it was".to_owned()));
    }
    let (seconds, nanos) = kept.modified;
    Ok(RawIndex { bytes, modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos) })
}
