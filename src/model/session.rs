//! What is known of one session: by the agent's own record, and by sources beside it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActivitySource, AnsweredByTool, AskedByTool, Checklist, Timestamp, TurnHistory};

/// What is known of one session.
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
    /// Which of the agent's own ways of working the last turn went by, where its record tells one that a
    /// reply has to name again (opencode: its agent, like `build` or `plan`). Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
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
    /// The name that the person or the agent gave it. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder in which it works now. Untrusted text; it need not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// How it came to be.
    #[serde(default)]
    pub origin: SessionOrigin,
    /// How much it has used.
    #[serde(default)]
    pub usage: SessionUsage,
    /// Its subagents that have not reported, as the records tell: each may have been killed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Subagent>,
    /// What works beside its last turn, as its hooks tell it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundTask>,
    /// What is told of it beside its record, each by another source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<StatusReport>,
    /// Its process, where a source names it. It need not live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessId>,
    /// The tmux pane that it is shown in, where a source names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<Pane>,
    /// What it asks by a tool, if such a call is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedByTool>,
    /// What was answered last to such a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredByTool>,
    /// What was asked and done in it, turn by turn.
    #[serde(default)]
    pub history: TurnHistory,
}

impl SessionObservation {
    /// A session of which nothing is known but its name.
    pub fn named(agent: impl Into<String>, session_id: impl Into<String>) -> SessionObservation {
        SessionObservation {
            agent: agent.into(),
            session_id: session_id.into(),
            version: None,
            model: None,
            mode: None,
            last_message: None,
            todos: None,
            turn: TurnState::Unknown,
            prompted_at: None,
            prompt: None,
            written_at: None,
            n_skipped_lines: 0,
            is_partial: false,
            name: None,
            folder: None,
            origin: SessionOrigin::Unknown,
            usage: SessionUsage::default(),
            subagents: Vec::new(),
            background: Vec::new(),
            live: Vec::new(),
            process: None,
            pane: None,
            asked: None,
            answered: None,
            history: TurnHistory::default(),
        }
    }

    /// Ends the turn by an error that is told beside the record, by a hook or a status file, unless the record or
    /// another source went on since.
    pub fn end_by_reported_error(&mut self) {
        let moved_at = match &self.turn {
            TurnState::Failed { .. } => return,
            TurnState::Ended { at } | TurnState::Interrupted { at } => *at,
            TurnState::Open { since, .. } => *since,
            TurnState::Unknown => None,
        };
        let is_at_work =
            |other: &&StatusReport| matches!(other.status, LiveStatus::Busy | LiveStatus::Waiting { .. });
        let went_on_at =
            self.live.iter().filter(is_at_work).map(|other| other.reported_at).max().flatten().max(moved_at);
        let counts = |report: &&StatusReport| {
            report.status == LiveStatus::Failed
                && went_on_at
                    .zip(report.reported_at)
                    .is_none_or(|(went_on_at, told_at)| told_at >= went_on_at)
        };
        if let Some(report) = self.live.iter().find(counts) {
            let error = report.what.clone().unwrap_or_else(|| "the agent reported an error".to_owned());
            self.turn = TurnState::Failed { at: report.reported_at, error };
        }
    }

    /// When something was last said in it; where no line tells, when its record last grew. A record's own time is
    /// that of whatever touched the file.
    pub fn spoken_at(&self) -> Option<Timestamp> {
        self.history.last_line_at.or(self.written_at)
    }
}

/// How a session came to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum SessionOrigin {
    /// The record does not tell.
    #[default]
    Unknown,
    /// A person began it at a screen.
    Person,
    /// A program began it, without a screen.
    Headless,
    /// It continues a copy of another session.
    Fork {
        /// The other session's id, where the record tells. Untrusted text.
        of: Option<String>,
    },
}

/// How much a session has used, as far as its record was read and tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionUsage {
    /// The tokens that the last request put before the model.
    pub context_tokens: Option<u64>,
    /// The most that the model can be given, in tokens, where the record tells.
    pub context_limit: Option<u64>,
    /// How many prompts it was given.
    pub n_turns: Option<u32>,
}

/// A subagent that runs beside a session's own turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subagent {
    /// Its id. Untrusted text.
    pub id: String,
    /// What it was sent to do, shortened. Untrusted text.
    pub what: Option<String>,
    /// When its record last grew.
    pub moved_at: Option<Timestamp>,
}

/// What one source beside the record tells of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReport {
    /// The source.
    pub source: ActivitySource,
    /// What it says the session does.
    pub status: LiveStatus,
    /// Since when, as the source tells it.
    pub since: Option<Timestamp>,
    /// When the source said it; `None` for a source that is asked and tells of now.
    pub reported_at: Option<Timestamp>,
    /// The tool, the question or the error, shortened. Untrusted text.
    pub what: Option<String>,
}

/// What a session does, as a source beside its record tells it.
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
    /// Its turn is over and work that it began goes on.
    Background,
    /// Its last turn ended with an error in place of a reply.
    Failed,
    /// It was ended.
    Ended,
    /// Its process does not live any more, and nobody told that it ended.
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

/// Work that goes on beside a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundTask {
    /// Its id. Untrusted text.
    pub id: String,
    /// What it is for, shortened. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The command line, where the task is one and the client tells it; shortened. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// True for a subagent, false for a command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_subagent: bool,
}

/// A process of this machine; the number alone is used again by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since boot: field 22 of `/proc/PID/stat` (proc(5)).
    pub started_at: u64,
}

/// A pane of tmux.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pane {
    /// The path of the server's socket; `None` is the default server's. Untrusted text.
    pub socket: Option<String>,
    /// The pane's id, like `%3`.
    pub id: String,
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
        /// What it was called with, shortened: a command, a file, a question. Untrusted text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        what: Option<String>,
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
