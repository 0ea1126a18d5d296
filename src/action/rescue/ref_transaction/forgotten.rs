//! Removes what goes with a deleted record: references, then files, then its lines in the journal. The journal tells of the
//! deletion before anything is removed, so that one which was cut off is completed by the next action.
//!
//! It must not remove anything of a record that the journal does not call deleted, or an index that another move needs.

use std::collections::BTreeSet;
use std::fs;

use crate::action::rescue::base::journal::{self, Deletion};
use crate::action::rescue::base::worktrees::VAULT;
use crate::action::rescue::base::{Hidden, Journal, JournalEntry, Place, RescueError, references, worktrees};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::ref_transaction::{branch, check_packed};
use crate::disk::write::is_removed;
use crate::model::CommitId;

/// Removes everything that goes with the record, and its reference if that is at the commit `at`. The lock of `place`,
/// which has the journal that tells of it, is held. Returns how many references were removed.
///
/// # Errors
/// What is left is removed by the next action.
pub(crate) fn remove(
    worktree: &WorktreeLock,
    place: &Place,
    deletion: &Deletion<'_>,
    at: Option<CommitId>,
) -> Result<usize, RescueError> {
    let (git, journal) = (worktree.git().to_the_end(), Journal::at(&place.folder));
    let mut hidden = references::pinned(&git, &place.key, deletion.moves)?;
    hidden.extend(at.map(|id| Hidden { name: deletion.reference.to_string(), id }));
    let names: Vec<&str> = hidden.iter().map(|hidden| &*hidden.name).collect();
    if !names.is_empty() {
        worktree.repo.check_writes(&names)?;
        check_packed(worktree)?;
    }
    for hidden in &hidden {
        references::remove(&git, &hidden.name, hidden.id)?;
    }
    remove_files(place, &journal.read()?.entries, deletion)?;
    // A reference that came back after a power cut would be one that nothing tells of.
    worktree.sync()?;
    journal.drop_entries(&|entry| deletion.has(entry))?;
    Ok(hidden.len())
}

/// Removes the indexes that no other move needs, and the bundle.
fn remove_files(place: &Place, entries: &[JournalEntry], deletion: &Deletion<'_>) -> Result<(), RescueError> {
    let sums = |is_gone: bool| -> BTreeSet<String> {
        journal::moves(entries)
            .filter(|made| deletion.moves.contains(&made.id) == is_gone)
            .flat_map(|made| [&made.index_before, &made.index_after])
            .flatten()
            .map(|kept| format!("index-{}", kept.sum))
            .collect()
    };
    let (gone, kept) = (sums(true), sums(false));
    let bundles = deletion.saved(entries).into_iter().filter_map(|saved| saved.shown.vault.as_ref());
    let indexes = gone.difference(&kept).map(|name| place.folder.join(name));
    for path in indexes.chain(bundles.map(|name| place.folder.join(VAULT).join(name))) {
        is_removed(fs::remove_file(&path)).map_err(RescueError::io("remove", &path))?;
    }
    Ok(())
}

/// Completes the deletions that were cut off in `place`, whose lock is held. What cannot be removed is left for the next
/// action, and keeps nobody from this one. Returns how many were completed and are left.
pub(crate) fn complete(worktree: &WorktreeLock, place: &Place, entries: &[JournalEntry]) -> (usize, usize) {
    let (mut n_done, mut n_left) = (0, 0);
    for deletion in journal::cut_deletions(entries) {
        match complete_one(worktree, place, entries, &deletion) {
            Ok(_) => n_done += 1,
            Err(error) => {
                n_left += 1;
                tracing::warn!("{} is not deleted as a whole yet: {error}", deletion.reference);
            }
        }
    }
    (n_done, n_left)
}

/// Completes one of them. Returns how many references were removed.
pub(crate) fn complete_one(
    worktree: &WorktreeLock,
    place: &Place,
    entries: &[JournalEntry],
    deletion: &Deletion<'_>,
) -> Result<usize, RescueError> {
    // What was cut off can have left a lock, by which nothing could be removed any more.
    if let Some(owner) = worktrees::owner_in(&place.folder)?
        && worktree.repo.check_writes(&[]).is_ok()
    {
        branch::release_hidden(&worktree.repo, &place.key, &owner);
    }
    let snapshot = deletion.saved(entries).map(|saved| saved.snapshot);
    // Someone else may have given the reference another value since.
    let at = references::at(&worktree.git().to_the_end(), deletion.reference)?;
    let at = at.filter(|at| Some(*at) == snapshot);
    remove(worktree, place, deletion, at)
}

/// Completes those of another worktree's place, unless somebody works there. Returns how many were completed and are left.
pub(crate) fn complete_beside(worktree: &WorktreeLock, place: &Place) -> (usize, usize) {
    // What cannot be locked or read there keeps nobody from the records here.
    if !place.is_former
        && let Ok(Some(_lock)) = lock::lock_if_free(&place.folder)
        && let Ok(read) = Journal::at(&place.folder).read()
    {
        return complete(worktree, place, &read.entries);
    }
    (0, 0)
}
