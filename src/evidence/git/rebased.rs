//! Which commits a rebase carried over into those that it made. What it left out is not replaced, whatever else it made
//! anew. Must not know what anybody was asked for.

use std::collections::HashSet;

use super::reader::{Commit, Repo};
use super::tree_entries::TreeEntries;
use crate::git::Read;
use crate::model::CommitId;

/// At most this many commits of a rebase, and as many of HEAD's history, are searched for content.
const MAX_SEARCHED: usize = 40;
/// At most this many commits are searched for by content. Of more it is unknown, and they count as carried over.
const MAX_SOUGHT: usize = 40;
/// Longer files are not compared by their lines.
const LONGEST_COMPARED: usize = 256 << 10;

/// One rebase that came to its end.
#[derive(Debug)]
pub(super) struct Rebase {
    /// The commits made here that the branch held before.
    pub(super) left: HashSet<CommitId>,
    /// The commits that it made, those of every step.
    pub(super) made: Vec<CommitId>,
}

/// Those of the `found` commits that a rebase left and that exist again in another form: the same change by subject and
/// author's time, or the same content in what the rebase made or in HEAD's history (`walked`).
pub(super) fn carried(
    repo: &dyn Repo,
    rebases: &[Rebase],
    found: &[Commit],
    walked: &[Commit],
    entries: &mut TreeEntries<'_>,
) -> Read<HashSet<CommitId>> {
    let mut carried = HashSet::new();
    let mut n_sought = 0;
    for rebase in rebases {
        let mut left = found.iter().filter(|commit| rebase.left.contains(&commit.id)).peekable();
        if left.peek().is_none() {
            continue;
        }
        let made: Vec<Commit> = repo.commits(&rebase.made)?.into_iter().flatten().collect();
        for commit in left {
            let is_again = made.iter().chain(walked).any(|other| is_same_change(other, commit));
            n_sought += usize::from(!is_again);
            let searched = || made.iter().rev().take(MAX_SEARCHED).chain(walked.iter().take(MAX_SEARCHED));
            if is_again || n_sought > MAX_SOUGHT || is_in(repo, commit, searched, entries)? {
                carried.insert(commit.id);
            }
        }
    }
    Ok(carried)
}

/// Whether one of two commits repeats the other: a rebase or a pick keeps subject and author's time.
pub(super) fn is_same_change(one: &Commit, other: &Commit) -> bool {
    one.id != other.id && one.authored == other.authored && one.subject == other.subject
}

/// Whether each file that a commit changed is in one of `others` as the commit left it, or with most of its change.
fn is_in<'c, I: Iterator<Item = &'c Commit>>(
    repo: &dyn Repo,
    commit: &Commit,
    others: impl Fn() -> I,
    entries: &mut TreeEntries<'_>,
) -> Read<bool> {
    'paths: for path in repo.paths(commit)? {
        for other in others() {
            if entries.are_same(Some(&commit.tree), Some(&other.tree), &path)? {
                continue 'paths;
            }
        }
        let before = commit.parents.first().copied();
        let Some(change) = Change::of(repo, before, commit.id, &path)? else { return Ok(false) };
        for other in others() {
            if change.is_mostly_in(&lines(repo, other.id, &path)?.unwrap_or_default()) {
                continue 'paths;
            }
        }
        return Ok(false);
    }
    Ok(true)
}

/// The lines that are added to a file from one commit to another, and those that are taken away.
pub(super) struct Change {
    added: HashSet<Vec<u8>>,
    removed: HashSet<Vec<u8>>,
}

impl Change {
    /// `None` if there is no file in `after`, or it is too large to tell.
    pub(super) fn of(
        repo: &dyn Repo,
        before: Option<CommitId>,
        after: CommitId,
        path: &[u8],
    ) -> Read<Option<Change>> {
        let before = match before {
            Some(before) => lines(repo, before, path)?.unwrap_or_default(),
            None => HashSet::new(),
        };
        let Some(after) = lines(repo, after, path)? else { return Ok(None) };
        let only =
            |one: &HashSet<Vec<u8>>, other: &HashSet<Vec<u8>>| one.difference(other).cloned().collect();
        Ok(Some(Change { added: only(&after, &before), removed: only(&before, &after) }))
    }

    /// Whether a file with these lines has most of the change.
    fn is_mostly_in(&self, lines: &HashSet<Vec<u8>>) -> bool {
        let n_all = self.added.len() + self.removed.len();
        n_all > 0 && self.n_in(lines) * 2 > n_all
    }

    /// Whether a file with these lines has all of the change.
    pub(super) fn is_all_in(&self, lines: &HashSet<Vec<u8>>) -> bool {
        let n_all = self.added.len() + self.removed.len();
        n_all > 0 && self.n_in(lines) == n_all
    }

    fn n_in(&self, lines: &HashSet<Vec<u8>>) -> usize {
        let n_kept = self.added.iter().filter(|line| lines.contains(*line)).count();
        n_kept + self.removed.iter().filter(|line| !lines.contains(*line)).count()
    }
}

/// The lines of a file without the space around them; `None` if there is no such file, or it is too large.
pub(super) fn lines(repo: &dyn Repo, commit: CommitId, path: &[u8]) -> Read<Option<HashSet<Vec<u8>>>> {
    let Ok(path) = std::str::from_utf8(path) else { return Ok(None) };
    let Some(text) = repo.file(commit, path, LONGEST_COMPARED)? else { return Ok(None) };
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    Ok(Some(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()))
}
