//! The interface between closeout and an agent: what is asked, and the form of the answers. Facts about a
//! single agent are only in that agent's folder.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use super::commands::{AgentCommand, Asking};
use super::facts::Facts;
use super::record::note_unreadable;
use super::screen::{NOT_NAMED, NOT_TRIED, OptionDialog, PermissionKeys};
use super::server::AgentServer;
use crate::disk;
use crate::model::{
    AskedByTool, LiveStatus, Names, Parts, SessionId, SessionObservation, SessionPlace, Timestamp,
    Unreadable, WatchTarget,
};

/// An agent. What is known in advance is data ([`Agent::facts`]); every method has a default that says that
/// the agent does not support it. `home` is always the folder of its records.
pub trait Agent: Debug + Send + Sync {
    /// Its name in evidence and on screen.
    fn name(&self) -> &str {
        self.facts().name
    }

    /// What is known about it in advance.
    fn facts(&self) -> &'static Facts;

    /// Finds its sessions on this machine.
    fn survey(&self, _home: &Path, _ask: &SurveyAsk<'_>, _memory: &mut Memories) -> Survey {
        Survey::default()
    }

    /// Whether an event in `folder`, one of the survey's watch targets, calls for another survey. Only an
    /// agent that keeps all its sessions in one file can say no. `None` if that cannot be told cheaply.
    fn is_news(&self, _home: &Path, _folder: &Path, _memory: &mut Memories) -> Option<bool> {
        None
    }

    /// Reads the sessions of a workspace.
    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead;

    /// The command for a request to a session. `None` if the agent has no way to do that.
    fn command(&self, _session: &SessionObservation, _asking: &Asking) -> Option<AgentCommand> {
        None
    }

    /// Makes the copy that [`Argument::RecordCopy`](super::Argument::RecordCopy) refers to, in the empty
    /// file `to`. `None` if copying the record's file is all it takes.
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

    /// Whether a copy that a probe should have kept elsewhere ended up in the agent's own records.
    fn keeps_copy(&self, _home: &Path, _copy_id: &str) -> bool {
        false
    }

    /// The command that deletes `copy_id`, a copy of `session` made by a command of this agent
    /// ([`Trace::Copy`](super::Trace::Copy)). `None` if the agent makes no such copies, or the id is not
    /// one of the agent's.
    fn removal(&self, _session: &SessionObservation, _copy_id: &str) -> Option<AgentCommand> {
        None
    }

    /// The status shown in the title of the session's pane, if the agent sets that title. `folder` is the
    /// session's.
    fn title_status(&self, _title: &str, _folder: &Path) -> Option<LiveStatus> {
        None
    }

    /// Whether the screen of the session's process currently shows the session, according to the pane's
    /// title and the agent's records. The user may have switched to another session on the same screen.
    /// `None` if that cannot be known.
    fn is_shown(&self, _session: &SessionObservation, _record: Option<&Path>, _title: &str) -> Option<bool> {
        None
    }

    /// The possible answers to the permission prompt of a session with their keys, and what the prompt is
    /// about.
    ///
    /// # Errors
    /// It is not certain which call the prompt belongs to or what the keys mean: why, in words.
    fn permission_keys<'s>(
        &self,
        session: &'s SessionObservation,
    ) -> Result<(&'s str, PermissionKeys), &'static str> {
        let keys = self.facts().permission.ok_or(NOT_NAMED)?;
        Ok((keys.permission_of(session)?, keys))
    }

    /// The dialog in which a session asks, and how to select its options.
    ///
    /// # Errors
    /// It is not certain what a key would do; the message says why.
    fn option_dialog<'s>(
        &self,
        _session: &'s SessionObservation,
    ) -> Result<(&'s AskedByTool, OptionDialog), &'static str> {
        Err(NOT_TRIED)
    }

    /// The server that the agent's own process may run.
    fn server(&self) -> Option<&'static dyn AgentServer> {
        None
    }

    /// The file that replies are written to in `workspace`, if one is configured.
    fn reply_file(&self, _workspace: &Path) -> Option<PathBuf> {
        None
    }

    /// Why the agent does not run the hooks registered in `folder`, and what to do about it. `None` if it
    /// does.
    fn why_hooks_rest(&self, _folder: &Path) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// A request to read the sessions of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct SessionsAsk<'a> {
    /// The folder of the agent's records.
    pub home: &'a Path,
    /// The workspace (absolute, resolved).
    pub workspace: &'a Path,
    /// Where the survey found sessions of this agent in it.
    pub places: &'a [&'a SessionPlace],
}

impl SessionsAsk<'_> {
    /// Where changes to the records at the places show. Only their names are watched, since sessions of
    /// other workspaces lie beside them.
    pub(super) fn watch_targets(&self) -> Vec<WatchTarget> {
        let mut of_folder: BTreeMap<&Path, BTreeSet<OsString>> = BTreeMap::new();
        for place in self.places {
            if let (Some(folder), Some(name)) = (place.record.parent(), place.record.file_name()) {
                of_folder.entry(folder).or_default().insert(name.to_owned());
            }
        }
        let target = |(folder, names)| WatchTarget::new(folder, Names::these(names), Parts::WORDS);
        of_folder.into_iter().map(target).collect()
    }
}

/// How many sessions of one workspace are read of each agent, the newest first.
pub(super) const MAX_READ: usize = 32;
/// Sessions that were silent this long when the newest one moved are likely left over.
pub(super) const LONGEST_SILENCE_MS: i64 = 24 * 3_600_000;

/// The sessions of one workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsRead {
    /// The sessions, the newest first.
    pub sessions: Vec<SessionObservation>,
    /// What exists but could not be read.
    pub trouble: Vec<Unreadable>,
    /// How many further sessions were not read, of those that moved within a day of the newest.
    pub n_unread: usize,
    /// Where changes to the sessions, or new ones in known places, would show.
    pub watch_targets: Vec<WatchTarget>,
    /// What agents themselves keep inside the workspace, such as their records: no work.
    pub kept_here: Vec<PathBuf>,
}

impl SessionsRead {
    /// Counts the sessions beyond [`MAX_READ`] in `moved_at`, which tells of all of an agent, the newest first, when each moved.
    /// Older ones are likely left over.
    pub(super) fn count_unread(&mut self, moved_at: impl IntoIterator<Item = Timestamp>) {
        let mut moved_at = moved_at.into_iter();
        let Some(newest) = moved_at.next() else { return };
        let further = moved_at.skip(MAX_READ - 1);
        self.n_unread += further.filter(|at| newest.millis_since(*at) <= LONGEST_SILENCE_MS).count();
    }

    /// Takes the result of reading the record at `path`: a session, none that counts, or a problem.
    pub(super) fn take(&mut self, path: &Path, read: io::Result<Option<SessionObservation>>) {
        match read {
            Ok(session) => self.sessions.extend(session),
            Err(error) => note_unreadable(&mut self.trouble, path, "the session's record", &error),
        }
    }
}

/// A request for a survey.
#[derive(Debug, Clone, Copy)]
pub struct SurveyAsk<'a> {
    /// Sessions whose record last grew before this time are only counted, unless they are live or were started in one
    /// of `all_of`.
    pub since: Timestamp,
    /// Folders (absolute, resolved) of which all sessions are wanted, however old.
    pub all_of: &'a [PathBuf],
    /// Restricts the survey to sessions started in this folder (absolute, resolved) or below it. `None`
    /// means all.
    pub within: Option<&'a Path>,
}

impl SurveyAsk<'_> {
    /// Whether sessions started in `folder` are included. Symbolic links on the way to it are resolved; a
    /// relative folder is never included.
    pub(super) fn covers(&self, folder: &Path) -> bool {
        let is_below = |within: &Path| {
            folder.starts_with(within) || disk::resolve(folder).is_ok_and(|folder| folder.starts_with(within))
        };
        folder.is_absolute() && self.within.is_none_or(is_below)
    }

    /// Whether a session started in `folder`, whose record last grew at `moved_at`, is wanted and not only counted.
    pub(super) fn wants(&self, folder: &Path, moved_at: Timestamp) -> bool {
        let resolved = || disk::resolve(folder).ok();
        moved_at >= self.since
            || self.all_of.iter().any(|all_of| folder.starts_with(all_of))
            || !self.all_of.is_empty()
                && resolved()
                    .is_some_and(|folder| self.all_of.iter().any(|all_of| folder.starts_with(all_of)))
    }
}

/// The result of a survey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The sessions, in no particular order, without subagents and closeout's own probes.
    pub found: Vec<FoundSession>,
    /// How many more are older than requested.
    pub n_older: usize,
    /// Where a new session would show. An event there calls for another survey.
    pub watch_targets: Vec<WatchTarget>,
    /// What exists but could not be read.
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

impl FoundSession {
    /// A session of `agent`, started in `folder`.
    pub(super) fn new(
        agent: &str,
        session_id: impl Into<SessionId>,
        folder: impl Into<PathBuf>,
        record: impl Into<PathBuf>,
        moved_at: Timestamp,
    ) -> FoundSession {
        let (session_id, folder, record) = (session_id.into(), folder.into(), record.into());
        FoundSession { place: SessionPlace { agent: agent.to_owned(), session_id, folder, record }, moved_at }
    }
}

/// What the agents remember between reads, one value per type. Losing it costs only time.
#[derive(Debug, Default)]
pub struct Memories(HashMap<TypeId, Box<dyn Any + Send>>);

impl Memories {
    /// Calls `look` with the value of this type, which starts out empty.
    pub fn with<M: Default + Send + 'static, T>(&mut self, look: impl FnOnce(&mut M) -> T) -> T {
        let known = self.0.remove(&TypeId::of::<M>()).and_then(|memory| memory.downcast::<M>().ok());
        let mut memory = known.unwrap_or_default();
        let told = look(&mut memory);
        self.0.insert(TypeId::of::<M>(), memory);
        told
    }

    /// The same for an agent that reads nothing but these places: without any, nothing is kept.
    pub(super) fn with_places<M: Default + Send + 'static, T>(
        &mut self,
        places: &[&SessionPlace],
        look: impl FnOnce(&mut M) -> T,
    ) -> T {
        if places.is_empty() {
            self.0.remove(&TypeId::of::<M>());
            return look(&mut M::default());
        }
        self.with(look)
    }
}
