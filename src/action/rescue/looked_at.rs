//! What was read of a repository: for a record, and again before a commit. It must not read anything itself.

use super::listing::Tree;
use super::settings::Settings;
use super::survey::Survey;
use super::unchanged::Unchanged;
use crate::git::Shadow;

/// What a record was made from, for the visible commit that follows.
pub(super) struct Recorded {
    pub(super) settings: Settings,
    /// The shadow in which it was made.
    pub(super) shadow: Shadow,
    pub(super) survey: Survey,
    /// The tree of the last commit, or why it could not be read before the record was made.
    pub(super) head: Result<Tree, String>,
    /// Files that git considers unchanged, whatever their bytes on disk.
    pub(super) unchanged: Unchanged,
    /// The recorded work tree.
    pub(super) snapshot: Tree,
}

/// The current state, checked against the plan.
pub(super) struct Current {
    pub(super) settings: Settings,
    /// The shadow, with a copy of the current index.
    pub(super) shadow: Shadow,
    pub(super) survey: Survey,
    /// The tree of the last commit.
    pub(super) head: Tree,
    /// The recorded work tree.
    pub(super) snapshot: Tree,
    /// The digest of the index entries.
    pub(super) digest: String,
}
