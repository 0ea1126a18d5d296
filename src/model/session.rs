//! What is known of one session, from the agent's own record and from other sources.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActivitySource, AnsweredByTool, AskedByTool, Checklist, SessionId, Timestamp, TurnHistory};

/// A session by its agent and id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SessionName {
    /// The agent.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
}

impl SessionName {
    /// The session of this agent with this id.
    pub fn new(agent: impl Into<String>, session_id: impl Into<SessionId>) -> SessionName {
        SessionName { agent: agent.into(), session_id: session_id.into() }
    }
}

/// What is known of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionObservation {
    /// The agent, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
    /// The agent's version, as its record states it. Untrusted text.
    pub version: Option<String>,
    /// The model that wrote the last reply. Untrusted text.
    pub model: Option<String>,
    /// The agent's own mode in the last turn, if its record names one that a reply has to repeat (opencode:
    /// its agent, like `build` or `plan`). Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The agent's last message that has text.
    pub last_message: Option<AgentMessage>,
    /// The agent's todo list, if it keeps one.
    pub todos: Option<Checklist>,
    /// The state of the last turn.
    pub turn: TurnState,
    /// When the user last wrote to the agent.
    pub prompted_at: Option<Timestamp>,
    /// The user's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// When the record last grew.
    pub written_at: Option<Timestamp>,
    /// How many lines were skipped: of a kind that the adapter does not know, or not JSON.
    pub n_skipped_lines: u32,
    /// True if part of the record lies beyond the limit of the backward search.
    pub is_partial: bool,
    /// The session's name, given by the user or the agent. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder in which the session works now. Untrusted text; it need not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// How the session was started.
    #[serde(default)]
    pub origin: SessionOrigin,
    /// What the session has used so far.
    #[serde(default)]
    pub usage: SessionUsage,
    /// Subagents that have not reported, according to the records; each may have been killed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<Subagent>,
    /// Subagents that were stopped from outside or failed, each with the time at which the session heard of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<Subagent>,
    /// The user's first prompt that waits for its turn although no turn is running, shortened. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<String>,
    /// Background work beside the last turn, according to its hooks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundTask>,
    /// Reports from sources other than the record, one per source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<StatusReport>,
    /// The session's process, if a source names it. It may have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessId>,
    /// True if its process is stopped (Ctrl-Z) in mid-turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_suspended: bool,
    /// The tmux pane that shows the session, if a source names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<Pane>,
    /// The open question that the agent asks through a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedByTool>,
    /// The last answer to such a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredByTool>,
    /// The session's prompts and steps, turn by turn.
    #[serde(default)]
    pub history: TurnHistory,
}

impl SessionObservation {
    /// Its agent and id.
    pub fn session_name(&self) -> SessionName {
        SessionName::new(&self.agent, &self.session_id)
    }

    /// Whether it is the session of this name.
    pub fn is(&self, name: &SessionName) -> bool {
        self.agent == name.agent && self.session_id == name.session_id
    }

    /// A session of which only the agent and the id are known.
    pub fn named(agent: impl Into<String>, session_id: impl Into<SessionId>) -> SessionObservation {
        SessionObservation {
            agent: agent.into(),
            session_id: session_id.into(),
            ..SessionObservation::default()
        }
    }

    /// Marks the turn as failed if a hook or a status file reported an error, unless the record or another
    /// source shows work after it.
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

    /// When the session's last line was written; if no line has a time, when its record last grew. The file's
    /// own time changes whenever anything touches the file.
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
    /// The user began it at a screen.
    Person,
    /// A program began it, without a screen.
    Headless,
    /// It continues a copy of another session.
    Fork {
        /// The other session's id, where the record tells. Untrusted text.
        of: Option<SessionId>,
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

/// A report on a session from a source other than its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReport {
    /// The source.
    pub source: ActivitySource,
    /// The status that it reports.
    pub status: LiveStatus,
    /// When that status began, according to the source.
    pub since: Option<Timestamp>,
    /// When the source reported it; `None` for a source that describes the present when queried.
    pub reported_at: Option<Timestamp>,
    /// The tool, the question or the error, shortened. Untrusted text.
    pub what: Option<String>,
}

/// A session's status, according to a source other than its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum LiveStatus {
    /// It is working on a turn.
    Busy,
    /// It is waiting for the next prompt.
    Idle,
    /// It is waiting for the user in the middle of a turn.
    Waiting {
        /// What it waits for.
        on: WaitsOn,
    },
    /// Its turn has ended, and work that it started is still running.
    Background,
    /// Its last turn ended with an error instead of a reply.
    Failed,
    /// The session was ended.
    Ended,
    /// Its process no longer exists, and no source reported an end.
    Gone,
}

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsOn {
    /// Permission to use a tool, or to proceed with a plan.
    Permission,
    /// The answer to a question.
    Input,
    /// Something that this version of closeout does not know, in the agent's words. Untrusted text.
    Other(String),
}

/// Background work beside a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundTask {
    /// Its id. Untrusted text.
    pub id: String,
    /// The task's purpose, shortened. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The command line, if the task is a command and the client reports it; shortened. Untrusted text.
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
    /// The last 256 KiB of its text at most. Untrusted.
    pub text: String,
    /// When it was written.
    pub at: Option<Timestamp>,
}

/// The state of a session's last turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TurnState {
    /// The agent ended its turn.
    Ended {
        /// When.
        at: Option<Timestamp>,
    },
    /// A turn that began and has not ended: the agent is working, waits for permission, or was killed.
    Open {
        /// When it began or last progressed.
        since: Option<Timestamp>,
        /// The tool that was called and has not returned. Untrusted text.
        tool: Option<String>,
        /// The argument of the call, shortened: a command, a file, a question. Untrusted text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        what: Option<String>,
    },
    /// The user interrupted the turn.
    Interrupted {
        /// When.
        at: Option<Timestamp>,
    },
    /// The model's service failed; an error replaces the reply.
    Failed {
        /// When.
        at: Option<Timestamp>,
        /// The error message. Untrusted text.
        error: String,
    },
    /// The record does not say.
    #[default]
    Unknown,
}
