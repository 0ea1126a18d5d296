//! An [`Agent`] with the place of its records on this machine, and the two questions put to all agents:
//! which sessions exist, and what those of a workspace say.

use std::cmp::Reverse;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commands::{AgentCommand, Asking, PROBE_VARIABLE};
use super::custom::Custom;
use super::facts::AgentFolder;
use super::kind::{Agent, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use super::list::{AGENTS, built_in};
use crate::model::{CustomAgent, SessionObservation, SessionPlace, Unreadable};

/// An agent, and where its records are on this machine.
#[derive(Debug, Clone)]
pub struct Adapter {
    kind: Kind,
    /// `None` for an agent that keeps its records in the workspaces.
    place: Option<PathBuf>,
}

#[derive(Debug, Clone)]
enum Kind {
    Known(&'static dyn Agent),
    Described(Arc<Custom>),
}

impl Deref for Adapter {
    type Target = dyn Agent;

    fn deref(&self) -> &Self::Target {
        match &self.kind {
            Kind::Known(agent) => *agent,
            Kind::Described(agent) => &**agent,
        }
    }
}

impl PartialEq for Adapter {
    fn eq(&self, other: &Adapter) -> bool {
        self.name() == other.name() && self.place == other.place
    }
}

impl Eq for Adapter {}

impl Adapter {
    /// A built-in agent with its records at `place`.
    pub fn new(agent: &'static dyn Agent, place: PathBuf) -> Adapter {
        Adapter { kind: Kind::Known(agent), place: Some(place) }
    }

    /// The built-in agent called `name`, with its records at `place`. `None` if there is none.
    pub fn named(name: &str, place: PathBuf) -> Option<Adapter> {
        built_in(name).map(|agent| Adapter::new(agent, place))
    }

    /// The built-in agents for which `place` returns a folder of records.
    pub fn all(place: impl Fn(&AgentFolder) -> Option<PathBuf>) -> Vec<Adapter> {
        let adapter =
            |agent: &'static dyn Agent| Some(Adapter::new(agent, place(agent.facts().records.as_ref()?)?));
        AGENTS.into_iter().filter_map(adapter).collect()
    }

    /// An agent described in the user's configuration. It has no common place for its sessions: they are
    /// looked for in the known workspaces.
    pub fn described(agent: CustomAgent) -> Adapter {
        Adapter { kind: Kind::Described(Arc::new(Custom(agent))), place: None }
    }

    /// The folder of its records; `None` for an agent that keeps them in the workspaces.
    pub fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    fn home(&self) -> &Path {
        self.place.as_deref().unwrap_or(Path::new(""))
    }

    /// [`Agent::survey`]
    pub fn survey(&self, ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
        (**self).survey(self.home(), ask, memory)
    }

    /// [`Agent::is_news`]
    pub(super) fn is_news(&self, folder: &Path, memory: &mut Memories) -> Option<bool> {
        (**self).is_news(self.home(), folder, memory)
    }

    /// [`Agent::command`]
    pub fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        let command = (**self).command(session, asking)?;
        Some(match asking {
            // A probe is not part of the session, so closeout's own hook must ignore it.
            Asking::Probe { .. } | Asking::Closer { .. } | Asking::Fresh { .. } => {
                command.with_variable(PROBE_VARIABLE, "1")
            }
            Asking::Reply { .. } | Asking::Queue { .. } => command,
        })
    }

    /// [`Agent::copy_session`]
    ///
    /// # Errors
    /// The record cannot be read, or the copy cannot be written.
    pub fn copy_session(&self, session: &SessionObservation, to: &Path) -> Option<Result<(), Unreadable>> {
        (**self).copy_session(self.home(), session, to)
    }

    /// [`Agent::keeps_copy`]
    pub fn keeps_copy(&self, copy_id: &str) -> bool {
        (**self).keeps_copy(self.home(), copy_id)
    }

    /// [`Agent::removal`], but never of the session itself.
    pub fn removal(&self, session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
        if session.session_id == copy_id { None } else { (**self).removal(session, copy_id) }
    }
}

/// Reads the sessions of `workspace` from all `adapters`, the newest first.
pub fn sessions(
    adapters: &[Adapter],
    workspace: &Path,
    places: &[SessionPlace],
    memory: &mut Memories,
) -> SessionsRead {
    let mut all = SessionsRead::default();
    for adapter in adapters {
        let of_agent: Vec<&SessionPlace> =
            places.iter().filter(|place| place.agent == adapter.name()).collect();
        let ask = SessionsAsk { home: adapter.home(), workspace, places: &of_agent };
        let read = (**adapter).sessions(&ask, memory);
        all.sessions.extend(read.sessions);
        all.trouble.extend(read.trouble);
        all.n_unread += read.n_unread;
        all.watch_targets.extend(read.watch_targets);
        all.kept_here.extend(read.kept_here);
    }
    // A stable sort: an adapter may know the order of two sessions written in the same millisecond.
    all.sessions.sort_by_key(|session| Reverse((session.spoken_at(), session.written_at)));
    all
}

/// Finds the sessions of all `adapters`.
pub fn survey(adapters: &[Adapter], ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
    let mut all = Survey::default();
    for adapter in adapters {
        let one = adapter.survey(ask, memory);
        all.found.extend(one.found);
        all.n_older += one.n_older;
        all.watch_targets.extend(one.watch_targets);
        all.problems.extend(one.problems);
    }
    all
}

/// Whether an event in `folder`, one of a survey's watch targets, calls for another survey. False only if
/// an agent could tell cheaply that nothing but known sessions changed.
pub fn is_news(adapters: &[Adapter], folder: &Path, memory: &mut Memories) -> bool {
    adapters.iter().find_map(|adapter| adapter.is_news(folder, memory)).unwrap_or(true)
}
