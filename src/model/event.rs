//! The events: everything that happens. An event is comparable data and carries its time: rules never read a
//! clock.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::{
    ActionOutcome, ActionProgress, AuditEntry, Baseline, CollectProblem, Draft, HeldReply, HistoryEntry,
    Intent, KeptReports, NamedBaseline, Parts, RunEnd, RunView, Sample, SessionPlace, Timestamp,
    WatchProblem, WorkspaceId, WorkspaceSettings,
};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Event {
    /// Discovery finished: these are all workspaces now, each with its settings. Sent by the engine.
    Discovered {
        at: Timestamp,
        /// All workspaces, in the order in which they were found.
        workspaces: Vec<FoundWorkspace>,
        /// Paths that were given but are not workspaces, each with the reason in words.
        refused: Vec<(PathBuf, String)>,
        /// How many sessions were left out because they are old.
        n_older_sessions: usize,
    },
    /// Something that these parts were read from changed on disk. A hint, not a fact. Sent by the engine.
    Changed {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The parts that may have changed.
        parts: Parts,
    },
    /// Events were lost: every workspace may have changed. Sent by the engine.
    EventsLost { at: Timestamp },
    /// A workspace can no longer be watched, or can be watched again. Sent by the engine.
    WatchChanged {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The problem; `None` when it is over.
        problem: Option<WatchProblem>,
    },
    /// A collection finished. Exactly one for each [`super::Effect::Collect`]. Sent by the engine.
    Collected {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The number of the collection.
        generation: u64,
        /// How long it took, in milliseconds.
        took_ms: u32,
        /// What it returned.
        outcome: Result<Box<Sample>, CollectProblem>,
    },
    /// A jump to a pane was attempted. Exactly one for each [`super::Effect::JumpToPane`]. Sent by the
    /// engine.
    Jumped { at: Timestamp, workspace: WorkspaceId, outcome: JumpOutcome },
    /// An action made progress. Sent by the engine.
    ActionProgressed {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
        progress: ActionProgress,
    },
    /// A cancelled action first completes what it is moving. Sent by the engine.
    EndsLater {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
    },
    /// An action finished. Exactly one for each [`super::Effect::Action`]. Sent by the engine.
    ActionFinished {
        at: Timestamp,
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
        outcome: Box<ActionOutcome>,
        /// Its entry in the audit record; `None` for an [`super::ActionKind::Plan`], and for what never began.
        entry: Option<Box<AuditEntry>>,
    },
    /// The complete lists of live supervised runs, and of workspaces whose last run ended without completing
    /// its work and without the user ending it. Sent by the engine.
    RunsFound {
        at: Timestamp,
        /// The live runs by workspace.
        runs: BTreeMap<WorkspaceId, RunView>,
        /// The ended runs by workspace.
        ended: BTreeMap<WorkspaceId, RunEnd>,
    },
    /// Reports were kept, by another closeout or by this one. Sent by the engine.
    Reported {
        at: Timestamp,
        /// The reports by workspace.
        reports: Vec<(WorkspaceId, KeptReports)>,
    },
    /// The time requested with [`super::Effect::Wake`] has come. Sent by the engine.
    Woke { at: Timestamp },
    /// The user requested something. Sent by a front.
    Wanted {
        at: Timestamp,
        /// The request.
        intent: Intent,
    },
}

impl Event {
    /// When it happened.
    pub fn at(&self) -> Timestamp {
        match self {
            Event::Discovered { at, .. }
            | Event::Changed { at, .. }
            | Event::EventsLost { at, .. }
            | Event::WatchChanged { at, .. }
            | Event::Collected { at, .. }
            | Event::Jumped { at, .. }
            | Event::ActionProgressed { at, .. }
            | Event::EndsLater { at, .. }
            | Event::ActionFinished { at, .. }
            | Event::RunsFound { at, .. }
            | Event::Reported { at, .. }
            | Event::Woke { at, .. }
            | Event::Wanted { at, .. } => *at,
        }
    }
}

/// A workspace that discovery found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWorkspace {
    /// The workspace.
    pub id: WorkspaceId,
    /// Where its evidence is.
    /// Shared by all workspaces for which it is the same.
    pub settings: Arc<WorkspaceSettings>,
    /// The baseline that an earlier run kept.
    pub baseline: Option<Baseline>,
    /// What names that were given as the baseline meant, for the last task of each.
    pub named: Vec<NamedBaseline>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// What is wrong with its own configuration file, in words.
    pub problem: Option<String>,
    /// The actions carried out here before, newest first.
    pub history: Vec<AuditEntry>,
    /// What happened here before, newest first.
    pub timeline: Vec<HistoryEntry>,
    /// Replies that were being written.
    pub drafts: Vec<Draft>,
    /// Replies that wait until their agent's turn ends.
    pub held: Vec<HeldReply>,
    /// What agents last said when asked.
    pub reports: KeptReports,
    /// The supervised run that is alive here.
    pub run: Option<Box<RunView>>,
}

/// The outcome of a jump to a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JumpOutcome {
    /// The pane is visible to the user.
    Done,
    /// closeout does not run inside that tmux server: this shell command shows the pane.
    Attach {
        /// The command, quoted for a shell. Contains untrusted text.
        command: String,
    },
    /// There was no jump.
    Refused {
        /// Why, in words. May hold untrusted text.
        reason: String,
    },
}
