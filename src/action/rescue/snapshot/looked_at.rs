//! What was read of a repository: for a record, and again before a commit. It must not read anything itself.

use crate::action::rescue::base::Settings;
use crate::action::rescue::snapshot::Unchanged;
use crate::action::rescue::survey::{Survey, Tree};
use crate::action::rescue::visible::Attributes;
use crate::git::Shadow;

/// What a record was made from, for the visible commit that follows.
pub(crate) struct Recorded {
    pub(crate) settings: Settings,
    /// The shadow in which it was made.
    pub(crate) shadow: Shadow,
    pub(crate) survey: Survey,
    /// The tree of the last commit, or why it could not be read before the record was made.
    pub(crate) head: Result<Tree, String>,
    /// Files that git considers unchanged, whatever their bytes on disk.
    pub(crate) unchanged: Unchanged,
    /// The recorded work tree.
    pub(crate) snapshot: Tree,
}

/// The current state, checked against the plan.
pub(crate) struct Current {
    pub(crate) settings: Settings,
    /// The shadow, with a copy of the current index.
    pub(crate) shadow: Shadow,
    pub(crate) survey: Survey,
    /// The tree of the last commit.
    pub(crate) head: Tree,
    /// The recorded work tree.
    pub(crate) snapshot: Tree,
    /// The attributes of all paths that differ from the last commit, if they were read already.
    pub(crate) attributes: Option<Attributes>,
    /// The digest of the index entries.
    pub(crate) digest: String,
}
