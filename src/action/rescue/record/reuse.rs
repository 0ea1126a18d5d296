//! Recognises that the newest record already holds exactly the state that was just read, so that no second copy
//! is made.
//!
//! It must not rely on times and sizes of files: writing through a memory mapping can leave both unchanged.
//! Everything is read and hashed before, and the record must still hold all of it.

use std::path::Path;

use crate::action::rescue::base::{RescueError, Saved, beside, journal, references};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::snapshot::{Commits, Draft, Recorded, verify};
use crate::action::rescue::survey::{Survey, Tree, coverage, listing};
use crate::action::rescue::{catalogue, vault};
use crate::git::Git;
use crate::model::{CommitId, Gap, KeepIn, RecordOrder, RescueRecord, Timestamp};

/// The newest record of this worktree, if a new one would have the same content in the same place.
pub(crate) fn same(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    order: RecordOrder,
    read: &Recorded,
    draft: &Draft,
) -> Result<Option<Saved>, RescueError> {
    let survey = &read.survey;
    if order.keep_in == KeepIn::RepositoryAndVault || !survey.is_settled {
        return Ok(None);
    }
    worktree.repo.check_same()?;
    let newest = match &worktree.no_journal {
        None => journal::saved(&worktree.journal.read()?.entries).pop().cloned(),
        Some(_) => beside::untold(&worktree.folder, &[]).pop(),
    };
    Ok(newest.filter(|saved| {
        if order.keep_in == KeepIn::Vault {
            let name = saved.shown.vault.as_ref().filter(|_| saved.shown.is_vault_only);
            let bundle = name.map(|name| vault::folder(&worktree.folder).join(name));
            let is_of_bundle =
                |bundle: &Path| vault::check(worktree, bundle, &read.shadow.file("opened"), draft).is_ok();
            return is_of_state(saved, survey) && bundle.is_some_and(|bundle| is_of_bundle(&bundle));
        }
        let id = saved.reference.id();
        // A record with another name or place than usual is made again: the usual one may be free now.
        let is_usual =
            saved.reference == references::of_record(&worktree.repo.key, id) && !saved.shown.is_vault_only;
        is_usual && is_of_state(saved, survey) && is_of(git, saved, draft)
    }))
}

/// Whether the record was made at the same commit and index.
fn is_of_state(saved: &Saved, survey: &Survey) -> bool {
    saved.shown.time.is_some()
        && saved.head == survey.head.commit
        && saved.digest == listing::digest(&survey.entries)
}

/// Whether the record holds what was read, completely. If git does not answer, the answer is no.
fn is_of(git: &Git<'_>, saved: &Saved, draft: &Draft) -> bool {
    // Read, because nothing of an older pack was verified just now.
    let is_tree =
        |commit: CommitId, expected: &Tree| listing::tree(git, commit).is_ok_and(|tree| tree == *expected);
    let commits = Commits { snapshot: saved.snapshot, record: saved.record };
    is_tree(saved.snapshot, &draft.snapshot)
        && is_tree(saved.record, &draft.record)
        && references::at(git, &saved.reference).is_ok_and(|at| at == Some(saved.snapshot))
        && verify::is_there(git, draft, commits.names()).is_ok()
}

/// The description of a kept record of what was just read.
pub(crate) fn described(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    saved: Saved,
    survey: &Survey,
    gaps: Vec<Gap>,
) -> Result<RescueRecord, RescueError> {
    let shown = saved.shown;
    let bundle = shown.vault.map(|name| vault::folder(&worktree.folder).join(name));
    Ok(RescueRecord {
        reference: saved.reference,
        snapshot: saved.snapshot,
        record: saved.record,
        time: Timestamp(shown.time.unwrap_or_default()),
        unchanged_millis: None,
        branch: survey.head.branch.clone(),
        n_files: survey.blobs.len(),
        n_bytes: survey.n_bytes(),
        n_disk_bytes: shown.n_disk_bytes.unwrap_or(0),
        gaps,
        is_settled: survey.is_settled,
        ignored: coverage::count_ignored(git, &survey.ignored)?,
        vault: bundle.filter(|path| path.is_file()),
        notices: Vec::new(),
        totals: catalogue::totals(worktree)?,
    })
}
