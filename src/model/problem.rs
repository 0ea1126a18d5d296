//! What keeps closeout from reading or watching a workspace: facts, which `present` words.

/// Why a collection returned nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectProblem {
    /// It did not answer in time and was abandoned.
    TimedOut,
    /// The directory no longer exists.
    Gone,
    /// It failed; the text says how.
    Broke(String),
}

/// Why a workspace cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchProblem {
    /// The system's limit of watches was reached.
    LimitReached,
    /// Another failure, in words.
    Failed(String),
}

/// What keeps closeout from looking at a workspace properly, most serious first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceProblems {
    /// Why it could not be read.
    pub reading: Option<CollectProblem>,
    /// What is wrong with its own configuration file, in words.
    pub settings: Option<String>,
    /// Why it cannot be watched.
    pub watching: Option<WatchProblem>,
}

impl WorkspaceProblems {
    /// True if nothing keeps closeout from looking.
    pub fn is_empty(&self) -> bool {
        *self == WorkspaceProblems::default()
    }
}
