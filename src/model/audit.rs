//! The record of what was done: one entry an act.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActClass, ActKind, Timestamp, WorkspaceId};

/// One act in the record of what was done. It holds no text of a reply, a prompt or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// An id of its own, the same at its beginning and its end.
    pub id: String,
    /// When it began.
    pub at: Timestamp,
    /// Who wanted it.
    pub by: ActedBy,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What it was.
    pub kind: ActKind,
    /// What was confirmed, in words: branch, numbers of files, session, channel. May hold untrusted text.
    pub plan: String,
    /// How it ended; `None` while it runs, and for ever if closeout was killed in it.
    pub end: Option<ActEnd>,
    /// Of a decision that a person made at a terminal, with no agent above closeout: the SHA-256 of the file
    /// that was written, in hexadecimal. By it the file is known again as theirs.
    pub decided: Option<String>,
}

impl AuditEntry {
    /// Whether a decision file of this content, written at this moment, is the one that a person wrote in this
    /// act.
    pub fn is_decision_of(&self, digest: &str, written_at: Timestamp) -> bool {
        let Some(end) = self.end.as_ref().filter(|end| end.class == ActClass::Done) else { return false };
        self.kind == ActKind::Decide
            && self.decided.as_deref() == Some(digest)
            && written_at.millis_since(self.at) >= -FILE_CLOCK_MS
            && written_at.millis_since(end.at) <= FILE_CLOCK_MS
    }
}

/// The moment of a file comes from a clock of the system that ticks seldom: some milliseconds behind.
const FILE_CLOCK_MS: i64 = 20;

/// How an act ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActEnd {
    /// When.
    pub at: Timestamp,
    /// The class.
    pub class: ActClass,
    /// The outcome in words: commit, reference, receipt. May hold untrusted text.
    pub words: String,
}

/// Who wanted an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActedBy {
    /// A person at the screen.
    Screen,
    /// A person, or a script of theirs, by a command.
    Command,
    /// Trusted configuration.
    Configuration,
    /// An agent, or a script of its: closeout ran below the agent's process.
    Agent,
    /// closeout itself, where the person's own configuration allows that.
    Automatic,
}
