//! What was read of a repository: for a record, and once more before a commit.

use super::listing::Tree;
use super::settings::Settings;
use super::survey::Survey;
use super::unchanged::Unchanged;
use crate::git::Shadow;

/// What a record was made of, for the visible commit that follows.
pub(super) struct Recorded {
    /// The settings of the repository.
    pub(super) settings: Settings,
    /// The shadow in which it was made.
    pub(super) shadow: Shadow,
    /// What was read.
    pub(super) survey: Survey,
    /// The last commit; why it could not be read before the record was made.
    pub(super) head: Result<Tree, String>,
    /// Files that git takes for unchanged, whatever their bytes are.
    pub(super) unchanged: Unchanged,
}

/// The state that is as the plan shows it.
pub(super) struct Current {
    /// The settings of the repository.
    pub(super) settings: Settings,
    /// The shadow with the index as it was.
    pub(super) shadow: Shadow,
    /// What was read.
    pub(super) survey: Survey,
    /// The last commit.
    pub(super) head: Tree,
    /// The work tree.
    pub(super) snapshot: Tree,
    /// The meaning of the index.
    pub(super) digest: String,
}
