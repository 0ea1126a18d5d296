//! The stash entries that this work tree made, and what of them HEAD does not hold. All work trees of a repository share
//! one stash. Must not judge whose work an entry is.

use std::collections::BTreeSet;

use super::not_work::shown;
use super::reader::{Commit, Repo, TreeId};
use super::tree_entries::TreeEntries;
use crate::git::{LogEntry, Read};
use crate::model::{CommitId, Stashed, Timestamp};

/// At most this many entries are compared with HEAD; all others count as holding more.
const MAX_COMPARED: usize = 20;
/// An entry that changes more paths is not compared.
const MAX_PATHS: usize = 200;

/// The entries of the `stash` that are based on a commit of this work tree, and that hold anything that HEAD's tree
/// does not; newest first.
pub(super) fn made_here(
    repo: &dyn Repo,
    stash: &[LogEntry],
    tree: Option<&TreeId>,
    entries: &mut TreeEntries<'_>,
) -> Read<Vec<Stashed>> {
    let log = repo.reflog("HEAD")?;
    let (stash, ids): (Vec<&LogEntry>, Vec<CommitId>) =
        stash.iter().filter_map(|entry| Some((entry, entry.new?))).unzip();
    let commits = repo.commits(&ids)?;
    let is_here = |commit: &Commit| {
        let begun_at = commit.parents.first().copied();
        log.is_empty() || log.iter().any(|moved| moved.new == begun_at || moved.old == begun_at)
    };
    let found = stash.iter().zip(&commits).rev();
    let here = found.filter(|(_, commit)| commit.as_ref().is_none_or(is_here));
    let mut stashed = Vec::new();
    for (at, (entry, commit)) in here.enumerate() {
        let at_most = commit.as_ref().filter(|_| at < MAX_COMPARED);
        let paths = at_most.map_or(Ok(None), |commit| missing(repo, commit, tree, entries))?;
        if paths.as_ref().is_none_or(|paths| !paths.is_empty()) {
            stashed.push(Stashed { at: Timestamp(entry.time.saturating_mul(1000)), paths });
        }
    }
    Ok(stashed)
}

/// The paths that an entry changes and that are otherwise in `tree`; `None` if they are too many to compare. An entry
/// is a commit of the work tree on top of HEAD, of one of the index, and of one of the untracked files if they were taken.
fn missing(
    repo: &dyn Repo,
    commit: &Commit,
    tree: Option<&TreeId>,
    entries: &mut TreeEntries<'_>,
) -> Read<Option<Vec<String>>> {
    let parents = repo.commits(&commit.parents)?;
    let tree_of = |at: usize| parents.get(at).and_then(Option::as_ref).map(|parent| parent.tree.clone());
    let (Some(base), Some(index)) = (tree_of(0), tree_of(1)) else { return Ok(None) };
    let mut missing = BTreeSet::new();
    for to in [&commit.tree, &index] {
        let Some(paths) = entries.changed(Some(&base), to, MAX_PATHS)? else { return Ok(None) };
        for path in paths {
            if !entries.are_same(Some(to), tree, &path)? {
                missing.insert(shown(&path));
            }
        }
    }
    if let Some(untracked) = tree_of(2) {
        let Some(paths) = entries.changed(None, &untracked, MAX_PATHS)? else { return Ok(None) };
        for path in paths {
            if !entries.are_same(Some(&untracked), tree, &path)? {
                missing.insert(shown(&path));
            }
        }
    }
    Ok(Some(missing.into_iter().collect()))
}
