//! What an agent told closeout's hook: one event, one line of JSON in a file of its session.
//!
//! The line is written by one version of closeout and read by another. A field that is not known is
//! passed over, and one that is not there is empty; [`HookEvent::VERSION`] grows when the meaning of a
//! field changes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{BackgroundTask, Pane, ProcessId, Timestamp};

/// The most characters of a text in an event that are kept.
pub const HOOK_TEXT: usize = 2_000;
/// The longest session id that names a file as it is.
const LONGEST_NAME: usize = 100;

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookEvent {
    /// The version of this format.
    #[serde(rename = "v")]
    pub version: u32,
    /// When the hook ran.
    pub at: Timestamp,
    /// The session's id. Untrusted text.
    pub session_id: String,
    /// What happened.
    pub kind: HookKind,
    /// The folder that the session works in. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The session's own record. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The subagent in which it happened; `None` is the session itself. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The tool. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The id of the tool's call, of the permission or of the question. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The command, the file, the question, the message or the error: at most [`HOOK_TEXT`] characters.
    /// Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The work that goes on beside the turn; `None` where the agent does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Vec<BackgroundTask>>,
    /// Why a session began or ended, in the agent's words. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True when the agent runs without a screen, so that it cannot wait for a person.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_headless: bool,
    /// The agent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessId>,
    /// The namespace that the process's number is of, like `pid:[4026531836]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<String>,
    /// The tmux pane that the agent runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<Pane>,
}

/// What happened. A closed set; what a newer closeout tells beyond it is read as `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookKind {
    /// The session began, was resumed, or goes on after a compaction.
    SessionStarted,
    /// The session ended.
    SessionEnded,
    /// A prompt was given to it.
    Prompted,
    /// A turn runs, as the agent's own status tells.
    Busy,
    /// A tool was called.
    ToolStarted,
    /// A tool answered or failed.
    ToolEnded,
    /// A tool waits for the person's leave.
    PermissionAsked,
    /// The agent reminds of such a wait; it does not tell which.
    PermissionNoticed,
    /// The leave was given or refused.
    PermissionAnswered,
    /// A question waits for the person.
    QuestionAsked,
    /// It was answered or refused.
    QuestionAnswered,
    /// The turn ended.
    Stopped,
    /// The turn ended with an error in place of a reply.
    StopFailed,
    /// The agent reminds that it waits for the next prompt.
    IdleNoticed,
    /// The person broke the turn off.
    Interrupted,
    /// A subagent began.
    SubagentStarted,
    /// A subagent ended.
    SubagentStopped,
    /// The conversation is being shortened.
    Compacting,
    /// The conversation was shortened.
    Compacted,
    /// Anything else.
    #[serde(other)]
    Other,
}

impl HookEvent {
    /// The version that this closeout writes.
    pub const VERSION: u32 = 1;

    /// An event with nothing told but what happened.
    pub fn new(at: Timestamp, session_id: impl Into<String>, kind: HookKind) -> HookEvent {
        HookEvent {
            version: HookEvent::VERSION,
            at,
            session_id: session_id.into(),
            kind,
            folder: None,
            record: None,
            subagent: None,
            tool: None,
            call: None,
            what: None,
            background: None,
            reason: None,
            is_headless: false,
            process: None,
            pid_namespace: None,
            pane: None,
        }
    }
}

/// The name of the file that keeps the events of a session, without its ending. An id that is no plain
/// name (ASCII letters, digits, `-`, `_`) is replaced by a hash of it: ids come from agents.
pub fn hook_file_stem(session_id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=LONGEST_NAME).contains(&session_id.len()) && session_id.bytes().all(is_plain) {
        return session_id.to_owned();
    }
    format!("id.{:032x}", stable_hash(session_id.as_bytes()))
}

/// FNV-1a with 128 bits: the same in every version, which the standard library's hashes are not. It
/// stands against accidents; who can choose ids so that two meet only confuses the own sessions.
pub fn stable_hash(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_false(is: &bool) -> bool {
    !is
}
