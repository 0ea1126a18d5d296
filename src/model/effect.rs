//! What the monitor asks of the outside world. The engine carries effects out; an effect whose doc names an
//! answer gets exactly one such event.

use super::{
    ActionRequest, Baseline, Draft, GitReader, KeptReports, Marks, NamedBaseline, Pane, Parts, Policy,
    ProcessId, SessionPlace, TaskKind, Timestamp, WatchTarget, WorkspaceId, WorkspaceSettings,
};

/// What the monitor asks of the outside world.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Effect {
    /// Read parts of the evidence. Answers with one [`super::Event::Collected`].
    Collect(Box<CollectRequest>),
    /// Watch these places for this workspace, replacing the previous ones.
    Watch {
        workspace: WorkspaceId,
        /// The places; an empty list stops watching.
        targets: Vec<WatchTarget>,
    },
    /// Send [`super::Event::Changed`] with [`Parts::WORDS`] when one of these processes ends, replacing the
    /// previous list.
    WatchProcesses {
        workspace: WorkspaceId,
        /// The processes; an empty list stops watching.
        processes: Vec<ProcessId>,
    },
    /// Compare all watches with the disk and repair them, as part of the slow pass.
    RecheckWatches,
    /// Send [`super::Event::Woke`] at this time, replacing the previous request.
    Wake { at: Timestamp },
    /// Keep the baseline of a workspace across restarts.
    RememberBaseline { workspace: WorkspaceId, baseline: Baseline },
    /// Keep what a name that was given as the baseline means for the present task, across restarts.
    RememberNamed {
        workspace: WorkspaceId,
        /// The name, the task and the baseline.
        named: NamedBaseline,
    },
    /// Show a session's pane to the user. Answers with one [`super::Event::Jumped`].
    JumpToPane { workspace: WorkspaceId, session: JumpTarget },
    /// Carry out an action. Answers with one [`super::Event::ActionFinished`], preceded by any number of
    /// [`super::Event::ActionProgressed`].
    Action(Box<ActionRequest>),
    /// Cancel an action; it answers as usual. If it is moving something, it completes that first and reports
    /// [`super::Event::EndsLater`].
    CancelAction {
        /// The action's number.
        number: u64,
    },
    /// Keep on disk how the user's statements changed, on top of what other runs keep of them.
    KeepMarks {
        workspace: WorkspaceId,
        /// The statements before the change.
        before: Box<Marks>,
        /// The statements after it.
        after: Box<Marks>,
    },
    /// Keep on disk what agents said when asked, replacing what was kept before except for marks and newer rounds: other
    /// runs judge by it too.
    KeepReports {
        workspace: WorkspaceId,
        /// What they said.
        reports: Box<KeptReports>,
    },
    /// Keep a draft on disk, replacing the previous one.
    KeepDraft {
        workspace: WorkspaceId,
        /// The draft; an empty one deletes it.
        draft: Draft,
    },
}

/// A session whose pane the user wants to see, as they saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpTarget {
    /// Its agent.
    pub agent: String,
    /// The pane that a source named, if any.
    pub pane: Option<Pane>,
    /// The process that a source named, if any.
    pub process: Option<ProcessId>,
}

/// A request for a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectRequest {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Counts up over all workspaces; only the answer of a workspace's last collection counts.
    pub generation: u64,
    /// What to read.
    pub parts: Parts,
    /// Where the evidence is.
    pub settings: WorkspaceSettings,
    /// The policy by which it is judged.
    pub policy: Policy,
    /// The kind of the task, once known.
    pub task_kind: TaskKind,
    /// How to read git: a repository that did not answer in process is read with the git program.
    pub git_reader: Option<GitReader>,
    /// The baseline, once known.
    pub baseline: Option<Baseline>,
    /// What the given baseline's name meant when the task began, once known.
    pub named: Option<NamedBaseline>,
    /// When the task began for which a name is to be resolved; `None` resolves it as of now.
    pub task_at: Option<Timestamp>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// When the user last wrote to the agent, once known.
    pub prompted_at: Option<Timestamp>,
    /// Start no earlier than this moment.
    pub not_before: Timestamp,
}
