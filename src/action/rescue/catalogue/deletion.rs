//! Deletes a record for good at a person's request: its reference, its journal lines, the indexes kept for its
//! undo, and its bundle. The objects disappear when git collects garbage.
//!
//! It must not delete work that is in no branch unless the person accepts exactly that loss.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{
    Journal, JournalEntry, Move, Place, Purpose, Reading, RescueError, Saved, Settings, journal, references,
};
use crate::action::rescue::catalogue::{self, Reaches};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::ref_transaction::recovery;
use crate::disk::write::is_removed;
use crate::git::Git;
use crate::model::{CommitId, ForgottenRecord, ObjectsGo, Reach};

impl Rescuer {
    /// Deletes the record `reference` for good, and with it the undo of visible commits made from it.
    ///
    /// # Errors
    /// [`RescueError::WouldLose`] if its work is not in a branch, or that is unknown, and `is_loss_accepted` is
    /// false.
    pub fn delete(
        &self,
        workspace: &Path,
        reference: &str,
        is_loss_accepted: bool,
    ) -> Result<ForgottenRecord, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        delete(&worktree, reference, is_loss_accepted)
    }

    /// Deletes this worktree's records that need no question: older than 30 days, with all their work in a
    /// branch, and not needed to undo the last visible commit.
    pub fn forget_old(&self, workspace: &Path) -> Result<Vec<ForgottenRecord>, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        recovery::recover(&worktree)?;
        let mut forgotten = Vec::new();
        for record in catalogue::list(&worktree)?.records.iter().filter(|record| record.is_old) {
            let read = worktree.journal.read()?;
            let saved = journal::saved(&read.entries).into_iter().find(|it| it.reference == record.reference);
            let last = journal::last_done(&read.entries);
            let is_needed = saved.zip(last).is_some_and(|(saved, last)| {
                moves_of(&read.entries, saved).iter().any(|made| is_same_commit(made, last))
            });
            let is_own = references::key_of(&record.reference) == Some(&worktree.repo.key);
            if is_own && !is_needed {
                forgotten.push(delete(&worktree, &record.reference, false)?);
            }
        }
        Ok(forgotten)
    }
}

/// The worktree whose folder has the record's journal.
enum Owner {
    /// The locked worktree.
    Own(Place),
    /// A worktree that no longer exists; its folder is locked while this value lives.
    Gone(Place, #[expect(dead_code, reason = "held for its lock")] File),
}

impl Owner {
    fn find(worktree: &WorktreeLock, key: &str) -> Result<Option<Owner>, RescueError> {
        let places = worktree.places()?;
        let Some(place) = places.into_iter().find(|place| place.key == key) else { return Ok(None) };
        if place.key == worktree.repo.key {
            return Ok(Some(Owner::Own(place)));
        }
        if place.top.join(".git").symlink_metadata().is_ok() {
            let message = format!(
                "the record belongs to another worktree; forget it there: {}",
                crate::model::display_text::path(&place.top)
            );
            return Err(RescueError::Refused(message));
        }
        let lock = lock::lock(&place.folder)?;
        Ok(Some(Owner::Gone(place, lock)))
    }

    fn place(&self) -> &Place {
        match self {
            Owner::Own(place) | Owner::Gone(place, _) => place,
        }
    }
}

fn delete(
    worktree: &WorktreeLock,
    reference: &str,
    is_loss_accepted: bool,
) -> Result<ForgottenRecord, RescueError> {
    let git = worktree.git();
    let Some(key) = references::key_of(reference) else {
        return Err(RescueError::Refused("this is no reference of a record".to_owned()));
    };
    let owner = Owner::find(worktree, key)?;
    let journal = owner.as_ref().map(|owner| Journal::at(&owner.place().folder));
    let read = journal.as_ref().map_or_else(|| Ok(Reading::default()), Journal::read)?;
    let saved = journal::saved(&read.entries).into_iter().find(|saved| *saved.reference == *reference);
    let at = references::at(&git, reference)?;
    if at.is_none() && saved.is_none() {
        return Err(RescueError::Refused("there is no such record".to_owned()));
    }
    if !is_loss_accepted && !is_safe(&git, at, saved) {
        return Err(RescueError::WouldLose);
    }
    if at.is_some() {
        worktree.repo.check_writes(&[reference])?;
    }
    let moves: Vec<&Move> = saved.map_or_else(Vec::new, |saved| moves_of(&read.entries, saved));
    let ids: Vec<String> = moves.iter().map(|made| made.id.clone()).collect();
    if let Some(journal) = &journal {
        // Written first, so that nothing restores the reference.
        let action = JournalEntry::Forgotten { reference: reference.to_owned().into(), moves: ids.clone() };
        journal.append(&action)?;
    }
    let mut n_references = 0;
    for (name, id) in pins(&git, key, &ids)?.into_iter().chain(at.map(|id| (reference.to_owned(), id))) {
        references::remove(&git, &name, id)?;
        n_references += 1;
    }
    if let Some(owner) = &owner {
        remove_files(owner.place(), &read, saved, &ids)?;
    }
    if let Some(journal) = &journal {
        journal.drop_entries(&|entry| match entry {
            JournalEntry::Saved(saved) => *saved.reference == *reference,
            JournalEntry::Moving(made) => ids.contains(&made.id),
            JournalEntry::Moved { id } | JournalEntry::RolledBack { id } => ids.contains(id),
            JournalEntry::Forgotten { .. } => false,
        })?;
    }
    worktree.sync()?;
    let objects_go = objects_go(&git, saved, !ids.is_empty())?;
    Ok(ForgottenRecord {
        reference: reference.to_owned().into(),
        n_references,
        is_undo_gone: !ids.is_empty(),
        objects_go,
    })
}

/// Whether the record's work is provably in a branch.
fn is_safe(git: &Git<'_>, at: Option<CommitId>, saved: Option<&Saved>) -> bool {
    match (at, saved) {
        (Some(at), Some(saved)) if at == saved.snapshot => {
            Reaches::default().of(git, [at, saved.record], saved.head) == Reach::InBranch
        }
        // Not provable: no journal knows the record, its reference was moved or removed, or it lies only in the
        // vault.
        _ => false,
    }
}

/// The moves of visible commits made from the record, with their undos and redos. They follow the record and
/// precede the next record of the same state.
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
                let is_of_it = is_last
                    && next.purpose == Purpose::Commit
                    && next.from == saved.head
                    && next.digest_before == saved.digest;
                if is_of_it || made.iter().any(|before| is_same_commit(before, next)) {
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

/// Whether two moves are about the same visible commit.
fn is_same_commit(a: &Move, b: &Move) -> bool {
    let commit = |made: &Move| match made.purpose {
        Purpose::Commit | Purpose::Redo => made.to,
        Purpose::Undo => made.from,
    };
    commit(a).is_some() && commit(a) == commit(b)
}

/// The hidden references that keep the visible commits of these moves, with the commit each points to.
fn pins(git: &Git<'_>, key: &str, moves: &[String]) -> Result<Vec<(String, CommitId)>, RescueError> {
    let mut pins = Vec::new();
    for id in moves {
        for n in 0.. {
            let name = if n == 0 { id.clone() } else { format!("{n}-{id}") };
            let digits = &id[id.len().saturating_sub(8)..];
            let n_before = pins.len();
            for top in ["refs/closeout".to_owned(), format!("refs/closeout-{digits}")] {
                let name = format!("{top}/visible/{key}/{name}");
                if let Some(at) = references::at(git, &name)? {
                    pins.push((name, at));
                }
            }
            if n_before == pins.len() {
                break;
            }
        }
    }
    Ok(pins)
}

fn remove_files(
    place: &Place,
    read: &Reading,
    saved: Option<&Saved>,
    moves: &[String],
) -> Result<(), RescueError> {
    let sums = |is_gone: bool| -> BTreeSet<String> {
        journal::moves(&read.entries)
            .filter(|made| moves.contains(&made.id) == is_gone)
            .flat_map(|made| [&made.index_before, &made.index_after])
            .flatten()
            .map(|kept| format!("index-{}", kept.sum))
            .collect()
    };
    let (gone, kept) = (sums(true), sums(false));
    let mut paths: Vec<_> = gone.difference(&kept).map(|name| place.folder.join(name)).collect();
    paths.extend(saved.and_then(|saved| catalogue::bundle(place, saved)));
    for path in paths {
        is_removed(fs::remove_file(&path)).map_err(RescueError::io("remove", &path))?;
    }
    Ok(())
}

fn objects_go(git: &Git<'_>, saved: Option<&Saved>, was_visible: bool) -> Result<ObjectsGo, RescueError> {
    if saved.is_some_and(|saved| saved.shown.is_vault_only) {
        return Ok(ObjectsGo::Now);
    }
    let expiry = Settings::read(git)?.expiry;
    let is_never = |text: &str| matches!(text, "never" | "false");
    if is_never(&expiry.objects) || (was_visible && is_never(&expiry.reflog)) {
        return Ok(ObjectsGo::Never);
    }
    Ok(ObjectsGo::WhenCollected {
        expiry: expiry.objects,
        reflog_expiry: was_visible.then_some(expiry.reflog),
    })
}
