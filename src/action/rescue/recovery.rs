//! Brings a move to its end that a crash has cut: all of it, or nothing.
//!
//! It must not remove a lock that is another's, and must not put an index in the place of one that somebody has
//! written since.

use std::fs;

use super::branch::{branch_at, inode};
use super::error::RescueError;
use super::journal::{self, JournalEntry, Move, Saved};
use super::lock::WorktreeLock;
use super::packs::{self, Needed};
use super::prepared::{branch_inode, checked, done, is_ours, prepared, roll_back};
use super::ref_transaction::{busy, finish};
use super::{Rescuer, branch, listing, new_branch, references, seen_index};
use crate::git::{Git, index_entries};

/// Brings a move to its end that a crash has cut: all of it, or nothing.
pub(super) fn recover(rescuer: &Rescuer, worktree: &WorktreeLock) -> Result<(), RescueError> {
    let read = worktree.journal.read()?;
    let (actions, n_unread) = (&read.entries, read.n_unread());
    if let Some((plan, false)) = journal::last_move(actions) {
        let git = worktree.git(rescuer).to_the_end();
        let at = branch_at(&git, &plan.branch)?;
        if plan.is_branch_only {
            return new_branch::recover(rescuer, worktree, &git, plan, at.as_ref());
        }
        let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
        let is_checked = inode(&checked(worktree, &plan.id)) == Some(plan.inode);
        let is_lock_ours = is_ours(worktree, plan, &lock);
        let is_index_moved = match plan.index_after {
            Some(_) => is_ours(worktree, plan, &index),
            None => at == plan.to && is_checked && inode(&index).is_none() && !is_lock_ours,
        };
        if at == plan.to && plan.branch_inode.is_some() && (is_checked || is_index_moved) {
            // The branch was moved by us, and the line in the log comes after it.
            branch::log_again(&git, plan);
        }
        if is_index_moved {
            done(rescuer, worktree, plan)?;
        } else if is_lock_ours && at == plan.to && is_checked {
            if is_moved_by_us(worktree, plan) {
                finish(rescuer, worktree, plan, None)?;
            } else {
                take_up(rescuer, worktree, &git, plan, true)?;
            }
        } else if n_unread > 0 && at == plan.to && inode(&prepared(worktree, &plan.id)).is_none() {
            // The line that said that it is done cannot be read: what was prepared goes only after it.
            done(rescuer, worktree, plan)?;
        } else if is_lock_ours || at == plan.from || !is_checked {
            // Without the mark nothing was locked, wherever somebody has moved the branch since.
            roll_back(worktree, plan)?;
        } else if at == plan.to && inode(&lock).is_none() && is_checked {
            take_up(rescuer, worktree, &git, plan, false)?;
        } else if inode(&lock).is_some() {
            return Err(busy(worktree));
        } else {
            roll_back(worktree, plan)?;
        }
    }
    if let Some(pending) = worktree.journal.pending()? {
        let names = references::names_of(&pending.reference);
        if !names.iter().any(|name| journal::is_known(actions, name)) {
            adopt(&worktree.git(rescuer).to_the_end(), worktree, &pending)?;
        }
        worktree.journal.clear_pending();
    }
    if n_unread > 0 {
        // A line that cannot be read may be about such a file.
        return Ok(());
    }
    remove_prepared(worktree)?;
    branch::release_hidden(worktree);
    packs::release_left_packs(worktree);
    Ok(())
}

/// Takes a record for saved of which only the line in the journal is missing: its reference is where it was said
/// that it would be, and everything is there.
fn adopt(git: &Git<'_>, worktree: &WorktreeLock, pending: &Saved) -> Result<(), RescueError> {
    let head: Vec<&str> = pending.head.as_deref().into_iter().collect();
    for reference in references::names_of(&pending.reference) {
        if references::at(git, &reference)?.as_ref() == Some(&pending.snapshot)
            && Needed::of(git, &pending.snapshot, &head)?.check(git).is_ok()
        {
            return worktree.journal.append(&JournalEntry::Saved(Saved { reference, ..pending.clone() }));
        }
    }
    Ok(())
}

/// True when the file of the branch is the one that we prepared: it was moved there under the lock on the index.
fn is_moved_by_us(worktree: &WorktreeLock, plan: &Move) -> bool {
    let ours = branch_inode(worktree, plan);
    ours.is_some() && inode(&worktree.repo.common_dir.join(&plan.branch)) == ours
}

/// The branch has moved, and nothing tells that it was us. Without a lock somebody removed it, or the new index
/// came to its place and git wrote another since. Only where the index is still the one of before it is ours to
/// be put in its place.
fn take_up(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    git: &Git<'_>,
    plan: &Move,
    is_locked: bool,
) -> Result<(), RescueError> {
    let lock = worktree.repo.index_lock();
    if !is_locked {
        fs::hard_link(checked(worktree, &plan.id), &lock).map_err(RescueError::io("make", &lock))?;
    }
    let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
    let digest = listing::digest(&index_entries(git, &shadow, &shadow.index)?);
    if digest == plan.digest_before && (is_locked || digest != plan.digest_after) {
        return finish(rescuer, worktree, plan, None);
    }
    fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
    done(rescuer, worktree, plan)
}

/// Removes what a crash left before the journal knew of it, but nothing of a closeout with another state folder.
fn remove_prepared(worktree: &WorktreeLock) -> Result<(), RescueError> {
    let folder = &worktree.repo.git_dir;
    for entry in fs::read_dir(folder).map_err(RescueError::io("list", folder))?.flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix("index.closeout-")).unwrap_or_default();
        let id = id.trim_end_matches("-checked").trim_end_matches("-branch");
        // By another's file its locks are known to be its own.
        if worktree.is_own_id(id) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
