//! Whether HEAD's history has what commits made here and left elsewhere hold, in commits that somebody else made of
//! them: squashed into a default branch, or picked. All of it counts or nothing. Must not know who was asked for it.

use std::collections::{BTreeMap, HashMap};

use super::reader::{Commit, Repo, TreeId};
use super::rebased::{Change, lines};
use super::tree_entries::TreeEntries;
use crate::git::Read;
use crate::model::CommitId;

/// Of more commits it is not asked whether they landed.
const MAX_COMMITS: usize = 40;
/// At most this many commits of HEAD's history are searched for content.
const MAX_SEARCHED: usize = 40;
/// Of more files it is not asked whether they landed.
const MAX_PATHS: usize = 200;

/// What the commits left in one file.
struct Left<'c> {
    /// The commit before the first of them that changed it.
    before: Option<CommitId>,
    before_tree: Option<&'c TreeId>,
    /// The last of them that changed it.
    last: &'c Commit,
}

/// Whether all that the commits `left` (oldest first) changed is in the `walked` commits since the baseline, and still in
/// HEAD, whose commit is the first of them. `parents` are the trees of their parents, `base` is that of the baseline: what it
/// held already did not land.
pub(super) fn have_all(
    repo: &dyn Repo,
    (left, parents): (&[&Commit], &HashMap<CommitId, TreeId>),
    walked: &[Commit],
    base: Option<&TreeId>,
    entries: &mut TreeEntries<'_>,
) -> Read<bool> {
    let Some(tip) = walked.first().filter(|_| !left.is_empty() && left.len() <= MAX_COMMITS) else {
        return Ok(false);
    };
    let files = files(repo, left, parents)?;
    if files.len() > MAX_PATHS {
        return Ok(false);
    }
    for (path, file) in &files {
        let last = Some(&file.last.tree);
        if entries.are_same(file.before_tree, last, path)? {
            continue;
        }
        let was_there = entries.are_same(base, last, path)?;
        let is_taken_back = entries.are_same(file.before_tree, Some(&tip.tree), path)?;
        if was_there || is_taken_back || !is_in(repo, file, path, walked, entries)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The files that the commits changed.
fn files<'c>(
    repo: &dyn Repo,
    left: &[&'c Commit],
    parents: &'c HashMap<CommitId, TreeId>,
) -> Read<BTreeMap<Vec<u8>, Left<'c>>> {
    let mut files: BTreeMap<Vec<u8>, Left<'c>> = BTreeMap::new();
    for commit in left {
        let before = commit.parents.first().copied();
        let before_tree = before.and_then(|before| parents.get(&before));
        for path in repo.paths(commit)? {
            let first = || Left { before, before_tree, last: commit };
            files.entry(path).or_insert_with(first).last = commit;
        }
    }
    Ok(files)
}

/// Whether one of the `walked` commits holds the file as it was left, or all of its change beside others'.
fn is_in(
    repo: &dyn Repo,
    file: &Left<'_>,
    path: &[u8],
    walked: &[Commit],
    entries: &mut TreeEntries<'_>,
) -> Read<bool> {
    let searched = || walked.iter().take(MAX_SEARCHED);
    for commit in searched() {
        if entries.are_same(Some(&file.last.tree), Some(&commit.tree), path)? {
            return Ok(true);
        }
    }
    let Some(change) = Change::of(repo, file.before, file.last.id, path)? else { return Ok(false) };
    let mut newer: Option<&TreeId> = None;
    for commit in searched() {
        let is_known = newer.is_some() && entries.are_same(newer, Some(&commit.tree), path)?;
        if !is_known && change.is_all_in(&lines(repo, commit.id, path)?.unwrap_or_default()) {
            return Ok(true);
        }
        newer = Some(&commit.tree);
    }
    Ok(false)
}
