//! What the program asks of the outside world. The engine carries effects out; each that is started
//! answers with exactly one event where its doc says so.

use super::{
    ActionRequest, Baseline, Draft, GitReader, KeptReports, Pane, Parts, Policy, ProcessId, SessionPlace,
    TaskKind, Timestamp, WatchTarget, WorkspaceId, WorkspaceSettings,
};

/// What the program asks of the outside world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read parts of the evidence. Answers with one [`super::Event::Collected`].
    Collect(Box<CollectRequest>),
    /// Watch these places for this workspace, instead of those before.
    Watch {
        /// The workspace.
        workspace: WorkspaceId,
        /// The places; empty stops watching.
        targets: Vec<WatchTarget>,
    },
    /// Send [`super::Event::Changed`] with [`Parts::WORDS`] when one of these ends, instead of those before.
    WatchProcesses {
        /// The workspace.
        workspace: WorkspaceId,
        /// The processes; empty stops watching.
        processes: Vec<ProcessId>,
    },
    /// Compare all watches with the disk and repair them; part of the slow pass.
    RecheckWatches,
    /// Send [`super::Event::Woke`] at this moment. Replaces the one asked for before.
    Wake {
        /// The moment.
        at: Timestamp,
    },
    /// Remember the baseline of a workspace over restarts.
    RememberBaseline {
        /// The workspace.
        workspace: WorkspaceId,
        /// The baseline.
        baseline: Baseline,
    },
    /// Bring a session's pane before the person. Answers with one [`super::Event::Jumped`].
    JumpToPane {
        /// The workspace.
        workspace: WorkspaceId,
        /// The session.
        session: JumpTarget,
    },
    /// Carry out an action. Answers with one [`super::Event::ActionFinished`], and before it with any number of
    /// [`super::Event::ActionProgressed`].
    Action(Box<ActionRequest>),
    /// End this action; it answers as ever. Where it is moving something, that is finished first, and
    /// [`super::Event::EndsLater`] says so.
    CancelAction {
        /// Its number.
        number: u64,
    },
    /// Keep on disk what agents said when they were asked, in place of what was kept before: other runs judge
    /// by it too.
    KeepReports {
        /// The workspace.
        workspace: WorkspaceId,
        /// What they said.
        reports: Box<KeptReports>,
    },
    /// Keep a draft on disk, in place of the one before.
    KeepDraft {
        /// The workspace.
        workspace: WorkspaceId,
        /// The draft; empty forgets it.
        draft: Draft,
    },
}

/// A session whose pane is wanted, as the person saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpTarget {
    /// Its agent.
    pub agent: String,
    /// The pane that a source named.
    pub pane: Option<Pane>,
    /// The process that a source named.
    pub process: Option<ProcessId>,
}

/// A collection that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectRequest {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Counts up for each workspace; an answer with an older number than the newest shown is dropped.
    pub generation: u64,
    /// What to read.
    pub parts: Parts,
    /// Where the evidence is.
    pub settings: WorkspaceSettings,
    /// How it is judged.
    pub policy: Policy,
    /// The kind of the task, once known.
    pub task_kind: TaskKind,
    /// Who has to read git: a repository that did not answer in process goes by the program.
    pub git_reader: Option<GitReader>,
    /// The baseline, once known.
    pub baseline: Option<Baseline>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// When a person last wrote to the agent, once known.
    pub prompted_at: Option<Timestamp>,
    /// Start no earlier than this moment.
    pub not_before: Timestamp,
}
