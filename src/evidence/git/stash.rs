//! The stash entries that this work tree made, and what of them HEAD does not hold. All work trees of a repository share
//! one stash. Must not judge whose work an entry is.

use std::collections::BTreeSet;

use super::not_work::shown;
use super::reader::{Commit, Repo, TreeId};
use super::tree_entries::TreeEntries;
use crate::git::{self, LogEntry, Read, ReflogAction, Repository};
use crate::model::{CommitId, Head, Stashed, Timestamp};

/// At most this many entries are compared with HEAD; all others count as holding more.
const MAX_COMPARED: usize = 20;
/// An entry that changes more paths is not compared.
const MAX_PATHS: usize = 200;
/// What stands in the place of a branch where HEAD was on none.
const NO_BRANCH: &str = "(no branch)";

/// The entries of the `stash` that are based on a commit of this work tree, and that hold anything that HEAD's tree
/// does not; newest first.
pub(super) fn made_here(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    stash: &[LogEntry],
    tree: Option<&TreeId>,
    entries: &mut TreeEntries<'_>,
) -> Read<Vec<Stashed>> {
    let log = repo.reflog("HEAD")?;
    let is_shared = repository.is_linked() || repository.common_dir.join("worktrees").is_dir();
    let was_on = |commit: &Commit| {
        let name = branch_of(&commit.subject).filter(|_| is_shared && !log.is_empty());
        name.is_none_or(|name| has_stood_on(name, repository, head, &log))
    };
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
            let is_of_branch = commit.as_ref().is_none_or(was_on);
            stashed.push(Stashed { at: Timestamp(entry.time.saturating_mul(1000)), is_of_branch, paths });
        }
    }
    Ok(stashed)
}

/// The branch in `WIP on a: …` and `On a: …`, as git calls an entry.
fn branch_of(subject: &str) -> Option<&str> {
    let named = subject.strip_prefix("WIP on ").or_else(|| subject.strip_prefix("On "))?;
    let (name, _) = named.split_once(": ")?;
    let is_name = name == NO_BRANCH || !name.contains([' ', char::REPLACEMENT_CHARACTER]);
    is_name.then_some(name)
}

/// Whether HEAD of this work tree stands on this branch, or did.
fn has_stood_on(name: &str, repository: &Repository, head: &Head, log: &[LogEntry]) -> bool {
    if name == NO_BRANCH {
        let has_left = |moved: &LogEntry| {
            let is_commit = moved.from.as_ref().is_some_and(|from| from.parse::<CommitId>().is_ok());
            is_commit || moved.action == ReflogAction::RebaseStart
        };
        return matches!(head, Head::Detached { .. }) || log.iter().any(has_left);
    }
    let rebased = git::rebased_branch(repository);
    head.branch() == Some(name)
        || rebased.is_some_and(|branch| branch.strip_prefix("refs/heads/") == Some(name))
        || log.iter().any(|moved| moved.from.as_deref() == Some(name))
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
