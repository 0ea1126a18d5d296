//! Something that happened. Every event is data and comparable, and carries the time at which it
//! happened: rules never read a clock.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{
    ActionOutcome, ActionProgress, AuditEntry, Baseline, Draft, HeldReply, HistoryEntry, Intent, KeptReports,
    Parts, RunEnd, RunView, Sample, SessionPlace, Timestamp, WorkspaceId, WorkspaceSettings,
};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Discovery ended: these are the workspaces now, each with its settings. Sent by the engine.
    Discovered {
        /// When.
        at: Timestamp,
        /// All workspaces, in the order found.
        workspaces: Vec<FoundWorkspace>,
        /// Paths that were given and are no workspace, each with the reason in words.
        refused: Vec<(PathBuf, String)>,
        /// How many sessions were left out because they are old.
        n_older_sessions: usize,
    },
    /// Something changed on disk that these parts were read from. A hint, not a fact. Sent by `watch`.
    Changed {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// What it can have changed.
        parts: Parts,
    },
    /// Events were lost: every workspace may have changed. Sent by `watch`.
    EventsLost {
        /// When.
        at: Timestamp,
    },
    /// A workspace cannot be watched (any more), or can again. Sent by `watch`.
    WatchChanged {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// The problem; `None` when it is over.
        problem: Option<WatchProblem>,
    },
    /// A collection ended. Exactly one for each [`super::Effect::Collect`]. Sent by the engine.
    Collected {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the collection.
        generation: u64,
        /// How long it took, in milliseconds.
        took_ms: u32,
        /// What it brought.
        outcome: Result<Box<Sample>, CollectProblem>,
    },
    /// A jump to a pane was tried. Exactly one for each [`super::Effect::JumpToPane`]. Sent by the engine.
    Jumped {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// What became of it.
        outcome: JumpOutcome,
    },
    /// An action got further. Sent by the engine.
    ActionProgressed {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
        /// How far it is.
        progress: ActionProgress,
    },
    /// An action was to end, and what it is moving is finished first. Sent by the engine.
    EndsLater {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
    },
    /// An action ended. Exactly one for each [`super::Effect::Action`]. Sent by the engine.
    ActionFinished {
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the action.
        number: u64,
        /// What became of it.
        outcome: Box<ActionOutcome>,
        /// Its entry in the record of what was done; `None` for a plan.
        entry: Option<Box<AuditEntry>>,
    },
    /// These supervised runs are alive, and no others; in these workspaces the last one ended by a limit. Sent by the
    /// engine.
    RunsFound {
        /// When.
        at: Timestamp,
        /// Each with its workspace.
        runs: BTreeMap<WorkspaceId, RunView>,
        /// Each with its workspace.
        ended: BTreeMap<WorkspaceId, RunEnd>,
    },
    /// The time that [`super::Effect::Wake`] asked for has come. Sent by the engine.
    Woke {
        /// When.
        at: Timestamp,
    },
    /// A person wants something. Sent by a front.
    Wanted {
        /// When.
        at: Timestamp,
        /// What.
        intent: Intent,
    },
}

/// A workspace that discovery found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWorkspace {
    /// The workspace.
    pub id: WorkspaceId,
    /// Where its evidence is.
    pub settings: WorkspaceSettings,
    /// The baseline that an earlier run remembered.
    pub baseline: Option<Baseline>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// What is wrong with its own configuration file, in words.
    pub problem: Option<String>,
    /// What was done here before, the newest first.
    pub history: Vec<AuditEntry>,
    /// What happened here before, the newest first.
    pub timeline: Vec<HistoryEntry>,
    /// Replies that were being written.
    pub drafts: Vec<Draft>,
    /// Replies that wait for the end of their agent's turn.
    pub held: Vec<HeldReply>,
    /// What agents said last when they were asked.
    pub reports: KeptReports,
    /// The supervised run that is alive here.
    pub run: Option<RunView>,
}

/// What became of a jump to a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JumpOutcome {
    /// The pane is before the person.
    Done,
    /// closeout does not run in that tmux server: this command, typed in a shell, shows the pane.
    Attach {
        /// The command, quoted for a shell. Holds untrusted text.
        command: String,
    },
    /// There was no jump.
    Refused {
        /// Why, in words. May hold untrusted text.
        reason: String,
    },
}

/// Why a collection brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectProblem {
    /// It did not answer in time and was given up.
    TimedOut,
    /// The directory is gone.
    Gone,
    /// It broke; the text says how.
    Broke(String),
}

/// Why a workspace cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchProblem {
    /// The system's limit of watches is reached.
    LimitReached,
    /// Another failure, in words.
    Failed(String),
}

impl WatchProblem {
    /// In words, with what becomes of it.
    pub fn label(&self) -> String {
        match self {
            WatchProblem::LimitReached => {
                "the system's limit of watches is reached, so this is looked at every \
                                           few seconds; raise fs.inotify.max_user_watches"
                    .to_owned()
            }
            WatchProblem::Failed(reason) => {
                format!("cannot be watched ({reason}), so this is looked at every few seconds")
            }
        }
    }
}
