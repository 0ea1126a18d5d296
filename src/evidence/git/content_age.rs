//! How old the content of single files at HEAD is by what other branches, remote branches and tags hold: what was
//! squashed or checked out from one of them is no newer than it was there. Must not know who made it.

use std::collections::{HashMap, HashSet};

use super::reader::{Commit, Repo, TreeId};
use super::tree_entries::TreeEntries;
use crate::git::{LogEntry, Read, ReflogAction};
use crate::model::{CommitId, CommitSummary};

/// At most this many other references are compared.
const MAX_OTHERS: usize = 500;
/// A commit is compared with at most this many other references.
const MAX_TAKEN: usize = 50;
/// At most this many commits of another reference are looked through for the first that held a file's content.
const MAX_SIDE: usize = 200;

/// What another reference leads to.
pub(super) struct Other {
    id: CommitId,
    tree: TreeId,
    /// When its content was there at the latest, in seconds since the epoch.
    made: i64,
}

/// What all branches, remote branches and tags hold, at most so many of them as are compared. A rebase renews a
/// commit's time, so that of a commit that `log` does not record as made here the older one counts.
pub(super) fn others(repo: &dyn Repo, log: &[LogEntry]) -> Read<Vec<Other>> {
    let found = repo.refs(&["refs/heads", "refs/remotes", "refs/tags"])?;
    let tips: HashSet<CommitId> = found.into_iter().take(MAX_OTHERS).map(|found| found.commit).collect();
    let found = repo.commits(&tips.into_iter().collect::<Vec<CommitId>>())?;
    let is_made = |commit: &Commit| {
        let here = |entry: &&LogEntry| entry.new == Some(commit.id) && entry.action.is_making();
        log.iter().rev().find(here).is_some_and(|entry| entry.action != ReflogAction::Replay)
    };
    let other = |commit: Commit| {
        let made = if is_made(&commit) { commit.time } else { commit.time.min(commit.authored) };
        Other { id: commit.id, tree: commit.tree, made }
    };
    Ok(found.into_iter().flatten().map(other).collect())
}

/// When a commit was written, in seconds since the epoch, if `log` says that it was written here and is no copy of
/// another.
fn written_here(log: &[LogEntry], commit: &CommitSummary) -> Option<i64> {
    let is_it = |entry: &LogEntry| {
        entry.new == Some(commit.id) && matches!(entry.action, ReflogAction::Commit | ReflogAction::Amend)
    };
    log.iter().any(is_it).then_some(commit.at.0.div_euclid(1000))
}

/// Finds how old the content of single files is by what other references hold.
pub(super) struct Ages<'a> {
    repo: &'a dyn Repo,
    others: &'a [Other],
    /// HEAD's commit and its tree.
    tip: (CommitId, &'a TreeId),
    /// The sides of other references.
    sides: HashMap<CommitId, Side>,
}

/// What another reference has that HEAD does not share.
#[derive(Default)]
struct Side {
    /// The tree of the last commit that it and HEAD have in common.
    fork: Option<TreeId>,
    /// Its own commits before its tip, newest first: the tree of each, and when it was made.
    before: Vec<(TreeId, i64)>,
}

impl<'a> Ages<'a> {
    pub(super) fn new(repo: &'a dyn Repo, others: &'a [Other], tip: (CommitId, &'a TreeId)) -> Ages<'a> {
        Ages { repo, others, tip, sides: HashMap::new() }
    }

    /// When the content of a file at HEAD was made that a commit of the time `made` brought: as old as the oldest
    /// other reference that came to hold it on its own side.
    pub(super) fn age(&mut self, made: i64, path: &[u8], entries: &mut TreeEntries<'_>) -> Read<i64> {
        let mut age = made;
        if entries.are_same(None, Some(self.tip.1), path)? {
            return Ok(age);
        }
        for other in self.others {
            if entries.are_same(Some(&other.tree), Some(self.tip.1), path)? {
                age = age.min(self.held_since(other, path, entries)?.unwrap_or(age));
            }
        }
        Ok(age)
    }

    /// Whether all these files are at HEAD as other branches came to hold them, none of which stands on a commit of
    /// `log` that was made here: they were picked, squashed or checked out from there. Files that are gone say nothing.
    /// A branch that came to hold them no earlier than `commit`, which brought them and was written here, took them from it.
    pub(super) fn are_taken(
        &mut self,
        paths: &[Vec<u8>],
        commit: &CommitSummary,
        log: &[LogEntry],
        entries: &mut TreeEntries<'_>,
    ) -> Read<bool> {
        let is_here =
            |other: &&Other| log.iter().any(|entry| entry.new == Some(other.id) && entry.action.is_making());
        let elsewhere: Vec<&Other> = self.others.iter().filter(|other| !is_here(other)).collect();
        let made = written_here(log, commit);
        let mut are_any = false;
        for path in paths {
            if entries.are_same(None, Some(self.tip.1), path)? {
                continue;
            }
            let mut is_taken = false;
            for other in elsewhere.iter().take(MAX_TAKEN) {
                is_taken |= !is_taken
                    && entries.are_same(Some(&other.tree), Some(self.tip.1), path)?
                    && self
                        .held_since(other, path, entries)?
                        .is_some_and(|since| made.is_none_or(|made| since < made));
            }
            if !is_taken {
                return Ok(false);
            }
            are_any = true;
        }
        Ok(are_any)
    }

    /// Since when `other` holds this file as it is at HEAD, if it came to on its own side: its tip may be younger than
    /// the file.
    fn held_since(&mut self, other: &Other, path: &[u8], entries: &mut TreeEntries<'_>) -> Read<Option<i64>> {
        if !self.sides.contains_key(&other.id) {
            let side = self.side(other)?;
            self.sides.insert(other.id, side);
        }
        let Some(side) = self.sides.get(&other.id) else { return Ok(None) };
        if entries.are_same(side.fork.as_ref(), Some(self.tip.1), path)? {
            return Ok(None);
        }
        let mut since = other.made;
        for (tree, made) in &side.before {
            if !entries.are_same(Some(tree), Some(self.tip.1), path)? {
                break;
            }
            since = since.min(*made);
        }
        Ok(Some(since))
    }

    fn side(&self, other: &Other) -> Read<Side> {
        let base: Vec<CommitId> = self.repo.merge_base(other.id, self.tip.0)?.into_iter().collect();
        let own = self.repo.walk(&[other.id], &base, MAX_SIDE)?;
        let before = own.into_iter().filter(|commit| commit.id != other.id);
        let before = before.map(|commit| (commit.tree, commit.time)).collect();
        let fork = self.repo.commits(&base)?.into_iter().flatten().next().map(|commit| commit.tree);
        Ok(Side { fork, before })
    }
}
