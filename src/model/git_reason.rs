//! Why git's evidence claims what it claims: numbers and names, which `present` words. Texts are untrusted.

use super::{ChangeCounts, Operation};

/// What git shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitReason {
    /// New commits since the baseline.
    NewCommits {
        /// How many, or how many at least.
        n: u32,
        /// Whether the count was cut.
        is_at_least: bool,
    },
    /// Commits since the baseline that cancel each other out.
    Cancelled(u32),
    /// Commits since the baseline that are not new work.
    Aside(CommitAside, u32),
    /// Entries in the stash of the repository.
    Stashed(u32),
    /// An operation that was begun and not ended.
    Unfinished(Operation),
    /// Files that are not committed.
    Uncommitted(ChangeCounts),
    /// Changed files that are not the task's work.
    NotOfTask(u32, SomeNames),
    /// Changed paths that the person calls noise.
    Noise(SomeNames),
    /// The newest commits only keep unfinished work.
    Kept {
        /// How many.
        n: usize,
        /// The subject of the newest.
        subject: String,
    },
    /// Commits that no branch, remote branch or tag holds.
    OnNoBranch(u32),
    /// Entries of the task in the stash.
    StashedWork(usize),
    /// Changed files that git does not show.
    Hidden {
        /// What hides the first of them.
        behind: &'static str,
        /// The files.
        files: SomeNames,
    },
    /// Files of the task that git ignores.
    Ignored(SomeNames),
    /// Files that changed after a test run, whoever changed them.
    ChangedAfterRun(SomeNames),
    /// Required files that are in no commit as they are.
    NotInCommit(SomeNames),
    /// The task took tests away.
    FewerTests {
        /// How many fewer there are.
        n_lost: i64,
        /// How many more are left out.
        n_left_out: i64,
        /// In these files.
        files: SomeNames,
    },
}

impl GitReason {
    /// True for work that git does not show as changed files and that no finishing commit holds.
    pub fn is_kept_apart(&self) -> bool {
        matches!(self, GitReason::Kept { .. } | GitReason::StashedWork(_) | GitReason::Hidden { .. })
    }
}

/// Why commits since the baseline are not new work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitAside {
    /// A rescue made them.
    Rescued,
    /// They came from elsewhere.
    Foreign,
    /// They change nothing.
    Empty,
    /// They change only what the person calls noise, or reports on the work.
    Noise,
    /// They were made here and are only on another branch.
    Elsewhere,
    /// They were made here, and HEAD's history has their content in other commits.
    Landed,
    /// They were made here and are no longer on any branch.
    Lost,
}

/// The first few names of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SomeNames {
    /// The first, at most [`SomeNames::MAX`].
    pub first: Vec<String>,
    /// How many more there are.
    pub n_more: usize,
}

impl SomeNames {
    /// How many names are kept.
    pub const MAX: usize = 3;
}

impl<S: Into<String>> FromIterator<S> for SomeNames {
    fn from_iter<T: IntoIterator<Item = S>>(names: T) -> SomeNames {
        let mut names = names.into_iter();
        let first = names.by_ref().take(SomeNames::MAX).map(Into::into).collect();
        SomeNames { first, n_more: names.count() }
    }
}
