//! What an agent reported to closeout's hook: one event is one line of JSON in a file per session.
//!
//! One version of closeout writes the line and another may read it. Unknown fields are ignored, missing ones
//! are empty; [`HookEvent::VERSION`] is raised when the meaning of a field changes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{BackgroundTask, Pane, ProcessId, SessionId, Timestamp};

/// How many characters of a text in an event are kept.
pub const HOOK_TEXT: usize = 2_000;
/// The longest session id that is used as a file name unchanged, in bytes.
const LONGEST_NAME: usize = 100;

/// One event of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookEvent {
    /// The version of this format.
    #[serde(rename = "v")]
    pub version: u32,
    /// When the hook ran.
    pub at: Timestamp,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
    /// What happened.
    pub kind: HookKind,
    /// The session's working folder. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The path of the session's own record. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The subagent in which it happened; `None` for the session itself. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The tool. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The id of the tool call, the permission or the question. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The command, file, question, message or error: at most [`HOOK_TEXT`] characters. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Background work beside the turn; `None` if the agent does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Vec<BackgroundTask>>,
    /// Why a session began or ended, as the agent states it. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the agent runs without a screen, so that it cannot wait for the user.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_headless: bool,
    /// The agent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessId>,
    /// The PID namespace of the process, like `pid:[4026531836]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<String>,
    /// The tmux pane that the agent runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<Pane>,
}

/// What happened: a closed set; a kind that only a newer closeout knows is read as `Other`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookKind {
    /// The session began, was resumed, or continued after a compaction.
    SessionStarted,
    /// The session ended.
    SessionEnded,
    /// It received a prompt.
    Prompted,
    /// A turn is running, according to the agent's own status.
    Busy,
    /// A tool was called.
    ToolStarted,
    /// A tool returned or failed.
    ToolEnded,
    /// A tool waits for the user's permission.
    PermissionAsked,
    /// The agent reminds the user of a pending permission; it does not say which.
    PermissionNoticed,
    /// The permission was granted or refused.
    PermissionAnswered,
    /// A question waits for the user.
    QuestionAsked,
    /// The question was answered or refused.
    QuestionAnswered,
    /// The turn ended.
    Stopped,
    /// The turn ended with an error instead of a reply.
    StopFailed,
    /// The agent reminds the user that it waits for the next prompt.
    IdleNoticed,
    /// The user interrupted the turn.
    Interrupted,
    /// A subagent started.
    SubagentStarted,
    /// A subagent ended.
    SubagentStopped,
    /// The conversation is being compacted.
    Compacting,
    /// The conversation was compacted.
    Compacted,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

impl HookEvent {
    /// The version written by this closeout.
    pub const VERSION: u32 = 1;

    /// An event with only the required fields.
    pub fn new(at: Timestamp, session_id: impl Into<SessionId>, kind: HookKind) -> HookEvent {
        HookEvent {
            version: HookEvent::VERSION,
            at,
            session_id: session_id.into(),
            kind,
            ..HookEvent::default()
        }
    }
}

/// The name, without extension, of the file that keeps a session's events. An id that is not a plain name
/// (ASCII letters, digits, `-`, `_`, at most 100 bytes) is replaced by its hash, because ids come from
/// agents.
pub fn hook_file_stem(session_id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=LONGEST_NAME).contains(&session_id.len()) && session_id.bytes().all(is_plain) {
        return session_id.to_owned();
    }
    format!("id.{:032x}", stable_hash(session_id.as_bytes()))
}

/// FNV-1a with 128 bits: stable across versions, unlike the standard library's hashes. It protects against
/// accidents only; whoever chooses colliding ids merely mixes up their own sessions.
pub fn stable_hash(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_false(is: &bool) -> bool {
    !is
}
