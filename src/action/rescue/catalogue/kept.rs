//! The references that keep commits for which closeout made a branch: until the branch, or something else, has held them for
//! long, or a person deletes them.
//!
//! It must not release a commit that nothing else holds, unless the person accepts exactly that loss.

use crate::action::rescue::base::journal::{self, is_same_commit};
use crate::action::rescue::base::{JournalEntry, Purpose, RescueError, Settings, references};
use crate::action::rescue::catalogue::owner::Owner;
use crate::action::rescue::catalogue::{is_past, time_of};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{check_packed, forgotten};
use crate::action::rescue::survey::commits;
use crate::model::{ForgottenRecord, RecordRef};

/// Deletes a reference of this kind, and those that belong to the same branch, with the undo of that branch. That of a
/// worktree that is gone is deleted from any other.
pub(super) fn delete(
    worktree: &WorktreeLock,
    reference: &str,
    is_loss_accepted: bool,
) -> Result<ForgottenRecord, RescueError> {
    let git = worktree.git();
    let refused = |words: &str| RescueError::Refused(words.to_owned());
    let none = || refused("there is no such reference");
    let (key, id) = references::kept_of(reference).ok_or_else(none)?;
    let owner = Owner::find(worktree, key)?
        .ok_or_else(|| refused("this reference belongs to a closeout with another state folder"))?;
    let pinned = references::pinned(&git, key, &[id.to_owned()])?;
    if pinned.is_empty() {
        return Err(none());
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
    owner
        .journal()
        .append(&JournalEntry::Forgotten { reference: reference.clone(), moves: moves.clone() })?;
    let deletion = journal::Deletion { reference: &reference, moves: &moves };
    let n_references = forgotten::remove(worktree, owner.place(), &deletion, None)?;
    Ok(ForgottenRecord { reference, n_references, is_undo_gone: true, objects_go })
}

/// Those of this worktree that are old, are not needed for the last undo, and whose commits something else holds.
pub(super) fn old(worktree: &WorktreeLock) -> Result<Vec<RecordRef>, RescueError> {
    let (git, entries) = (worktree.git(), worktree.journal.read()?.entries);
    let last = journal::last_done(&entries);
    let old = journal::moves(&entries).filter(|made| {
        let is_needed = last.is_some_and(|last| is_same_commit(made, last));
        made.record.is_none() && made.purpose == Purpose::Commit && !is_needed && is_past(time_of(&made.id))
    });
    let mut names = Vec::new();
    for made in old {
        let pinned = references::pinned(&git, &worktree.repo.key, std::slice::from_ref(&made.id))?;
        let mut are_held = true;
        for hidden in &pinned {
            are_held = are_held && commits::is_held(&git, hidden.id)?;
        }
        let kept = pinned.into_iter().map(|it| it.name).find(|it| references::kept_of(it).is_some());
        names.extend(kept.filter(|_| are_held).map(RecordRef::from));
    }
    Ok(names)
}
