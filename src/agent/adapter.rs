//! The seam between closeout and the agents: what closeout needs to know of a kind of agent, and one such
//! kind on this machine.
//!
//! Facts of one agent stand in that agent's folder alone: here are only the questions.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commands::{AgentCommand, Asking, LOOK};
use super::custom::Custom;
use super::facts::Facts;
use super::memory::Memories;
use super::screen::{NOT_TRIED, OptionDialog, PermissionKey};
use super::server::AgentServer;
use super::survey::{Survey, SurveyAsk};
use super::{AGENTS, built_in};
use crate::model::{
    AskedByTool, CustomAgent, LiveStatus, SessionObservation, SessionPlace, Unreadable, WatchTarget,
};

/// The most sessions of one workspace that are read; the newest ones.
const MOST_SESSIONS: usize = 12;

/// A kind of agent. What is known without looking is data ([`Agent::facts`]); everything else has a default
/// that says that this agent has no such thing. `home` is the folder of its records.
pub trait Agent: Debug + Send + Sync {
    /// Its name in evidence and on the screen.
    fn name(&self) -> &str;

    /// What is known of it without looking.
    fn facts(&self) -> &'static Facts;

    /// Whether records of this version of the agent were tried. Others are read all the same, as far
    /// as they are understood, and are said to be unknown.
    fn knows_version(&self, _version: &str) -> bool {
        true
    }

    /// Finds its sessions on this machine.
    fn survey(&self, _home: &Path, _ask: &SurveyAsk<'_>, _memory: &mut Memories) -> Survey {
        Survey::default()
    }

    /// Whether an event in `folder`, one of the survey's watch targets, is news for discovery. Only an
    /// agent that keeps all of its sessions in one file can say no; `None` is not to be told cheaply.
    fn is_news(&self, _home: &Path, _folder: &Path, _memory: &mut Memories) -> Option<bool> {
        None
    }

    /// Reads the sessions of `workspace` (absolute, resolved). `places` are those of this agent.
    fn sessions(
        &self,
        home: &Path,
        workspace: &Path,
        places: &[&SessionPlace],
        memory: &mut Memories,
    ) -> SessionsRead;

    /// The program by which a session of this agent is asked or told something. `None` where the
    /// agent has no way to do that.
    fn command(&self, _session: &SessionObservation, _asking: &Asking) -> Option<AgentCommand> {
        None
    }

    /// Whether its sessions can be asked for their status in a way that leaves nothing behind.
    fn has_traceless_probe(&self) -> bool {
        false
    }

    /// Makes the copy of the session's record that [`Argument::RecordCopy`](super::Argument::RecordCopy)
    /// names, in `to`, an empty file, where that is not a copy of the record's file. `None` where it is.
    ///
    /// # Errors
    /// The record cannot be read, or the copy cannot be written.
    fn copy_session(
        &self,
        _home: &Path,
        _session: &SessionObservation,
        _to: &Path,
    ) -> Option<Result<(), Unreadable>> {
        None
    }

    /// Whether a copy that a look was to leave elsewhere is in the agent's own records after all.
    fn keeps_copy(&self, _home: &Path, _copy_id: &str) -> bool {
        false
    }

    /// The program that deletes the copy `copy_id` of `session`, which a command of this agent made
    /// ([`Trace::Copy`](super::Trace::Copy)). `None` where the agent has no such copies, or the id is not
    /// one of the agent's.
    fn removal(&self, _session: &SessionObservation, _copy_id: &str) -> Option<AgentCommand> {
        None
    }

    /// What the title of its pane tells, if it is one that the agent sets. `folder` is the session's.
    fn title_status(&self, _title: &str, _folder: &Path) -> Option<LiveStatus> {
        None
    }

    /// Whether the screen of the process that has this session shows it, by the title of its pane and what
    /// the agent's records tell; a person can go on to another session on the same screen. `None` where it
    /// cannot be known.
    fn is_shown(&self, _session: &SessionObservation, _record: Option<&Path>, _title: &str) -> Option<bool> {
        None
    }

    /// What can be answered to the permission that a session waits for, with the keys, and what it is about.
    /// `None` unless it is certain which call the prompt is for and what the keys mean.
    fn permission_keys<'s>(
        &self,
        _session: &'s SessionObservation,
    ) -> Option<(&'s str, &'static [PermissionKey])> {
        None
    }

    /// The dialog that a session asks in, and how its options are chosen. Otherwise why that is not certain,
    /// in words.
    ///
    /// # Errors
    /// It is not certain what a key would do.
    fn option_dialog<'s>(
        &self,
        _session: &'s SessionObservation,
    ) -> Result<(&'s AskedByTool, OptionDialog), &'static str> {
        Err(NOT_TRIED)
    }

    /// The server that its own process may have.
    fn server(&self) -> Option<&'static dyn AgentServer> {
        None
    }

    /// The file that replies are written to in `workspace`, where a person named one.
    fn reply_file(&self, _workspace: &Path) -> Option<PathBuf> {
        None
    }

    /// Why it does not run the hooks that its settings in `folder` name, and what to do.
    fn why_hooks_rest(&self, _folder: &Path) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// A kind of agent, and where its records are on this machine.
#[derive(Debug, Clone)]
pub struct Adapter {
    kind: Kind,
    /// `None` for an agent whose records are in its workspaces.
    place: Option<PathBuf>,
}

#[derive(Debug, Clone)]
enum Kind {
    Known(&'static dyn Agent),
    Described(Arc<Custom>),
}

/// The sessions of one workspace, as they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsRead {
    /// The sessions, the newest first.
    pub sessions: Vec<SessionObservation>,
    /// What is there and could not be read.
    pub trouble: Vec<Unreadable>,
    /// Where a change of them, or a new one in a place that is known, would show.
    pub watch_targets: Vec<WatchTarget>,
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
    /// An agent with its records at `place`.
    pub fn new(agent: &'static dyn Agent, place: PathBuf) -> Adapter {
        Adapter { kind: Kind::Known(agent), place: Some(place) }
    }

    /// The agent of that name that closeout knows itself, with its records at `place`.
    pub fn named(name: &str, place: PathBuf) -> Option<Adapter> {
        built_in(name).map(|agent| Adapter::new(agent, place))
    }

    /// Those of the agents that closeout knows itself for which `place` gives a folder of records.
    pub fn all(place: impl Fn(&super::Folder) -> Option<PathBuf>) -> Vec<Adapter> {
        let adapter =
            |agent: &'static dyn Agent| Some(Adapter::new(agent, place(agent.facts().records.as_ref()?)?));
        AGENTS.into_iter().filter_map(adapter).collect()
    }

    /// An agent that a person described. It has no place where all its sessions are: they are looked for in
    /// the workspaces that are known.
    pub fn described(agent: CustomAgent) -> Adapter {
        Adapter { kind: Kind::Described(Arc::new(Custom(agent))), place: None }
    }

    /// The folder that its records are in; `None` for an agent whose records are in its workspaces.
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
            // A look into a session is no part of it: closeout's own hook passes it over.
            Asking::Probe { .. } | Asking::Closer { .. } => command.with_variable(LOOK, "1"),
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

    /// [`Agent::removal`]; never of the session itself.
    pub fn removal(&self, session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
        if copy_id == session.session_id { None } else { (**self).removal(session, copy_id) }
    }
}

/// Reads the sessions of `workspace` over all `adapters`, the newest first.
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
        let read = (**adapter).sessions(adapter.home(), workspace, &of_agent, memory);
        all.sessions.extend(read.sessions);
        all.trouble.extend(read.trouble);
        all.watch_targets.extend(read.watch_targets);
    }
    // A session whose process lives is kept, however old the last word in it.
    all.sessions.sort_by_key(|session| Reverse((session.process.is_some(), session.spoken_at())));
    all.sessions.truncate(MOST_SESSIONS);
    // Stable: an adapter may know the order of two that were written in the same millisecond.
    all.sessions.sort_by_key(|session| Reverse(session.spoken_at()));
    all
}
