//! What a front shows of one session.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Activity, AskedByTool, Pane, ProcessId, Question, QuestionWeight, SessionId, SessionName, SessionOrigin,
    SessionUsage, Subagent, Timestamp,
};

/// One session as a front shows it. The first of a workspace is the one whose words count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionView {
    /// The agent.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
    /// The name that the user or the agent gave it, else its first words, shortened. Untrusted text.
    pub name: Option<String>,
    /// The agent's version, as its record gives it. Untrusted text.
    pub version: Option<String>,
    /// The model of the last reply. Untrusted text.
    pub model: Option<String>,
    /// How it came to be.
    pub origin: SessionOrigin,
    /// What it does.
    pub activity: Activity,
    /// The user's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// When it was put.
    pub prompted_at: Option<Timestamp>,
    /// When its record last grew.
    pub moved_at: Option<Timestamp>,
    /// When its last turn ended; `None` while one runs, or when no source tells.
    pub ended_at: Option<Timestamp>,
    /// The question in its last words, if they wait for an answer.
    pub question: Option<Question>,
    /// What it asks by a tool, in a dialog on its screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<AskedByTool>,
    /// Why what it asks is not for the person to answer; `None` if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<SetAside>,
    /// Its todo list in short.
    pub todos: Option<TodoProgress>,
    /// How much it has used.
    pub usage: SessionUsage,
    /// Its subagents that have not reported.
    pub subagents: Vec<Subagent>,
    /// Its process, if it lives.
    pub process: Option<ProcessId>,
    /// The tmux pane that it is shown in.
    pub pane: Option<Pane>,
}

impl SessionView {
    /// Its agent and id.
    pub fn session_name(&self) -> SessionName {
        SessionName::new(&self.agent, &self.session_id)
    }

    /// Whether it is the session of this name.
    pub fn is(&self, name: &SessionName) -> bool {
        self.agent == name.agent && self.session_id == name.session_id
    }

    /// Whether the person left the session.
    pub fn is_left_over(&self) -> bool {
        self.set_aside == Some(SetAside::LeftOver)
    }

    /// The more work that its last words offer.
    pub fn offer(&self) -> Option<&Question> {
        self.question.as_ref().filter(|question| question.weight == QuestionWeight::Offer)
    }

    /// When the session's last turn ended; if that is unknown, when its record last grew. It changes when the
    /// session continues.
    pub fn rested_at(&self) -> Option<Timestamp> {
        self.ended_at.or(self.moved_at)
    }
}

/// Why what a session asks is not for the person to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetAside {
    /// The session was left: cleared, or silent for long while the person went on elsewhere.
    LeftOver,
    /// A mark of the person's saw it: the work is done, or they want quiet.
    Seen,
}

/// A todo list in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TodoProgress {
    /// How many items are done.
    pub n_done: u32,
    /// How many there are.
    pub n_all: u32,
    /// The item that is being worked on. Untrusted text.
    pub active: Option<String>,
}
