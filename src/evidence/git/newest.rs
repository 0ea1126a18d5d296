//! Orders commits for display and summarises each one.

use std::collections::{BinaryHeap, HashMap};

use super::history::History;
use super::not_work::shown;
use super::reader::{Commit, Repo};
use crate::git::{Read, ReflogAction};
use crate::model::{CommitId, CommitSummary, TestCensus, TestChange, Timestamp, is_test_file};

/// A commit's paths are named only if there are at most this many.
const MAX_PATHS: usize = 40;
/// At most this many rewording amends of one commit are followed back.
const MAX_REWORDED: usize = 20;
/// At most this many test files of a commit are examined, each of at most [`LONGEST_TEST`] bytes.
const MAX_TESTS: usize = 20;
const LONGEST_TEST: usize = 256 << 10;

/// Newest first, children before parents. The order is by time, then by id, and so the same for both readers.
pub(super) fn newest_first(walked: &[Commit]) -> Vec<&Commit> {
    let by_id: HashMap<CommitId, usize> =
        walked.iter().enumerate().map(|(position, commit)| (commit.id, position)).collect();
    let parents = |commit: &Commit| -> Vec<usize> {
        commit.parents.iter().filter_map(|parent| by_id.get(parent).copied()).collect()
    };
    let mut n_children = vec![0_usize; walked.len()];
    for parent in walked.iter().flat_map(parents) {
        n_children[parent] += 1;
    }
    let key = |position: usize| (walked[position].time, &walked[position].id, position);
    let mut ready: BinaryHeap<_> =
        (0..walked.len()).filter(|position| n_children[*position] == 0).map(key).collect();
    let mut sorted = Vec::with_capacity(walked.len());
    while let Some((_, _, position)) = ready.pop() {
        sorted.push(&walked[position]);
        for parent in parents(&walked[position]) {
            n_children[parent] -= 1;
            if n_children[parent] == 0 {
                ready.push(key(parent));
            }
        }
    }
    sorted
}

/// Summarises a commit that changes `paths`.
pub(super) fn summary(repo: &dyn Repo, commit: &Commit, paths: &[Vec<u8>]) -> Read<CommitSummary> {
    // A merge's paths, and whose work they are, depend on the parent it is compared with: none are named.
    let is_merge = commit.parents.len() > 1;
    let mut named: Vec<String> = paths.iter().filter(|_| !is_merge).map(|path| shown(path)).collect();
    named.sort();
    Ok(CommitSummary {
        id: commit.id,
        subject: commit.subject.clone(),
        at: Timestamp(commit.time.saturating_mul(1000)),
        tests: tests(repo, commit, &named)?,
        paths: (!is_merge && named.len() <= MAX_PATHS).then_some(named),
        written_at: Vec::new(),
        is_merged: false,
    })
}

/// When the content of a commit was made. A rebase, a cherry-pick or a rewording amend makes a new commit but
/// no new content.
pub(super) fn made_at(repo: &dyn Repo, history: &History, commit: &Commit) -> Read<Timestamp> {
    let mut commit = commit.clone();
    let mut seconds = commit.time;
    for _ in 0..MAX_REWORDED {
        seconds = commit.time;
        match history.made.get(&commit.id) {
            Some(ReflogAction::Replay | ReflogAction::ReplayOver) => seconds = seconds.min(commit.authored),
            Some(ReflogAction::Amend) => {
                let old: Vec<CommitId> = history.amended.get(&commit.id).copied().into_iter().collect();
                let old = repo.commits(&old)?.into_iter().flatten().next();
                if let Some(old) = old.filter(|old| old.tree == commit.tree) {
                    commit = old;
                    continue;
                }
            }
            _ => {}
        }
        break;
    }
    Ok(Timestamp(seconds.saturating_mul(1000)))
}

/// The test files that a commit changes, each with its number of tests before and after.
fn tests(repo: &dyn Repo, commit: &Commit, paths: &[String]) -> Read<Vec<TestChange>> {
    let of_tests = paths.iter().filter(|path| is_test_file(path)).take(MAX_TESTS);
    of_tests
        .map(|path| {
            let before = census(repo, commit.parents.first().copied(), path)?;
            Ok(TestChange { path: path.clone(), before, after: census(repo, Some(commit.id), path)? })
        })
        .collect()
}

fn census(repo: &dyn Repo, commit: Option<CommitId>, path: &str) -> Read<TestCensus> {
    let Some(commit) = commit else { return Ok(TestCensus::default()) };
    let content = repo.file(commit, path, LONGEST_TEST)?;
    Ok(content.map(|text| TestCensus::of(&String::from_utf8_lossy(&text))).unwrap_or_default())
}

/// When a commit beyond the listed ones was made, and what it did to the tests.
pub(super) fn older_tests(repo: &dyn Repo, commit: &Commit) -> Read<Vec<(Timestamp, TestChange)>> {
    let CommitSummary { at, tests, .. } = summary(repo, commit, &repo.paths(commit)?)?;
    Ok(tests.into_iter().map(|change| (at, change)).collect())
}

/// What the work tree did to the tests of the commit `head`; `paths` differ from it. Empty if there are too
/// many to examine, since a test may have moved from one file to another.
pub(super) fn uncommitted_tests(
    repo: &dyn Repo,
    head: Option<CommitId>,
    paths: &[Vec<u8>],
    read: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Read<Vec<TestChange>> {
    let of_tests: Vec<&Vec<u8>> = paths.iter().filter(|path| is_test_file(&shown(path))).collect();
    if of_tests.len() > MAX_TESTS {
        return Ok(Vec::new());
    }
    of_tests
        .into_iter()
        .map(|path| {
            let name = shown(path);
            let before = census(repo, head, &name)?;
            let now = read(path).filter(|text| text.len() <= LONGEST_TEST);
            let after = now.map(|text| TestCensus::of(&String::from_utf8_lossy(&text))).unwrap_or_default();
            Ok(TestChange { path: name, before, after })
        })
        .collect()
}
