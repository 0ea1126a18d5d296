//! What an agent's own record tells of one session.

use serde::{Deserialize, Serialize};

use super::{Checklist, Timestamp};

/// What a transcript tells of the newest session of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionObservation {
    /// The agent, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: String,
    /// The agent's version as its record gives it. Untrusted text.
    pub version: Option<String>,
    /// The model of the last reply. Untrusted text.
    pub model: Option<String>,
    /// The last message of the agent that has text.
    pub last_message: Option<AgentMessage>,
    /// The agent's todo list, where it keeps one.
    pub todos: Option<Checklist>,
    /// The state of the last turn.
    pub turn: TurnState,
    /// When a person last wrote to the agent.
    pub prompted_at: Option<Timestamp>,
    /// The person's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// When the record last grew.
    pub written_at: Option<Timestamp>,
    /// Lines of a kind that the adapter does not know, or that are no JSON.
    pub n_skipped_lines: u32,
    /// True when a part of the record was out of reach (the limit of the backward search).
    pub is_partial: bool,
    /// What was left at work beside the turn above, as the records tell it: each may have been killed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Beside>,
    /// What the agent's registry of running sessions tells of it. `None` when it has no entry there, or
    /// when nobody can say whether the process of the entry lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveState>,
}

impl SessionObservation {
    /// Whether a turn is open and the registry does not tell that it is over: the process is gone, or
    /// idle since a moment after the record last moved. An older "idle" was told before the turn began.
    pub fn is_turn_open(&self) -> bool {
        let TurnState::Open { since: moved_at, .. } = &self.turn else { return false };
        match &self.live {
            Some(LiveState { status: LiveStatus::Gone, .. }) => false,
            Some(LiveState { status: LiveStatus::Idle, since }) => {
                since.zip(*moved_at).is_some_and(|(since, moved_at)| since < moved_at)
            }
            Some(LiveState { status: LiveStatus::Busy | LiveStatus::Waiting { .. }, .. }) | None => true,
        }
    }
}

/// What an agent's registry of running sessions tells of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveState {
    /// What its process does.
    pub status: LiveStatus,
    /// Since when, by the entry.
    pub since: Option<Timestamp>,
}

/// What the process of a session does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum LiveStatus {
    /// It works on a turn.
    Busy,
    /// It waits for the next prompt.
    Idle,
    /// It waits for the person in the middle of a turn.
    Waiting {
        /// For what.
        on: WaitsOn,
    },
    /// The entry was left behind: its process does not live any more.
    Gone,
}

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsOn {
    /// The leave to use a tool, or to go on by a plan.
    Permission,
    /// The answer to a question.
    Input,
    /// What this version of closeout does not know, in the agent's words. Untrusted text.
    Other(String),
}

/// Something in the workspace that may be at work while the newest session's turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// What it is.
    pub kind: BesideKind,
    /// The id of the subagent or of the other session. Untrusted text.
    pub id: String,
    /// When its record last grew.
    pub moved_at: Option<Timestamp>,
    /// What the agent's registry of running sessions tells of another session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveState>,
}

/// What may be at work beside a session's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BesideKind {
    /// A subagent of the session that runs in the background and has not reported.
    Subagent,
    /// Another session in the same workspace whose turn is open.
    Session,
}

/// One message of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentMessage {
    /// Its text, at most 256 KiB of the end. Untrusted.
    pub text: String,
    /// When it was written.
    pub at: Option<Timestamp>,
}

/// The state of a session's last turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TurnState {
    /// The agent ended its turn.
    Ended {
        /// When.
        at: Option<Timestamp>,
    },
    /// A turn was begun and is not ended: at work, waiting for a permission, or killed.
    Open {
        /// When it began or last moved.
        since: Option<Timestamp>,
        /// The tool that was called and has not answered. Untrusted text.
        tool: Option<String>,
    },
    /// The person interrupted it.
    Interrupted {
        /// When.
        at: Option<Timestamp>,
    },
    /// The model's service failed and the error stands in place of a reply.
    Failed {
        /// When.
        at: Option<Timestamp>,
        /// The error in words. Untrusted text.
        error: String,
    },
    /// The record does not tell.
    Unknown,
}
