//! What shell fronts do without the monitor: operations on rescue records, each entered in the audit log.

use std::path::{Path, PathBuf};

use super::actions::audit::{self, Audited};
use super::actions::rescuer;
use super::{EngineConfig, discover};
use crate::action::rescue::Rescuer;
use crate::model::{ActionKind, ActionProblem};
use crate::store::Store;

impl EngineConfig {
    /// Creates a [`Rescuer`] from this configuration. It trusts no programs of a repository.
    ///
    /// # Errors
    /// There is no git program, or no state folder for the journal.
    pub fn rescuer(&self) -> Result<Rescuer, ActionProblem> {
        rescuer::rescuer_of(self)
    }

    /// Carries out an action on the records of `workspace` in which the monitor has no part, and writes an
    /// audit entry before and after. `describe` describes a successful result. If there is no entry, a person has to be told why.
    ///
    /// # Errors
    /// The audit entry cannot be written, in which case nothing was done, unless it is a restore from a state folder that can only be
    /// read.
    pub fn audited<T>(
        &self,
        kind: ActionKind,
        workspace: &Path,
        plan: String,
        action: impl FnOnce() -> Result<T, ActionProblem>,
        describe: impl FnOnce(&T) -> String,
    ) -> Result<Audited<T>, ActionProblem> {
        let store = self.state_folder.as_ref().map(Store::open).transpose();
        audit::audited(store, kind, workspace, plan, action, describe)
    }

    /// The top of the work tree that contains `path`.
    ///
    /// # Errors
    /// There is none; the text says why.
    pub fn worktree_top(&self, path: &Path) -> Result<PathBuf, String> {
        discover::worktree_top(path)
    }
}
