//! What a front of the shell does on its own, beside the monitor: on the records of rescues, each written down.

use std::path::{Path, PathBuf};

use super::actions::{audit, rescuer};
use super::{EngineConfig, discover};
use crate::action::rescue::Rescuer;
use crate::model::{ActionKind, ActionProblem};
use crate::store::Store;

impl EngineConfig {
    /// Where rescues are made from.
    ///
    /// # Errors
    /// There is no git program, or no state folder for the journal.
    pub fn rescuer(&self) -> Result<Rescuer, ActionProblem> {
        rescuer::rescuer_of(self)
    }

    /// Carries out an action on the records of `workspace` that the monitor has no part in, and writes it down
    /// before and after. `words` tells of what was done.
    ///
    /// # Errors
    /// It cannot be written down, and was not done; or what the action itself answers.
    pub fn audited<T>(
        &self,
        (kind, workspace, plan): (ActionKind, &Path, String),
        action: impl FnOnce() -> Result<T, ActionProblem>,
        words: impl FnOnce(&T) -> String,
    ) -> Result<T, ActionProblem> {
        let store = self.state_folder.as_ref().map(Store::open).transpose();
        let store = store.map_err(|error| audit::unwritable(&error))?;
        audit::audited(store.as_ref(), (kind, workspace, plan), action, words)
    }

    /// The top of the worktree that `path` lies in.
    ///
    /// # Errors
    /// There is none, in words.
    pub fn worktree_top(&self, path: &Path) -> Result<PathBuf, String> {
        discover::worktree_top(path)
    }
}
