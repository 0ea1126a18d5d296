//! Whether there is room for a record, and whether a person is to be asked first. It must not read a content.

use std::path::Path;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::survey::Expected;
use crate::model::{KeepIn, RecordCost, RecordOrder};

/// Checks whether a record of the expected size may be made. No content is read for it: the sizes come from the listing.
///
/// # Errors
/// [`RescueError::NoRoom`] if it would take more than half of the free space, [`RescueError::Ask`] if it is
/// large and no person has allowed that.
pub(super) fn check(
    worktree: &WorktreeLock,
    order: RecordOrder,
    expected: &Expected,
) -> Result<(), RescueError> {
    // The spooled contents and the pack made from them lie side by side in our own folder for a while.
    let own = expected.bytes.saturating_add(expected.new_bytes);
    let mut places = vec![(worktree.folder.as_path(), own)];
    if order.keep_in != KeepIn::Vault {
        places.push((worktree.repo.common_dir.as_path(), expected.new_bytes));
    }
    let mut n_free_bytes = u64::MAX;
    for (place, needed) in places {
        let written = if place == worktree.folder { expected.written } else { 0 };
        let free = free_bytes(place)?.saturating_add(written);
        n_free_bytes = n_free_bytes.min(free);
        if needed > free / 2 {
            let cost = RecordCost { n_files: expected.new_files, n_bytes: needed, n_free_bytes: free };
            return Err(RescueError::NoRoom { cost, largest: expected.largest.clone() });
        }
    }
    let cost = RecordCost { n_files: expected.new_files, n_bytes: expected.new_bytes, n_free_bytes };
    let ask_above = worktree.rescuer.ask_above;
    let is_large = cost.n_bytes > ask_above.n_bytes || cost.n_files > ask_above.n_files;
    if is_large && !order.is_size_allowed {
        return Err(RescueError::Ask(cost));
    }
    Ok(())
}

/// The bytes that this user can still write on the file system of `place`.
fn free_bytes(place: &Path) -> Result<u64, RescueError> {
    let stat = rustix::fs::statvfs(place)
        .map_err(|errno| RescueError::io("look at the space of", place)(errno.into()))?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}
