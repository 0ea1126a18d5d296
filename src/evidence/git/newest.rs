//! Commits in the order in which they are listed, and what is told of each.

use std::collections::{BinaryHeap, HashMap};

use super::reader::Commit;
use crate::model::{CommitSummary, Timestamp};

/// Signs of an abbreviated id.
const SHORT: usize = 8;

/// Newest first, children before parents, the same for every reader: by time, then by id.
pub(super) fn newest_first(walked: &[Commit]) -> Vec<&Commit> {
    let by_id: HashMap<&str, usize> =
        walked.iter().enumerate().map(|(position, commit)| (commit.id.as_str(), position)).collect();
    let parents = |commit: &Commit| -> Vec<usize> {
        commit.parents.iter().filter_map(|parent| by_id.get(parent.as_str()).copied()).collect()
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

pub(super) fn summary(commit: &Commit) -> CommitSummary {
    CommitSummary {
        id: commit.id.chars().take(SHORT).collect(),
        subject: commit.subject.clone(),
        at: Timestamp(commit.time.saturating_mul(1000)),
    }
}
