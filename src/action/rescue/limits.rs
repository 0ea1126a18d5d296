//! What a record may take without a question, and what it may never take.

use std::path::Path;

use super::AskAbove;
use super::error::RescueError;
use super::lock::WorktreeLock;
use super::survey::Expected;
use crate::model::{KeepIn, RecordCost, RecordOrder};

/// Whether a record of what is expected may be made.
///
/// # Errors
/// [`RescueError::NoRoom`] when it would take more than half of what is free, [`RescueError::Ask`] when it is
/// large and no person has said yes.
pub(super) fn check(
    worktree: &WorktreeLock,
    order: RecordOrder,
    ask_above: AskAbove,
    expected: &Expected,
) -> Result<(), RescueError> {
    // What is read lies in our own folder for a while, and beside it the pack that is made of it.
    let own = expected.bytes.saturating_add(expected.new_bytes);
    let mut places = vec![(worktree.folder.as_path(), own)];
    if order.keep_in != KeepIn::Vault {
        places.push((worktree.repo.common_dir.as_path(), expected.new_bytes));
    }
    let mut n_free_bytes = u64::MAX;
    for (place, needed) in places {
        let free = free_bytes(place)?;
        n_free_bytes = n_free_bytes.min(free);
        if needed > free / 2 {
            let cost = RecordCost { n_files: expected.new_files, n_bytes: needed, n_free_bytes: free };
            return Err(RescueError::NoRoom(cost));
        }
    }
    let cost = RecordCost { n_files: expected.new_files, n_bytes: expected.new_bytes, n_free_bytes };
    let is_large = cost.n_bytes > ask_above.n_bytes || cost.n_files > ask_above.n_files;
    if is_large && !order.is_size_allowed {
        return Err(RescueError::Ask(cost));
    }
    Ok(())
}

/// The bytes that this user can still write below `place`.
fn free_bytes(place: &Path) -> Result<u64, RescueError> {
    let stat = rustix::fs::statvfs(place)
        .map_err(|errno| RescueError::io("look at the space of", place)(errno.into()))?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}
