//! The commit from which new work is counted, and how it was chosen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommitId, Timestamp};

/// The commit from which new work is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// Full object id in hexadecimal; `None` is the empty history (the branch was unborn).
    pub commit: Option<CommitId>,
    /// How it was found; the screen says so.
    pub origin: BaselineOrigin,
    /// When it was set.
    pub set_at: Timestamp,
    /// The committer time of the commit: what was written before it is about an earlier task.
    pub commit_time: Option<Timestamp>,
}

/// What a name that was given as the baseline meant for one task. Names move: a push moves `origin/main`, a commit
/// `HEAD~1`, and neither takes back the work that was done since the task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBaseline {
    /// The name, as it was written.
    pub rev: String,
    /// When the task began.
    pub task_at: Timestamp,
    /// What it meant.
    pub baseline: Baseline,
}

/// When the oldest task that counts began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskBegin {
    /// When its first known prompt was written.
    pub at: Timestamp,
    /// True if its first prompt precedes the part of the record that was read.
    pub is_unread: bool,
}

impl TaskBegin {
    /// When the task began, if a task that began at `known` was judged before: one whose begin was not read may be the
    /// same.
    pub fn after(self, known: Option<Timestamp>) -> Timestamp {
        known.filter(|known| self.is_unread && *known <= self.at).unwrap_or(self.at)
    }
}

/// How a baseline was found, in falling order of precedence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "of")]
pub enum BaselineOrigin {
    /// Given on the command line.
    Flag,
    /// Given in a configuration file of the user.
    Configuration,
    /// Given in the workspace's own file.
    Workspace,
    /// HEAD when closeout first saw this workspace.
    FirstSeen,
    /// The commit where this branch left the named branch.
    BranchPoint(String),
}
