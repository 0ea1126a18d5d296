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
