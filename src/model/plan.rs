//! What a person saw of the world when they confirmed something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GitFacts;

/// The state of a repository as a front showed it. An action that was confirmed on this state is
/// refused when the state is another one (DESIGN.md, invariant 6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenWorld {
    /// The commit of HEAD; `None` when the branch is unborn.
    pub commit: Option<String>,
    /// The branch; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// How many paths were changed; `None` when the work tree had not been looked at.
    pub n_paths: Option<u32>,
}

impl SeenWorld {
    /// What these facts show.
    pub fn of(git: &GitFacts) -> SeenWorld {
        SeenWorld {
            commit: git.head.commit().map(str::to_owned),
            branch: git.head.branch().map(str::to_owned),
            n_paths: git.changes.as_ref().map(|changes| changes.n_paths),
        }
    }
}
