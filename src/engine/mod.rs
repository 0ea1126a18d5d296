//! Wiring without a screen: runs the monitor's effects and turns what happens into its events.
//!
//! [`Engine`] watches and goes on; [`judge_once`] reads everything once and ends. Both carry out the
//! same effects with the same code. No rule lives here, and nothing here draws. The clock is read in
//! one place, [`clock`].

mod actions;
pub mod clock;
mod collect;
mod discover;
mod discovering;
mod draft_keeping;
mod event;
mod found;
mod live;
mod once;
mod pane_jump;
mod recall;
mod recovering;
mod running_actions;
mod session_folders;
mod store_lane;
mod watching;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::agent::Adapter;
use crate::config::Config;
use crate::evidence::{CollectContext, LiveSources};
use crate::model::{ActionClass, ActionKind, ActionProblem, Timestamp};
use crate::store::{Store, hook_log};

pub use actions::rescue::problem as rescue_problem;
pub use live::Engine;
pub use once::{Judged, OneShot, judge_once};

/// What an engine is started with.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// The configuration.
    pub config: Config,
    /// What to look at.
    pub scope: Scope,
    /// Adds to every workspace's settings what only this run knows.
    pub overlay: Overrides,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The agents whose sessions are looked for.
    pub adapters: Vec<Adapter>,
    /// The person's environment variables, of which the programs of agents are given what is meant for them.
    pub variables: BTreeMap<OsString, OsString>,
    /// The git program, if one was found.
    pub git_program: Option<PathBuf>,
    /// closeout's own program, which starts agents in a session of their own; `None` starts none.
    pub own_program: Option<PathBuf>,
    /// Where processes and panes are asked for; `None` asks nowhere.
    pub live: Option<LiveSources>,
    /// Where baselines are remembered; `None` remembers nothing.
    pub state_folder: Option<PathBuf>,
    /// Whether a terminal is behind the standard input of this run: without one nobody sits at it.
    pub has_terminal: bool,
}

/// What to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One directory, as one workspace.
    One(PathBuf),
    /// All worktrees of the repository at `here`, if there is one, each of `paths`, and the workspaces
    /// of the agents' sessions on this machine.
    Worktrees {
        /// Whether the sessions' workspaces are looked for.
        with_sessions: bool,
        /// Where the person stands.
        here: PathBuf,
        /// Paths that were given.
        paths: Vec<PathBuf>,
    },
}

/// What only this run knows of the evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The id that a decision must carry.
    pub check_id: Option<String>,
    /// The session inside which this run was started.
    pub own_session: Option<String>,
    /// The decision file, absolute, in place of the configured one.
    pub decision_file: Option<String>,
    /// The outputs, absolute, in place of the configured ones.
    pub outputs: Vec<String>,
}

impl EngineConfig {
    /// Where rescues are made from.
    ///
    /// # Errors
    /// There is no git program, or no state folder for the journal.
    pub fn rescuer(&self) -> Result<Rescuer, ActionProblem> {
        actions::rescue::rescuer_of(self)
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
        let store = self.state_folder.as_ref().map(Store::open).transpose().map_err(|error| {
            ActionProblem::new(
                ActionClass::Failed,
                format!("the record of what is done cannot be written: {error}"),
            )
        })?;
        actions::audit::audited(store.as_ref(), (kind, workspace, plan), action, words)
    }

    /// The top of the worktree that `path` lies in.
    ///
    /// # Errors
    /// There is none, in words.
    pub fn worktree_top(&self, path: &Path) -> Result<PathBuf, String> {
        discover::worktree_top(path)
    }

    /// The agents whose sessions can be asked in a way that leaves nothing behind.
    fn agents_without_trace(&self) -> Vec<String> {
        let agents = self.adapters.iter().filter(|adapter| adapter.has_traceless_probe());
        agents.map(|adapter| adapter.name().to_owned()).collect()
    }

    /// Where hooks of agents leave their events.
    fn hook_folder(&self) -> Option<PathBuf> {
        self.state_folder.as_deref().map(hook_log::folder)
    }

    pub(in crate::engine) fn surroundings(&self, now: Timestamp) -> CollectContext {
        CollectContext {
            now,
            home: self.home.clone(),
            adapters: self.adapters.clone(),
            hook_folder: self.hook_folder(),
            git_program: self.git_program.clone(),
            live: self.live.clone(),
        }
    }
}
