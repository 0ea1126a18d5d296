//! What closeout asks of a kind of agent, and the form of the answers: which sessions there are, what they say, and
//! what is remembered from one look to the next. Facts of one agent stand in that agent's folder alone.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use super::commands::{AgentCommand, Asking};
use super::facts::Facts;
use super::record::note_unreadable;
use super::screen::{NOT_TRIED, OptionDialog, PermissionKey};
use super::server::AgentServer;
use crate::disk;
use crate::model::{
    AskedByTool, LiveStatus, Names, Parts, SessionObservation, SessionPlace, Timestamp, Unreadable,
    WatchTarget,
};

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

    /// Reads the sessions of a workspace.
    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead;

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

/// Which sessions are read.
#[derive(Debug, Clone, Copy)]
pub struct SessionsAsk<'a> {
    /// The folder of the agent's records.
    pub home: &'a Path,
    /// The workspace (absolute, resolved).
    pub workspace: &'a Path,
    /// Where discovery found sessions of this agent in it.
    pub places: &'a [&'a SessionPlace],
}

impl SessionsAsk<'_> {
    /// Where changes of the records at the places show: of these alone, since sessions of other workspaces lie beside
    /// them.
    pub(super) fn watch_targets(&self) -> Vec<WatchTarget> {
        let mut of_folder: BTreeMap<&Path, BTreeSet<OsString>> = BTreeMap::new();
        for place in self.places {
            if let (Some(folder), Some(name)) = (place.record.parent(), place.record.file_name()) {
                of_folder.entry(folder).or_default().insert(name.to_owned());
            }
        }
        let target = |(folder, names)| WatchTarget::new(folder, Names::These(names), Parts::WORDS);
        of_folder.into_iter().map(target).collect()
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

impl SessionsRead {
    /// Takes what the record at `path` holds: a session, none that counts, or trouble.
    pub(super) fn take(&mut self, path: &Path, read: io::Result<Option<SessionObservation>>) {
        match read {
            Ok(session) => self.sessions.extend(session),
            Err(error) => note_unreadable(&mut self.trouble, path, "the session's record", &error),
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct SurveyAsk<'a> {
    /// Sessions whose record last grew before this moment are only counted, unless they are live.
    pub since: Timestamp,
    /// Only sessions that were begun in this folder (absolute, resolved) or below it; `None` is all.
    pub within: Option<&'a Path>,
}

impl SurveyAsk<'_> {
    /// Whether sessions that were begun in this folder are asked for; a link on the way to it counts, and a relative
    /// folder is none.
    pub(super) fn covers(&self, folder: &Path) -> bool {
        let is_below = |within: &Path| {
            folder.starts_with(within) || disk::resolve(folder).is_ok_and(|folder| folder.starts_with(within))
        };
        folder.is_absolute() && self.within.is_none_or(is_below)
    }
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The sessions, in no order. Subagents and looks of closeout's own are none.
    pub found: Vec<FoundSession>,
    /// How many more are older than was asked for.
    pub n_older: usize,
    /// Where a session that is not found yet would show. An event there asks for another survey.
    pub watch_targets: Vec<WatchTarget>,
    /// What is there and could not be read.
    pub problems: Vec<Unreadable>,
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Where it is.
    pub place: SessionPlace,
    /// When its record last grew.
    pub moved_at: Timestamp,
}

/// The memories of all agents, one of a type. Losing it costs time and nothing else.
#[derive(Debug, Default)]
pub struct Memories(HashMap<TypeId, Box<dyn Any + Send>>);

impl Memories {
    /// Calls `look` with the memory of this type, which is empty the first time.
    pub fn with<M: Default + Send + 'static, T>(&mut self, look: impl FnOnce(&mut M) -> T) -> T {
        let known = self.0.remove(&TypeId::of::<M>()).and_then(|memory| memory.downcast::<M>().ok());
        let mut memory = known.unwrap_or_default();
        let told = look(&mut memory);
        self.0.insert(TypeId::of::<M>(), memory);
        told
    }
}
