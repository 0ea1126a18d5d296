//! What a move prepares beside the index, and by which the locks that it takes are known to be ours, also after a crash.
//!
//! It must not remove a lock that is another's.

use std::fs;
use std::path::{Path, PathBuf};

use super::Rescuer;
use super::branch::{self, inode};
use super::error::RescueError;
use super::journal::{JournalEntry, Move};
use super::lock::WorktreeLock;
use super::step::Stage;

/// The new index beside the old one.
pub(super) fn prepared(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}"))
}

/// The same file once everything but the index was checked: only then may the branch have moved by us.
pub(super) fn checked(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-checked"))
}

/// What the locks on HEAD and the branch are linked from.
pub(super) fn for_branch(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-branch"))
}

/// Removes what was prepared.
pub(super) fn forget_prepared(worktree: &WorktreeLock, plan: &Move) {
    for path in [prepared(worktree, &plan.id), checked(worktree, &plan.id), for_branch(worktree, &plan.id)] {
        // What stays is removed by the next recovery.
        let _ = fs::remove_file(path);
    }
}

/// Says that a move is made. What was prepared stays until that is said: as long as it is there, its
/// number is no other file's, and a lock with that number is ours.
pub(super) fn done(rescuer: &Rescuer, worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    release_branch(worktree, plan)?;
    worktree.sync(rescuer)?;
    worktree.journal.append(&JournalEntry::Moved { id: plan.id.clone() })?;
    forget_prepared(worktree, plan);
    rescuer.reached(Stage::MoveDone);
    Ok(())
}

/// Takes a move back that moved nothing. Locks are removed only when they are ours.
pub(super) fn roll_back(worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    release_branch(worktree, plan)?;
    let lock = worktree.repo.index_lock();
    if is_ours(worktree, plan, &lock) {
        fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
    }
    forget_prepared(worktree, plan);
    worktree.journal.append(&JournalEntry::RolledBack { id: plan.id.clone() })
}

/// True when `path` is the index that this move prepared, which is still known by a name of ours.
pub(super) fn is_ours(worktree: &WorktreeLock, plan: &Move, path: &Path) -> bool {
    let is_held = [prepared(worktree, &plan.id), checked(worktree, &plan.id)]
        .iter()
        .any(|path| inode(path) == Some(plan.inode));
    is_held && inode(path) == Some(plan.inode)
}

/// The same for the locks on HEAD and the branch: the number that they have if they are ours.
pub(super) fn branch_inode(worktree: &WorktreeLock, plan: &Move) -> Option<(u64, u64)> {
    plan.branch_inode.filter(|ours| inode(&for_branch(worktree, &plan.id)) == Some(*ours))
}

/// Removes the locks on HEAD and the branch that are ours.
pub(super) fn release_branch(worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    branch::release(&worktree.repo, &plan.branch, branch_inode(worktree, plan))
}
