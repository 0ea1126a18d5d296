//! Whether the index still says what it said when a move was planned, also after git wrote it anew for itself.
//!
//! It must not be asked while git's lock is held: git reads the index here.

use std::fs;

use super::error::RescueError;
use super::journal::Move;
use super::kept_index::kept;
use crate::git::{Git, IndexEntry, RawIndex, Shadow, index_entries};

use super::lock::WorktreeLock;
use super::{listing, shared_index};

/// Whether an index says what it said before the move. In a sparse checkout any `git status` takes the mark of
/// being skipped from files that are there, and writes that down.
pub(super) fn says_the_same(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    now: Option<&RawIndex>,
    plan: &Move,
) -> Result<bool, RescueError> {
    let entries = entries_of(git, shadow, now)?;
    let Some(before) = plan.index_before.as_ref().filter(|_| listing::digest(&entries) != plan.digest_before)
    else {
        return Ok(listing::digest(&entries) == plan.digest_before);
    };
    let before = kept(worktree, before)?;
    shared_index::put_into(worktree, shadow, &before.bytes)?;
    let before = entries_of(git, shadow, Some(&before))?;
    let is_same = |(before, now): (&IndexEntry, &IndexEntry)| {
        before.is_as(now) || (before.is_unskipped(now) && worktree.repo.has(&now.path))
    };
    Ok(before.len() == entries.len() && before.iter().zip(&entries).all(is_same))
}

/// The meaning of an index, as git reads it.
fn entries_of(
    git: &Git<'_>,
    shadow: &Shadow,
    index: Option<&RawIndex>,
) -> Result<Vec<IndexEntry>, RescueError> {
    match index {
        Some(raw) => raw.write(&shadow.index).map_err(RescueError::io("write", &shadow.index))?,
        None => drop(fs::remove_file(&shadow.index)),
    }
    Ok(index_entries(git, shadow, &shadow.index)?)
}
