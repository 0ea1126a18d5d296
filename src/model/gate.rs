//! Gates: what an agent reports when it is about to stop, how gates are configured, and how often one has
//! blocked a session.
//!
//! Plain values. `judge::gate` decides whether an agent is blocked; the front words the answer for the
//! agent's client.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{BackgroundTask, NextAction, OpenPoint, Proof, SessionId, Timestamp, Why};

/// The agent event at which a gate is asked: a closed set, named as in `closeout hook`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GateEvent {
    /// The agent is about to end its turn.
    Stop,
    /// A sub-agent is about to report.
    SubagentStop,
    /// A tool has run; this counts only if the tool produces the final output.
    PostToolUse,
    /// A task of a shared list is about to be marked as completed.
    TaskCompleted,
    /// The equivalent of `Stop` in other clients.
    AfterAgent,
}

impl GateEvent {
    /// The argument of `closeout hook`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The event with this name.
    pub fn from_name(name: &str) -> Option<GateEvent> {
        name.parse().ok()
    }

    /// True if the agent's own turn ends here, so that its last message is its conclusion.
    pub fn ends_turn(self) -> bool {
        matches!(self, GateEvent::Stop | GateEvent::AfterAgent)
    }
}

/// What an agent reported when it asked a gate. All texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCall {
    /// The event.
    pub event: GateEvent,
    /// The session, if the payload names one.
    pub session_id: Option<SessionId>,
    /// The session's working folder.
    pub folder: Option<PathBuf>,
    /// True if a gate made this turn continue; `None` if the client does not say.
    pub is_continued: Option<bool>,
    /// What is running beside the turn.
    pub background: Vec<BackgroundTask>,
    /// The agent's last message.
    pub last_message: Option<String>,
    /// The prompt, if the client repeats it.
    pub prompt: Option<String>,
    /// The tool that has run.
    pub tool: Option<String>,
    /// True for an internal agent of the client, such as the one that compacts a conversation.
    pub is_helper: bool,
}

/// Why an agent may stop: a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetGo {
    /// The work is complete.
    Complete,
    /// A statement of the user lets it stop.
    YourWord,
    /// There is no task here.
    NoTask,
    /// It waits for the user's answer or permission.
    Asks,
    /// Background work is still running: the gate is asked again when that ends.
    Background,
    /// Nothing speaks against the work, or nothing that this event concerns.
    NothingOpen,
    /// The same points came back too often: the user has to look.
    Stalled,
    /// There is no verdict, or none that can be trusted.
    NotJudged,
    /// The tool that ran does not produce the final output.
    OtherTool,
    /// It is an internal agent of the client and has no task.
    Helper,
    /// It was blocked as many times in a row as allowed.
    BlocksUsedUp,
    /// It was blocked for as long as allowed.
    DeadlinePassed,
}

impl LetGo {
    /// True if it stops although something is left to do.
    pub fn is_given_up(self) -> bool {
        matches!(self, LetGo::Stalled | LetGo::BlocksUsedUp | LetGo::DeadlinePassed)
    }
}

/// Why an agent is held back. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldBack {
    /// These points are left to do, most urgent first.
    Points(Vec<OpenPoint>),
    /// The work is done, and not proven or kept as well as the user requires.
    Unproven(Why, NextAction),
}

impl HeldBack {
    /// How many points the agent gets to read.
    pub fn n_points(&self) -> usize {
        match self {
            HeldBack::Points(points) => points.len(),
            HeldBack::Unproven(..) => 1,
        }
    }
}

/// The gate configuration of one workspace. Only the user's own configuration can set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSettings {
    /// True if agents are blocked here at all.
    pub is_on: bool,
    /// How many times in a row a session is blocked at most.
    pub most_blocks: u32,
    /// How long after the first block of a row a session may still be blocked, in milliseconds; `None` for no
    /// limit.
    pub deadline_ms: Option<i64>,
    /// How long judging may take, in milliseconds; after that the agent may stop.
    pub time_limit_ms: u64,
    /// The tools that produce a final output.
    pub final_tools: Vec<String>,
    /// The proof that a COMPLETE needs; from `committed` on, finished but uncommitted work blocks too.
    pub required: Proof,
}

/// The consecutive blocks of one session. Kept across runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// How many.
    pub n_blocks: u32,
    /// When the first one happened.
    pub began_at: Timestamp,
    /// When the last one happened.
    pub blocked_at: Timestamp,
}

impl BlockRow {
    /// The row extended by a block at `now`.
    #[must_use]
    pub fn and_one(self, now: Timestamp) -> BlockRow {
        let began_at = if self.n_blocks == 0 { now } else { self.began_at };
        BlockRow { n_blocks: self.n_blocks.saturating_add(1), began_at, blocked_at: now }
    }
}

/// The turn that is just ending, according to its agent's hook. Its record may not show that yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingTurn {
    /// The agent.
    pub agent: String,
    /// The session. Untrusted text.
    pub session_id: SessionId,
    /// The message that ends the turn. Untrusted text.
    pub message: Option<String>,
    /// The prompt, if the hook repeats it. Untrusted text.
    pub prompt: Option<String>,
}
