//! The references that keep commits for which closeout made a branch: until the branch, or something else, has held them for
//! long, or a person deletes them.
//!
//! It must not release a commit that nothing else holds, unless the person accepts exactly that loss.

use crate::action::rescue::base::journal::{self, is_same_commit};
use crate::action::rescue::base::{JournalEntry, Purpose, RescueError, Settings, references};
use crate::action::rescue::catalogue::{is_past, time_of};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{check_packed, forgotten};
use crate::action::rescue::survey::commits;
use crate::model::{ForgottenRecord, RecordRef};

/// Deletes a reference of this kind, and those that belong to the same branch, with the undo of that branch.
pub(super) fn delete(
    worktree: &WorktreeLock,
    reference: &str,
    key: &str,
    id: &str,
    is_loss_accepted: bool,
) -> Result<ForgottenRecord, RescueError> {
    let git = worktree.git();
    if key != worktree.repo.key {
        let words = "this reference belongs to another worktree, or to a closeout with another state folder";
        return Err(RescueError::Refused(words.to_owned()));
    }
    let pinned = references::pinned(&git, key, &[id.to_owned()])?;
    if pinned.is_empty() {
        return Err(RescueError::Refused("there is no such reference".to_owned()));
    }
    for hidden in &pinned {
        if !is_loss_accepted && !commits::is_held(&git, hidden.id)? {
            return Err(RescueError::WouldLose { is_known: true });
        }
    }
    let objects_go = Settings::read_anywhere(&git)?.expiry.objects_go(true);
    let names: Vec<&str> = pinned.iter().map(|hidden| &*hidden.name).collect();
    worktree.repo.check_writes(&names)?;
    check_packed(worktree)?;
    let _held = worktree.rescuer.hold()?;
    let (reference, moves) = (RecordRef::from(reference.to_owned()), vec![id.to_owned()]);
    worktree
        .journal
        .append(&JournalEntry::Forgotten { reference: reference.clone(), moves: moves.clone() })?;
    let deletion = journal::Deletion { reference: &reference, moves: &moves };
    let n_references = forgotten::remove(worktree, &worktree.place(), &deletion, None)?;
    Ok(ForgottenRecord { reference, n_references, is_undo_gone: true, objects_go })
}

/// Releases those of this worktree that are old, are not needed for the last undo, and whose commits something else holds.
pub(super) fn release_old(worktree: &WorktreeLock) -> Result<(), RescueError> {
    let entries = worktree.journal.read()?.entries;
    let last = journal::last_done(&entries);
    let old = journal::moves(&entries).filter(|made| {
        let is_needed = last.is_some_and(|last| is_same_commit(made, last));
        made.record.is_none() && made.purpose == Purpose::Commit && !is_needed && is_past(time_of(&made.id))
    });
    for made in old {
        let pinned = references::pinned(&worktree.git(), &worktree.repo.key, std::slice::from_ref(&made.id))?;
        let Some(kept) = pinned.iter().map(|it| &*it.name).find(|it| references::kept_of(it).is_some())
        else {
            continue;
        };
        match delete(worktree, kept, &worktree.repo.key, &made.id, false) {
            Err(RescueError::WouldLose { .. }) => {}
            released => drop(released?),
        }
    }
    Ok(())
}
