//! The programs of a workspace that a person trusts: listed, trusted and distrusted, each change being an
//! audited action.
//!
//! It must not trust what nobody looked at: only the digest of a list that was shown is kept.

use std::path::{Path, PathBuf};

use super::{audit, rescuer};
use crate::action::rescue::Rescuer;
use crate::engine::discover::worktree_top;
use crate::engine::{EngineConfig, clock};
use crate::model::{ActionClass, ActionKind, ActionProblem, TrustList};
use crate::store::{Store, StoreError};

/// Creates the [`Rescuer`] of a workspace, with the programs that the person trusts there. If that cannot be
/// read, nothing is trusted.
pub(super) fn rescuer_for(config: &EngineConfig, workspace: &Path) -> Result<Rescuer, ActionProblem> {
    let mut rescuer = rescuer::rescuer_of(config)?;
    let top = top(workspace);
    let checks = config.config.for_workspace(&top).0.checks.checks.into_iter();
    rescuer.check_commands = checks.filter_map(|check| check.ask.into_command()).collect();
    match Store::open(&rescuer.state).and_then(|store| store.trusted(&top)) {
        Ok(trusted) => rescuer.trusted.extend(trusted),
        Err(error) => tracing::warn!("what is trusted cannot be read, so nothing is: {error}"),
    }
    Ok(rescuer)
}

/// The path under which trust is stored, however the workspace was named.
fn top(workspace: &Path) -> PathBuf {
    worktree_top(workspace).unwrap_or_else(|_| workspace.to_owned())
}

impl EngineConfig {
    /// Everything that could run a program in the workspace at `path`, and whether the person trusts exactly
    /// that. Runs nothing.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn trust_list(&self, path: &Path) -> Result<(TrustList, bool), ActionProblem> {
        let rescuer = rescuer_for(self, path)?;
        let list = rescuer.trust_list(&top(path)).map_err(|error| rescuer::problem(&error))?;
        let is_trusted = rescuer.trusted.contains(&list.digest);
        Ok((list, is_trusted))
    }

    /// Trusts exactly what `list` shows, and nothing else, in the workspace at `path`.
    ///
    /// # Errors
    /// It cannot be written; what was trusted before remains so.
    pub fn trust(&self, path: &Path, list: &TrustList) -> Result<(), ActionProblem> {
        let top = top(path);
        let plan = format!("{} things that could run a program, digest {}", list.items.len(), list.digest);
        self.of_trust(
            &top,
            plan,
            |store| store.trust(&top, &list.digest, clock::now()),
            |()| "trusted".to_owned(),
        )
    }

    /// Withdraws the trust in the programs of the workspace at `path`.
    ///
    /// # Errors
    /// There was none, or it cannot be removed and therefore remains.
    pub fn distrust(&self, path: &Path) -> Result<(), ActionProblem> {
        let top = top(path);
        // What cannot be read may still be trust, so it is removed.
        if matches!(self.trust_store()?.trusted(&top), Ok(None)) {
            return Err(ActionProblem::new(ActionClass::Nothing, "nothing is trusted here"));
        }
        let describe = |_: &bool| "not trusted any more".to_owned();
        self.of_trust(&top, "to be taken back".to_owned(), |store| store.distrust(&top), describe).map(drop)
    }

    fn trust_store(&self) -> Result<Store, ActionProblem> {
        Store::open(&rescuer::rescuer_of(self)?.state).map_err(|error| problem(&error))
    }

    fn of_trust<T>(
        &self,
        top: &Path,
        plan: String,
        action: impl FnOnce(&Store) -> Result<T, StoreError>,
        describe: impl FnOnce(&T) -> String,
    ) -> Result<T, ActionProblem> {
        let store = self.trust_store()?;
        let recorded_in = Ok(Some(store.clone()));
        let action = || action(&store).map_err(|error| problem(&error));
        audit::audited(recorded_in, ActionKind::Trust, top, plan, action, describe)?.outcome
    }
}

fn problem(error: &StoreError) -> ActionProblem {
    audit::not_kept("what is trusted cannot be kept", error)
}
