//! How old the content of single files at HEAD is by what other branches, remote branches and tags hold: what was
//! squashed or checked out from one of them is no newer than it was there. Must not know who made it.

use std::collections::{HashMap, HashSet};

use super::reader::{Commit, Id, Repo};
use super::tree_entries::TreeEntries;
use crate::git::{LogEntry, Read, ReflogAction};

/// At most this many other references are compared.
const MAX_OTHERS: usize = 500;

/// What another reference leads to.
pub(super) struct Other {
    id: Id,
    tree: Id,
    /// When its content was there at the latest, in seconds since the epoch.
    made: i64,
}

/// What all branches, remote branches and tags hold, at most so many of them as are compared. A rebase renews a
/// commit's time, so that of a commit that `log` does not record as made here the older one counts.
pub(super) fn others(repo: &dyn Repo, log: &[LogEntry]) -> Read<Vec<Other>> {
    let found = repo.refs(&["refs/heads", "refs/remotes", "refs/tags"])?;
    let tips: HashSet<Id> = found.into_iter().take(MAX_OTHERS).map(|found| found.commit).collect();
    let found = repo.commits(&tips.into_iter().collect::<Vec<Id>>())?;
    let is_made = |commit: &Commit| {
        let here = |entry: &&LogEntry| entry.new == commit.id && entry.action.is_making();
        log.iter().rev().find(here).is_some_and(|entry| entry.action != ReflogAction::Replay)
    };
    let other = |commit: Commit| {
        let made = if is_made(&commit) { commit.time } else { commit.time.min(commit.authored) };
        Other { id: commit.id, tree: commit.tree, made }
    };
    Ok(found.into_iter().flatten().map(other).collect())
}

/// Finds how old the content of single files is by what other references hold.
pub(super) struct Ages<'a> {
    repo: &'a dyn Repo,
    others: &'a [Other],
    /// HEAD's commit and its tree.
    tip: (&'a Id, &'a Id),
    /// The tree of the last commit that HEAD and another one have in common.
    forks: HashMap<Id, Option<Id>>,
}

impl<'a> Ages<'a> {
    pub(super) fn new(repo: &'a dyn Repo, others: &'a [Other], tip: (&'a Id, &'a Id)) -> Ages<'a> {
        Ages { repo, others, tip, forks: HashMap::new() }
    }

    /// When the content of a file at HEAD was made that a commit of the time `made` brought: as old as the oldest
    /// other reference that came to hold it on its own side.
    pub(super) fn age(&mut self, made: i64, path: &[u8], entries: &mut TreeEntries<'_>) -> Read<i64> {
        let mut age = made;
        if entries.are_same(None, Some(self.tip.1), path)? {
            return Ok(age);
        }
        for other in self.others {
            if other.made < age
                && entries.are_same(Some(&other.tree), Some(self.tip.1), path)?
                && !entries.are_same(self.fork(other)?.as_ref(), Some(self.tip.1), path)?
            {
                age = other.made;
            }
        }
        Ok(age)
    }

    fn fork(&mut self, other: &Other) -> Read<Option<Id>> {
        if let Some(tree) = self.forks.get(&other.id) {
            return Ok(tree.clone());
        }
        let base: Vec<Id> = self.repo.merge_base(&other.id, self.tip.0)?.into_iter().collect();
        let tree = self.repo.commits(&base)?.into_iter().flatten().next().map(|commit| commit.tree);
        self.forks.insert(other.id.clone(), tree.clone());
        Ok(tree)
    }
}
