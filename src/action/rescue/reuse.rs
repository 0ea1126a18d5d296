//! Finds out that the newest record is of exactly the state that was just read, so that it is used again and
//! no second copy is made.
//!
//! It must not believe times and sizes of files: what is written through a mapping of memory can leave both as
//! they are. Everything was read and summed up before this is asked, and the record must hold all of it now.

use super::Rescuer;
use super::error::RescueError;
use super::journal::{self, Saved};
use super::listing::Tree;
use super::lock::WorktreeLock;
use super::record::Draft;
use super::survey::Survey;
use super::{catalogue, listing, references, vault, verify};
use crate::action::clock;
use crate::git::Git;
use crate::model::{Gap, IgnoredFiles, KeepIn, RecordOrder, RescueRecord, Timestamp};

/// The newest record of this worktree, when a new one would hold the same in the same place.
pub(super) fn same(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    order: RecordOrder,
    survey: &Survey,
    draft: &Draft,
) -> Result<Option<Saved>, RescueError> {
    if order.keep_in != KeepIn::Repository || !survey.is_settled {
        return Ok(None);
    }
    worktree.repo.check_same()?;
    let actions = worktree.journal.read()?.entries;
    let newest = journal::saved(&actions).pop().cloned();
    Ok(newest.filter(|saved| {
        let id = saved.reference.rsplit('/').next().unwrap_or_default();
        // One that had to take another name, or another place, is made again: perhaps the usual one is free now.
        let is_usual =
            saved.reference == references::of_record(&worktree.repo.key, id) && !saved.shown.is_vault_only;
        is_usual && saved.shown.time.is_some() && is_of(git, saved, survey, draft)
    }))
}

/// Whether the record holds what was read, and nothing of it is missing. What git does not answer is a no.
fn is_of(git: &Git<'_>, saved: &Saved, survey: &Survey, draft: &Draft) -> bool {
    let is_tree =
        |commit: &str, expected: &Tree| listing::tree(git, commit).is_ok_and(|tree| tree == *expected);
    saved.head == survey.head.commit
        && saved.digest == listing::digest(&survey.entries)
        && is_tree(&saved.snapshot, &draft.snapshot)
        && is_tree(&saved.record, &draft.record)
        && references::at(git, &saved.reference).is_ok_and(|at| at.as_ref() == Some(&saved.snapshot))
        && verify::is_there(git, draft, &[&saved.snapshot, &saved.record]).is_ok()
}

/// What is told of a record that is used again.
pub(super) fn reused(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    saved: Saved,
    survey: &Survey,
    gaps: Vec<Gap>,
    ignored: IgnoredFiles,
) -> Result<RescueRecord, RescueError> {
    let shown = saved.shown;
    let time = Timestamp(shown.time.unwrap_or_default());
    let unchanged = clock::now().millis_since(time);
    let bundle = shown.vault.map(|name| vault::folder(&worktree.folder).join(name));
    Ok(RescueRecord {
        reference: saved.reference,
        snapshot: saved.snapshot,
        record: saved.record,
        time,
        unchanged_millis: Some(u64::try_from(unchanged).unwrap_or(0)),
        branch: survey.head.branch.clone(),
        n_files: survey.blobs.len(),
        n_bytes: survey.blobs.values().map(|blob| blob.size).sum(),
        n_disk_bytes: shown.n_disk_bytes.unwrap_or(0),
        gaps,
        is_settled: survey.is_settled,
        ignored,
        vault: bundle.filter(|path| path.is_file()),
        notices: Vec::new(),
        totals: catalogue::totals(rescuer, worktree)?,
    })
}
