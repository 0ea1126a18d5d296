//! The files that a move prepares beside the index. They prove which locks are ours, even after a crash.
//!
//! It must not remove someone else's lock.

use std::path::{Path, PathBuf};

use crate::action::rescue::RescueStep;
use crate::action::rescue::base::{JournalEntry, Move, RescueError, git_files};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::branch::{self, inode};

/// The new index, beside the old one.
pub(crate) fn prepared(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}"))
}

/// The same file after everything but the index was checked: only then can we have moved the branch.
pub(crate) fn checked(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-checked"))
}

/// The file to which the locks on HEAD and the branch are hard links.
pub(crate) fn for_branch(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-branch"))
}

/// Removes the prepared files.
pub(crate) fn forget_prepared(worktree: &WorktreeLock, moving: &Move) {
    for path in
        [prepared(worktree, &moving.id), checked(worktree, &moving.id), for_branch(worktree, &moving.id)]
    {
        // What remains is removed by the next recovery.
        let _ = git_files::remove(&worktree.repo, &path);
    }
}

/// Marks a move as complete. The prepared files stay until that is in the journal: while they exist, no other
/// file can have their inode, so a lock with that inode is ours.
pub(crate) fn done(worktree: &WorktreeLock, moving: &Move) -> Result<(), RescueError> {
    worktree.repo.check_writes(&[moving.branch.as_str()])?;
    release_branch(worktree, moving)?;
    worktree.sync()?;
    worktree.journal.append(&JournalEntry::Moved { id: moving.id.clone() })?;
    forget_prepared(worktree, moving);
    worktree.rescuer.reached(RescueStep::MoveDone);
    Ok(())
}

/// Rolls back a move that has moved nothing. Removes only locks that are ours.
pub(crate) fn roll_back(worktree: &WorktreeLock, moving: &Move) -> Result<(), RescueError> {
    // Our locks may be behind a link that came meanwhile; a recovery without it finds them by these files.
    worktree.repo.check_writes(&[moving.branch.as_str()])?;
    release_branch(worktree, moving)?;
    let lock = worktree.repo.index_lock();
    if is_ours(worktree, moving, &lock) {
        git_files::remove(&worktree.repo, &lock).map_err(RescueError::io("remove", &lock))?;
    }
    forget_prepared(worktree, moving);
    worktree.journal.append(&JournalEntry::RolledBack { id: moving.id.clone() })
}

/// Whether `path` is the index that this move prepared, proved by a prepared name that still exists.
pub(crate) fn is_ours(worktree: &WorktreeLock, moving: &Move, path: &Path) -> bool {
    let is_held = [prepared(worktree, &moving.id), checked(worktree, &moving.id)]
        .iter()
        .any(|path| inode(path) == Some(moving.inode));
    is_held && inode(path) == Some(moving.inode)
}

/// The same for the locks on HEAD and the branch: their device and inode, if they are ours.
pub(crate) fn branch_inode(worktree: &WorktreeLock, moving: &Move) -> Option<(u64, u64)> {
    moving.branch_inode.filter(|ours| inode(&for_branch(worktree, &moving.id)) == Some(*ours))
}

/// Removes our locks on HEAD and the branch.
pub(crate) fn release_branch(worktree: &WorktreeLock, moving: &Move) -> Result<(), RescueError> {
    branch::release(&worktree.repo, moving.branch.as_str(), branch_inode(worktree, moving))
}
