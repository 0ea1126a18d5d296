//! The messages that work beside the loop sends to the engine's loop. No rule is here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{
    Event, FoundWorkspace, RunEnd, RunView, SupervisedRun, Timestamp, WatchTarget, WorkspaceId,
};

pub(super) enum EngineEvent {
    Event(Event),
    /// The end of a discovery: `None` if the change was irrelevant, an error if it ended without an answer.
    Discovery(Result<Option<Box<Discovery>>, String>),
    /// The last supervised run of each workspace.
    Runs(Runs),
    Notice(String),
}

/// What a discovery found.
#[derive(Debug)]
pub(super) struct Discovery {
    /// When it began to read.
    pub(super) began_at: Timestamp,
    pub(super) workspaces: Vec<FoundWorkspace>,
    pub(super) refused: Vec<(PathBuf, String)>,
    pub(super) n_older_sessions: usize,
    /// Where new worktrees and sessions would appear, and where unfinished worktrees are completed.
    pub(super) folders: Vec<WatchTarget>,
    /// Why existing sessions cannot be read, as text for a person.
    pub(super) problems: Vec<String>,
}

impl Discovery {
    pub(super) fn event(self) -> Event {
        let Discovery { began_at, workspaces, refused, n_older_sessions, .. } = self;
        Event::Discovered { at: began_at, workspaces, refused, n_older_sessions }
    }
}

/// What is known about supervised runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Live runs, by workspace.
    pub(super) alive: BTreeMap<WorkspaceId, RunView>,
    /// How the last run of a workspace ended, if a limit ended it.
    pub(super) ended: BTreeMap<WorkspaceId, RunEnd>,
    /// The last runs that are not alive: ended or interrupted.
    pub(super) over: BTreeMap<WorkspaceId, SupervisedRun>,
}
