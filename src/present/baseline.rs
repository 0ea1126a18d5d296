//! What git reports, in words: the origin of a baseline, short names of commits and branches, changes.

use super::counts;
use super::phrases::{baseline, changes};
use super::texts::shown;
use crate::model::{Baseline, BaselineOrigin, ChangeCounts, ChangeKind, CommitId, PlannedChange, RefName};

/// The id of a commit as the user is shown it: its first seven digits.
pub(crate) fn short(commit: CommitId) -> String {
    format!("{commit:.7}")
}

/// A branch name without `refs/heads/`. Cleaned.
pub(crate) fn branch(full: &RefName) -> String {
    shown(full.short())
}

/// The commit from which new work is counted, and how it was chosen. Cleaned.
pub(crate) fn label(baseline: &Baseline) -> String {
    let commit = baseline.commit.map_or_else(|| baseline::empty_history().to_owned(), short);
    let origin = match &baseline.origin {
        BaselineOrigin::Flag => baseline::flag().to_owned(),
        BaselineOrigin::Configuration => baseline::configuration().to_owned(),
        BaselineOrigin::Workspace => baseline::workspace().to_owned(),
        BaselineOrigin::FirstSeen => baseline::first_seen().to_owned(),
        BaselineOrigin::BranchPoint(branch) => baseline::branch_point(shown(branch)),
    };
    format!("{commit}, {origin}")
}

/// The letter of a change, as in `git status --short`, but with one `?` for untracked and `!` for a conflict.
pub(crate) fn change_letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Renamed => 'R',
        ChangeKind::TypeChanged => 'T',
        ChangeKind::Untracked => '?',
        ChangeKind::Conflicted => '!',
    }
}

/// The letter of a change that a commit would make.
pub(crate) fn planned_letter(change: PlannedChange) -> char {
    change_letter(match change {
        PlannedChange::Added => ChangeKind::Added,
        PlannedChange::Modified => ChangeKind::Modified,
        PlannedChange::Deleted => ChangeKind::Deleted,
    })
}

/// The numbers of changes by kind, without zeros, and how many paths count in two of them.
pub(crate) fn change_counts(changes: &ChangeCounts) -> Vec<String> {
    let n_twice = changes.n_counted_twice();
    let counts = [
        (changes.n_conflicted, changes::in_conflict(changes.n_conflicted)),
        (changes.n_staged, changes::staged(changes.n_staged)),
        (changes.n_unstaged, changes::not_staged(changes.n_unstaged)),
        (changes.n_untracked, changes::untracked(changes.n_untracked)),
        (n_twice, counts::counted_twice(n_twice)),
    ];
    counts.into_iter().filter(|(n, _)| *n > 0).map(|(_, words)| words).collect()
}
