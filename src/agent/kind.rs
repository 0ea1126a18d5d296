//! What closeout needs to know of a kind of agent. Facts of one agent stand in that agent's folder alone: here are
//! only the questions.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::commands::{AgentCommand, Asking};
use super::facts::Facts;
use super::memory::Memories;
use super::screen::{NOT_TRIED, OptionDialog, PermissionKey};
use super::server::AgentServer;
use super::survey::{Survey, SurveyAsk};
use crate::model::{AskedByTool, LiveStatus, SessionObservation, SessionPlace, Unreadable, WatchTarget};

/// A kind of agent. What is known without looking is data ([`Agent::facts`]); everything else has a default
/// that says that this agent has no such thing. `home` is the folder of its records.
pub trait Agent: Debug + Send + Sync {
    /// Its name in evidence and on the screen.
    fn name(&self) -> &str;

    /// What is known of it without looking.
    fn facts(&self) -> &'static Facts;

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
