//! Completes or rolls back a move that a crash interrupted, never leaving half of it, and completes a deletion.
//!
//! It must not remove someone else's lock, and must not replace an index that someone has written since.

use std::collections::BTreeSet;
use std::fs;

use crate::action::rescue::base::settings::is_partial;
use crate::action::rescue::base::{
    Journal, JournalEntry, Move, Place, RescueError, Saved, beside, git_files, journal, references,
};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::ref_transaction::branch::{self, inode};
use crate::action::rescue::ref_transaction::prepared::{
    branch_inode, checked, done, is_ours, prepared, roll_back,
};
use crate::action::rescue::ref_transaction::{Needed, busy, finish, forgotten, packs, recover_branch_only};
use crate::action::rescue::survey::{listing, seen_index};
use crate::disk;
use crate::disk::write::Missing;
use crate::git::{Git, index_entries};
use crate::model::CommitId;

/// Completes or rolls back the interrupted move, adopts an interrupted record, completes an interrupted deletion, and
/// removes leftovers. Waits with all of that while the repository cannot be used.
pub(crate) fn recover(worktree: &WorktreeLock) -> Result<(), RescueError> {
    if worktree.unusable.is_some() {
        // Nothing tells how far it got.
        return Ok(());
    }
    let read = worktree.journal.read()?;
    let (entries, n_unread) = (&read.entries, read.n_unread());
    let interrupted = journal::last_move(entries).filter(|(_, is_over)| !is_over).map(|(moving, _)| moving);
    // Behind a link nothing is completed or removed; the next action without one does that.
    let branch: Vec<&str> = interrupted.iter().map(|moving| moving.branch.as_str()).collect();
    let is_linked = worktree.repo.check_writes(&branch).is_err();
    if let Some(moving) = interrupted.filter(|_| !is_linked) {
        let git = worktree.git().to_the_end();
        let at = references::at(&git, moving.branch.as_str())?;
        if moving.is_branch_only {
            recover_branch_only(worktree, &git, moving, at)?;
        } else {
            settle(worktree, &git, moving, at, n_unread > 0)?;
        }
    }
    finish_record(&worktree.git().to_the_end(), &worktree.journal, entries)?;
    for saved in beside::untold(&worktree.folder, entries) {
        worktree.journal.append(&JournalEntry::Saved(saved.clone()))?;
        beside::remove(&worktree.folder, &saved);
    }
    forgotten::complete(worktree, &worktree.place(), entries);
    if is_linked {
        return Ok(());
    }
    // Their names and contents tell whose they are, and a record that was cut off is adopted by now.
    branch::release_hidden(&worktree.repo, &worktree.repo.key, &worktree.owner);
    packs::release_left_packs(worktree);
    if n_unread > 0 {
        // An unreadable line may be about a lock that only these files prove.
        return Ok(());
    }
    remove_prepared(worktree)
}

/// Completes or rolls back the move of a branch and its index. `at` is where the branch is now; `is_unread` says
/// that a line of the journal cannot be read.
fn settle(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    moving: &Move,
    at: Option<CommitId>,
    is_unread: bool,
) -> Result<(), RescueError> {
    let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
    let is_checked = inode(&checked(worktree, &moving.id)) == Some(moving.inode);
    let is_lock_ours = is_ours(worktree, moving, &lock);
    let is_index_moved = match moving.index_after {
        Some(_) => is_ours(worktree, moving, &index),
        None => at == moving.to && is_checked && inode(&index).is_none() && !is_lock_ours,
    };
    if at == moving.to && moving.branch_inode.is_some() && (is_checked || is_index_moved) {
        // We moved the branch, and the reflog line comes only after that.
        branch::log_again(git, moving);
    }
    if is_index_moved {
        done(worktree, moving)
    } else if is_lock_ours && at == moving.to && is_checked {
        if is_moved_by_us(worktree, moving) {
            finish(worktree, moving, None)
        } else {
            take_up(worktree, git, moving, true)
        }
    } else if is_unread && at == moving.to && inode(&prepared(worktree, &moving.id)).is_none() {
        // The journal line that marks it as done is unreadable; prepared files are removed only after that
        // line.
        done(worktree, moving)
    } else if is_lock_ours || at == moving.from || !is_checked {
        // Without the "checked" mark we locked nothing, so any move of the branch was someone else's.
        roll_back(worktree, moving)
    } else if at == moving.to && inode(&lock).is_none() && is_checked {
        take_up(worktree, git, moving, false)
    } else if inode(&lock).is_some() {
        Err(busy(worktree))
    } else {
        roll_back(worktree, moving)
    }
}

/// Adopts the record that was cut off, if it got so far, and forgets its announcement.
fn finish_record(git: &Git<'_>, journal: &Journal, entries: &[JournalEntry]) -> Result<(), RescueError> {
    if let Some(pending) = journal.pending()? {
        let names = references::names_of(&pending.reference);
        if !names.iter().any(|name| journal::is_known(entries, name)) {
            adopt(git, journal, &pending)?;
        }
        journal.clear_pending();
    }
    Ok(())
}

/// Adopts the records that were cut off in other worktrees of the repository. Returns the names that one may have which is
/// being made there right now.
pub(crate) fn adopt_beside(
    worktree: &WorktreeLock,
    places: &[Place],
) -> Result<BTreeSet<String>, RescueError> {
    let mut making = BTreeSet::new();
    for place in places.iter().filter(|place| place.key != worktree.repo.key && !place.is_former) {
        let journal = Journal::at(&place.folder);
        // What cannot be read, locked or written there keeps nobody from the records here: a record stays announced.
        let Ok(Some(pending)) = journal.pending() else { continue };
        let is_finished = match lock::lock_if_free(&place.folder) {
            Ok(Some(_lock)) => {
                let read = journal.read();
                match read.and_then(|read| finish_record(&worktree.git(), &journal, &read.entries)) {
                    Err(RescueError::Io { .. }) => false,
                    finished => finished.map(|()| true)?,
                }
            }
            Ok(None) => false,
            Err(_) => true,
        };
        if !is_finished {
            making.extend(references::names_of(&pending.reference));
        }
    }
    Ok(making)
}

/// Adopts a record that lacks only its journal line: its reference has one of the announced names, and every
/// object exists.
fn adopt(git: &Git<'_>, journal: &Journal, pending: &Saved) -> Result<(), RescueError> {
    let others: Vec<String> = pending.head.iter().map(CommitId::to_string).collect();
    for reference in references::names_of(&pending.reference) {
        if references::at(git, &reference)? != Some(pending.snapshot) {
            continue;
        }
        let needed =
            Needed { commit: pending.snapshot, others: others.clone(), is_partial: is_partial(git)? };
        match needed.check(git) {
            Ok(_) => {
                let saved = Saved { reference: reference.into(), ..pending.clone() };
                return journal.append(&JournalEntry::Saved(saved));
            }
            Err(RescueError::SavedOnly(_)) => {}
            // It is announced still, and looked at again.
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether the branch's file is the one that we prepared, which was put there under the lock on the index.
fn is_moved_by_us(worktree: &WorktreeLock, moving: &Move) -> bool {
    let ours = branch_inode(worktree, moving);
    ours.is_some() && inode(&worktree.repo.common_dir.join(moving.branch.as_str())) == ours
}

/// Handles a branch that has moved without proof that we moved it. If the lock is gone, either someone removed
/// it, or the new index was put in place and git has written another since. The index is replaced only if it
/// still has its earlier meaning.
fn take_up(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    moving: &Move,
    is_locked: bool,
) -> Result<(), RescueError> {
    let lock = worktree.repo.index_lock();
    if !is_locked {
        git_files::link(&worktree.repo, &checked(worktree, &moving.id), &lock, Missing::Fail)
            .map_err(RescueError::io("make", &lock))?;
    }
    let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
    let digest = listing::digest(&index_entries(git, &shadow, &shadow.index)?);
    if digest == moving.digest_before && (is_locked || digest != moving.digest_after) {
        return finish(worktree, moving, None);
    }
    git_files::remove(&worktree.repo, &lock).map_err(RescueError::io("remove", &lock))?;
    done(worktree, moving)
}

/// Removes what a crash left before the journal knew of it, but nothing of a closeout with another state
/// folder.
fn remove_prepared(worktree: &WorktreeLock) -> Result<(), RescueError> {
    let folder = &worktree.repo.git_dir;
    for entry in fs::read_dir(folder).map_err(RescueError::io("list", folder))?.flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix("index.closeout-")).unwrap_or_default();
        let id = id.trim_end_matches("-checked").trim_end_matches("-branch");
        // Another owner's file must stay: it proves that owner's locks.
        if worktree.is_own_id(id) {
            let _ = git_files::remove(&worktree.repo, &entry.path());
        }
    }
    for entry in fs::read_dir(&worktree.repo.common_dir).into_iter().flatten().flatten() {
        // The list of packed references that was to be put in its place.
        if disk::write::is_left(&entry.file_name()) {
            let _ = git_files::remove(&worktree.repo, &entry.path());
        }
    }
    Ok(())
}
