//! The parameters an engine is started with, the same for [`super::Engine`] and [`super::OneShot`]. Reads
//! nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::agent::Adapter;
use crate::config::Config;
use crate::evidence::{CollectContext, LiveSources};
use crate::judge::runs::Catalog;
use crate::model::{EndingTurn, SessionId, SupervisedTurn, Timestamp};
use crate::process::Budget;
use crate::store::hook_log;

/// The parameters an engine is started with.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// The person's configuration.
    pub config: Config,
    /// The known tools of checks, the person's own among them.
    pub catalog: &'static Catalog,
    /// What to look at.
    pub scope: Scope,
    /// What only this run knows; it takes precedence over each workspace's settings.
    pub overrides: Overrides,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The temporary folders of the system, resolved: a work tree in them is not kept for long.
    pub temporary_folders: Vec<PathBuf>,
    /// The agents whose sessions are surveyed.
    pub adapters: Vec<Adapter>,
    /// The person's environment variables. Each agent's program gets only those meant for it.
    pub variables: BTreeMap<OsString, OsString>,
    /// The git program, if one was found.
    pub git_program: Option<PathBuf>,
    /// closeout's own program, which starts agents in a process session of their own; `None`: they are started
    /// without it.
    pub own_program: Option<PathBuf>,
    /// Where to query processes and panes; `None` queries neither.
    pub live: Option<LiveSources>,
    /// closeout's state folder (baselines, history, journals); `None` stores nothing.
    pub state_folder: Option<PathBuf>,
    /// Whether standard input is a terminal. If not, nobody is assumed to be at the keyboard.
    pub has_terminal: bool,
}

/// What to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One directory, as one workspace.
    One(PathBuf),
    /// All worktrees of the repository at `here` (if there is one), each of `paths`, and the workspaces of
    /// the agents' sessions on this machine.
    Worktrees {
        /// Whether the workspaces of sessions are included.
        with_sessions: bool,
        /// The person's working directory.
        here: PathBuf,
        /// The paths given on the command line.
        paths: Vec<PathBuf>,
    },
}

/// The kind of front that an engine runs for: what it may do without a person's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontKind {
    /// It only shows what there is: nothing is done.
    Display,
    /// It runs unattended: the replies that a person held back until the end of a turn are sent.
    Unattended,
    /// A person can see and stop what runs: agents are asked, too, if the configuration allows it.
    Attended,
}

/// What only this run knows about the evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The check id that a decision must carry.
    pub check_id: Option<String>,
    /// Whether this run is a check made by its own command.
    pub is_check: bool,
    /// Whether the rounds of this check id begin anew first.
    pub resets_rounds: bool,
    /// The session from within which this run was started.
    pub own_session: Option<SessionId>,
    /// The command of `closeout run` whose work is judged.
    pub supervised: Option<SupervisedTurn>,
    /// The absolute path of the decision file; replaces the configured one.
    pub decision_file: Option<String>,
    /// The absolute paths of the outputs; they replace the configured ones.
    pub outputs: Vec<String>,
    /// The turn that is ending, if this run is the gate its agent is waiting for.
    pub ending: Option<EndingTurn>,
}

impl EngineConfig {
    /// The names of agents whose sessions can be asked without leaving a trace.
    pub(super) fn agents_without_trace(&self) -> Vec<String> {
        let agents = self.adapters.iter().filter(|adapter| adapter.facts().has_traceless_probe);
        agents.map(|adapter| adapter.name().to_owned()).collect()
    }

    /// The folder where agents' hooks leave their events.
    pub(super) fn hook_folder(&self) -> Option<PathBuf> {
        self.state_folder.as_deref().map(hook_log::folder)
    }

    /// How long reading a workspace may take.
    pub(in crate::engine) fn collect_limit(&self) -> Duration {
        Duration::from_millis(self.config.watch.collect_limit_ms)
    }

    /// How long one attempt to read a workspace may take if nothing reads it again: git's library may hang for
    /// ever, and the git program, which can be ended, needs the other half.
    pub(in crate::engine) fn attempt_limit(&self) -> Duration {
        self.collect_limit() / 2
    }

    /// What the programs of a reading may lose: less than it may take, so that it still says what else it found.
    pub(in crate::engine) fn may_lose(&self) -> Duration {
        self.attempt_limit() * 4 / 5
    }

    /// The context of a collection at `now`, apart from its request.
    pub(in crate::engine) fn collect_context(&self, now: Timestamp) -> CollectContext {
        CollectContext {
            now,
            home: self.home.clone(),
            adapters: self.adapters.clone(),
            hook_folder: self.hook_folder(),
            git_program: self.git_program.clone(),
            live: self.live.clone(),
            budget: Budget::new(self.may_lose()),
            ending: self.overrides.ending.clone(),
        }
    }
}
