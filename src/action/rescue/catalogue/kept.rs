//! The references that keep commits for which closeout made a branch: until the branch, or something else, has held them for
//! long, or a person deletes them.
//!
//! It must not release a commit that nothing else holds, unless the person accepts exactly that loss.

use crate::action::rescue::base::error::if_answered;
use crate::action::rescue::base::journal::{self, is_same_commit};
use crate::action::rescue::base::{
    Hidden, Journal, JournalEntry, Place, Purpose, RescueError, Settings, references,
};
use crate::action::rescue::catalogue::ages::{is_past, time_of};
use crate::action::rescue::catalogue::owner::Owner;
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{check_packed, forgotten};
use crate::action::rescue::survey::commits;
use crate::git::Git;
use crate::model::{ForgottenRecord, KeptCommits, RecordRef};

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

/// Those of the repository, each line of commits once, the newest first.
pub(super) fn listed(worktree: &WorktreeLock, places: &[Place]) -> Result<Vec<KeptCommits>, RescueError> {
    let git = worktree.git();
    let mut kept: Vec<KeptCommits> = Vec::new();
    let all = references::kept(&git)?;
    // The one of the newest commit has the move's own name, those of earlier ones a number in front.
    let is_newest = |hidden: &&Hidden| {
        references::kept_of(&hidden.name).is_some_and(|(_, id)| hidden.name.ends_with(&format!("/{id}")))
    };
    for hidden in all.iter().filter(is_newest) {
        let Some((key, id)) = references::kept_of(&hidden.name) else { continue };
        let place = places.iter().find(|place| place.key == key && !place.is_former);
        let read = place.and_then(|place| Journal::at(&place.folder).read().ok()).unwrap_or_default();
        let made = journal::moves(&read.entries).find(|made| made.id == id);
        let line = all.iter().filter(|other| references::kept_of(&other.name) == Some((key, id)));
        let is_held = are_held(worktree, &git, line)?;
        kept.push(KeptCommits {
            reference: hidden.name.clone().into(),
            commit: hidden.id,
            time: time_of(id),
            worktree: place.map(|place| place.top.clone()),
            branch: made.map(|made| made.branch.clone()),
            is_held,
        });
    }
    kept.sort_by(|a, b| (b.time, &b.reference).cmp(&(a.time, &a.reference)));
    Ok(kept)
}

/// Whether something else holds all of them; `None` if that cannot be told.
fn are_held<'h>(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    line: impl Iterator<Item = &'h Hidden>,
) -> Result<Option<bool>, RescueError> {
    if worktree.unusable.is_some() {
        return Ok(None);
    }
    for hidden in line {
        match if_answered(commits::is_held(git, hidden.id))? {
            Some(true) => {}
            told => return Ok(told),
        }
    }
    Ok(Some(true))
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
