//! The record of actions that were carried out: one entry per action.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActionClass, ActionKind, Timestamp, WorkspaceId};

/// One action in the record of what was done. It holds no text of a reply, a prompt or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Its id.
    // The same at its beginning and its end.
    pub id: String,
    /// When it began.
    pub at: Timestamp,
    /// Who wanted it.
    pub by: Actor,
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace: WorkspaceId,
    /// What it was.
    pub kind: ActionKind,
    /// What was confirmed, in words.
    // Branch, numbers of files, session, channel. May hold untrusted text.
    pub plan: String,
    /// The agent that it was about, where it was about one.
    #[serde(skip)]
    pub agent: Option<String>,
    /// How it ended; null while it runs, and for ever if closeout was killed in it.
    pub end: Option<ActionEnd>,
    /// Of a decision that the user made at a terminal, with no agent above closeout: the SHA-256 of the file
    /// that was written, in hexadecimal. By it the file is known again as theirs.
    #[serde(skip)]
    pub decided: Option<String>,
}

impl AuditEntry {
    /// True if a decision file with this content and time is the one that the user wrote with this action.
    pub fn is_decision_of(&self, digest: &str, written_at: Timestamp) -> bool {
        let Some(end) = self.end.as_ref().filter(|end| end.class == ActionClass::Done) else { return false };
        self.kind == ActionKind::Decide
            && self.decided.as_deref() == Some(digest)
            && written_at.millis_since(self.at) >= -FILE_CLOCK_MS
            && written_at.millis_since(end.at) <= FILE_CLOCK_MS
    }
}

/// The tolerance for file times, in milliseconds: the kernel's file clock ticks rarely and lags a few
/// milliseconds.
const FILE_CLOCK_MS: i64 = 20;

/// How an action ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionEnd {
    /// When.
    pub at: Timestamp,
    /// The class.
    pub class: ActionClass,
    /// The outcome in words: commit, reference, receipt. May hold untrusted text.
    #[serde(alias = "words")]
    pub message: String,
    /// What the figures count of it: the questions that a smart check sent, the open points with which a gate held an
    /// agent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// Who wanted an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The user at the screen.
    Screen,
    /// The user, or a script of theirs, by a command.
    Command,
    /// Trusted configuration.
    Configuration,
    /// An agent, or a script of its: closeout ran below the agent's process.
    Agent,
    /// closeout itself, where the user's own configuration allows that.
    Automatic,
}
