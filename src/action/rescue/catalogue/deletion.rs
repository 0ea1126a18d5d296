//! Deletes a record for good at a person's request: its reference, its journal lines, the indexes kept for its
//! undo, and its bundle. The objects disappear when git collects garbage.
//!
//! It must not delete work that is in no branch unless the person accepts exactly that loss.

use std::fs;
use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::journal::{self, Deletion};
use crate::action::rescue::base::{
    JournalEntry, Move, Purpose, Reading, RescueError, Saved, Settings, references,
};
use crate::action::rescue::catalogue::owner::Owner;
use crate::action::rescue::catalogue::{self, Reaches, kept};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::ref_transaction::{check_packed, forgotten, recovery};
use crate::disk::write::is_removed;
use crate::git::Git;
use crate::model::{CommitId, ForgottenRecord, ObjectsGo, Reach, RecordRef};

impl Rescuer {
    /// Deletes the record `reference` for good, and with it the undo of visible commits made from it. A reference that keeps
    /// commits of a branch that closeout made for them (`refs/closeout/kept/…`) goes likewise.
    ///
    /// # Errors
    /// [`RescueError::WouldLose`] if its work is not in a branch, or that is unknown, and `is_loss_accepted` is
    /// false; [`RescueError::InPart`] if a part of it is left, which the next action removes.
    pub fn delete(
        &self,
        workspace: &Path,
        reference: &str,
        is_loss_accepted: bool,
    ) -> Result<ForgottenRecord, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        if references::kept_of(reference).is_some() {
            recovery::recover(&worktree)?;
            return kept::delete(&worktree, reference, is_loss_accepted);
        }
        if let Some(forgotten) = delete_copy(&worktree, reference, is_loss_accepted)? {
            return Ok(forgotten);
        }
        if let Some(forgotten) = completed(&worktree, reference)? {
            return Ok(forgotten);
        }
        recovery::recover(&worktree)?;
        delete(&worktree, reference, is_loss_accepted)
    }

    /// Deletes this worktree's records that need no question: older than 30 days, with all their work in a
    /// branch, and not needed to undo the last visible commit; and the references of [`Rescuer::old_kept`].
    pub fn forget_old(&self, workspace: &Path) -> Result<Vec<ForgottenRecord>, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let mut forgotten = Vec::new();
        for record in catalogue::list(&worktree)?.records.iter().filter(|record| record.is_old) {
            let read = worktree.journal.read()?;
            let saved = journal::saved(&read.entries).into_iter().find(|it| it.reference == record.reference);
            let last = journal::last_done(&read.entries);
            let is_needed = saved.zip(last).is_some_and(|(saved, last)| {
                moves_of(&read.entries, saved).iter().any(|made| journal::is_same_commit(made, last))
            });
            let is_own = references::key_of(&record.reference) == Some(&worktree.repo.key);
            if is_own && !is_needed {
                let deleted = delete(&worktree, &record.reference, false);
                forgotten.push(deleted.map_err(|error| after(error, &forgotten))?);
            }
        }
        for reference in kept::old(&worktree).map_err(|error| after(error, &forgotten))? {
            let deleted = kept::delete(&worktree, &reference, false);
            forgotten.push(deleted.map_err(|error| after(error, &forgotten))?);
        }
        Ok(forgotten)
    }

    /// The references that have kept commits of this worktree for a branch longer than 30 days (`refs/closeout/kept/…`), if
    /// something else holds these and the last undo does not need them.
    ///
    /// # Errors
    /// As for [`Rescuer::record_ordered`].
    pub fn old_kept(&self, workspace: &Path) -> Result<Vec<RecordRef>, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        kept::old(&worktree)
    }
}

/// The error of a deletion that others came before.
fn after(error: RescueError, forgotten: &[ForgottenRecord]) -> RescueError {
    match forgotten {
        [] => error,
        [ForgottenRecord { reference, .. }] => error.in_the_middle(format!("{reference} is deleted")),
        some => error.in_the_middle(format!("{} records are deleted", some.len())),
    }
}

fn delete(
    worktree: &WorktreeLock,
    reference: &str,
    is_loss_accepted: bool,
) -> Result<ForgottenRecord, RescueError> {
    let git = worktree.git();
    let owner = Owner::find(worktree, key_of(reference)?)?;
    let read = owner.as_ref().map_or_else(|| Ok(Reading::default()), Owner::read)?;
    let saved = journal::saved(&read.entries).into_iter().find(|saved| *saved.reference == *reference);
    let at = references::at(&git, reference)?;
    if at.is_none() && saved.is_none() {
        return Err(RescueError::Refused("there is no such record".to_owned()));
    }
    let reach = reach(&git, at, saved);
    if !is_loss_accepted && reach != Reach::InBranch {
        return Err(RescueError::WouldLose { is_known: reach != Reach::Unknown });
    }
    let moves: Vec<&Move> = saved.map_or_else(Vec::new, |saved| moves_of(&read.entries, saved));
    let (reference, moves) =
        (RecordRef::from(reference.to_owned()), moves.iter().map(|made| made.id.clone()).collect::<Vec<_>>());
    let deletion = Deletion { reference: &reference, moves: &moves };
    // All that can fail without a trace comes before the line of the journal.
    let objects_go = objects_go(&git, saved, !moves.is_empty())?;
    if at.is_some() || !moves.is_empty() {
        worktree.repo.check_writes(&[&reference])?;
        check_packed(worktree)?;
    }
    let _held = worktree.rescuer.hold()?;
    let n_references = if let Some(owner) = &owner {
        let action = JournalEntry::Forgotten { reference: reference.clone(), moves: moves.clone() };
        let told = owner.journal().append(&action);
        let removed = told.and_then(|()| forgotten::remove(worktree, owner.place(), &deletion, at));
        removed.map_err(|error| left(error, owner, &deletion))?
    } else {
        at.map_or(Ok(()), |at| references::remove(&git.to_the_end(), &reference, at))?;
        worktree.sync()?;
        1
    };
    Ok(forgotten_record(&deletion, n_references, objects_go))
}

/// Deletes the copy in the vault of a record of another repository, which was at this path before. What that one needs stays:
/// its journal, the undo, and all that is in itself.
fn delete_copy(
    worktree: &WorktreeLock,
    reference: &str,
    is_loss_accepted: bool,
) -> Result<Option<ForgottenRecord>, RescueError> {
    let of_former = catalogue::known(worktree, reference)?.filter(|(place, _)| place.is_former);
    let Some((place, saved)) = of_former else { return Ok(None) };
    let Some(bundle) = catalogue::bundle(&place, &saved) else { return Ok(None) };
    if !is_loss_accepted {
        return Err(RescueError::WouldLose { is_known: false });
    }
    let _held = worktree.rescuer.hold()?;
    let _lock = lock::lock(&place.folder)?;
    is_removed(fs::remove_file(&bundle)).map_err(RescueError::io("remove", &bundle))?;
    worktree.sync()?;
    let (n_references, objects_go) = (0, ObjectsGo::Elsewhere);
    Ok(Some(ForgottenRecord { reference: saved.reference, n_references, is_undo_gone: false, objects_go }))
}

/// Completes the deletion of this record, if one was cut off.
fn completed(worktree: &WorktreeLock, reference: &str) -> Result<Option<ForgottenRecord>, RescueError> {
    let Some(owner) = Owner::find(worktree, key_of(reference)?)? else { return Ok(None) };
    let read = owner.read()?;
    let cut = journal::cut_deletions(&read.entries);
    let Some(deletion) = cut.iter().find(|it| **it.reference == *reference) else { return Ok(None) };
    let objects_go = objects_go(&worktree.git(), deletion.saved(&read.entries), !deletion.moves.is_empty())?;
    let _held = worktree.rescuer.hold()?;
    let removed = forgotten::complete_one(worktree, owner.place(), &read.entries, deletion);
    let n_references = removed.map_err(|error| left(error, &owner, deletion))?;
    Ok(Some(forgotten_record(deletion, n_references, objects_go)))
}

fn key_of(reference: &str) -> Result<&str, RescueError> {
    let refused = || RescueError::Refused("this is no reference of a record".to_owned());
    references::key_of(reference).ok_or_else(refused)
}

/// Why a deletion is not complete, with what becomes of the rest if the journal tells of it.
fn left(error: RescueError, owner: &Owner, deletion: &Deletion<'_>) -> RescueError {
    let is_told = owner.read().is_ok_and(|read| journal::cut_deletions(&read.entries).contains(deletion));
    if !is_told {
        return error;
    }
    error.in_the_middle(format!(
        "{} counts as deleted, and the next closeout command here removes what is left of it",
        deletion.reference
    ))
}

fn forgotten_record(deletion: &Deletion<'_>, n_references: usize, objects_go: ObjectsGo) -> ForgottenRecord {
    let reference = deletion.reference.clone();
    ForgottenRecord { reference, n_references, is_undo_gone: !deletion.moves.is_empty(), objects_go }
}

/// Whether the record's work is provably in a branch.
fn reach(git: &Git<'_>, at: Option<CommitId>, saved: Option<&Saved>) -> Reach {
    match (at, saved) {
        (Some(at), Some(saved)) if at == saved.snapshot => {
            Reaches::default().of(git, [at, saved.record], saved.head)
        }
        // Not provable: no journal knows the record, its reference was moved or removed, or it lies only in the
        // vault.
        _ => Reach::Unknown,
    }
}

/// The moves of visible commits made from the record, with their undos and redos. Those that do not name their record
/// follow it and precede the next record of the same state.
fn moves_of<'a>(entries: &'a [JournalEntry], saved: &Saved) -> Vec<&'a Move> {
    let mut is_last = false;
    let mut made: Vec<&Move> = Vec::new();
    for entry in entries {
        match entry {
            JournalEntry::Saved(other) if other.reference == saved.reference => is_last = true,
            JournalEntry::Saved(other) if other.head == saved.head && other.digest == saved.digest => {
                is_last = false;
            }
            JournalEntry::Moving(next) => {
                let is_of_state = || {
                    is_last
                        && next.purpose == Purpose::Commit
                        && next.from == saved.head
                        && next.digest_before == saved.digest
                };
                let is_of_it = match &next.record {
                    Some(record) => *record == saved.reference,
                    // Of an earlier version, or the branch of a commit that nothing held any more.
                    None => is_of_state() || made.iter().any(|before| journal::is_same_commit(before, next)),
                };
                if is_of_it {
                    made.push(next);
                }
            }
            JournalEntry::Saved(_)
            | JournalEntry::Moved { .. }
            | JournalEntry::RolledBack { .. }
            | JournalEntry::Forgotten { .. } => {}
        }
    }
    made
}

fn objects_go(git: &Git<'_>, saved: Option<&Saved>, was_visible: bool) -> Result<ObjectsGo, RescueError> {
    if saved.is_some_and(|saved| saved.shown.is_vault_only) {
        return Ok(ObjectsGo::Now);
    }
    Ok(Settings::read_anywhere(git)?.expiry.objects_go(was_visible))
}
