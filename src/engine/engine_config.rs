//! What an engine is started with: the same for one that goes on and for one that reads once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::agent::Adapter;
use crate::config::Config;
use crate::evidence::{CollectContext, LiveSources};
use crate::model::{EndingTurn, SupervisedTurn, Timestamp};
use crate::store::hook_log;

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
    /// The command of `closeout run` whose work is judged.
    pub supervised: Option<SupervisedTurn>,
    /// The decision file, absolute, in place of the configured one.
    pub decision_file: Option<String>,
    /// The outputs, absolute, in place of the configured ones.
    pub outputs: Vec<String>,
    /// The turn that is ending now: this run is the gate that its agent asks.
    pub ending: Option<EndingTurn>,
}

impl EngineConfig {
    /// The agents whose sessions can be asked in a way that leaves nothing behind.
    pub(super) fn agents_without_trace(&self) -> Vec<String> {
        let agents = self.adapters.iter().filter(|adapter| adapter.facts().has_traceless_probe);
        agents.map(|adapter| adapter.name().to_owned()).collect()
    }

    /// Where hooks of agents leave their events.
    pub(super) fn hook_folder(&self) -> Option<PathBuf> {
        self.state_folder.as_deref().map(hook_log::folder)
    }

    /// What a collection at this moment is told beside its request.
    pub(in crate::engine) fn surroundings(&self, now: Timestamp) -> CollectContext {
        CollectContext {
            now,
            home: self.home.clone(),
            adapters: self.adapters.clone(),
            hook_folder: self.hook_folder(),
            git_program: self.git_program.clone(),
            live: self.live.clone(),
            ending: self.overlay.ending.clone(),
        }
    }
}
