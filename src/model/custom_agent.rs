//! An agent that the user describes in their own configuration. Nothing here runs or reads it.

/// The names of the agents that closeout knows itself.
pub const BUILT_IN_AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// An agent that the user describes in their own configuration. A workspace cannot define one, since it names
/// commands, and places outside the workspace.
///
/// A place is a path relative to the workspace, or an absolute one in which `{workspace}` (the workspace's
/// path), `{name}` (the name of its folder) or `{slug}` (its path with `-` for every character except ASCII
/// letters and digits) identifies the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomAgent {
    /// Its name in evidence and on the screen: 1 to 32 of `a-z`, `0-9`, `-`, `_`; not the name of another
    /// agent.
    pub name: String,
    /// The files that it leaves of its sessions.
    pub trail: AgentTrail,
    /// The place of its status file: a JSON object with `status`, and optionally `detail` and `pid`.
    pub status_file: Option<String>,
    /// The place of the file to which replies are written.
    pub reply_file: Option<String>,
    /// How to ask for its status without leaving a trace: a program and its arguments.
    pub probe: Option<Vec<String>>,
    /// How to ask for the closer's checklist: a program and its arguments.
    pub query: Option<Vec<String>>,
    /// How to send it the user's reply: a program and its arguments.
    pub reply: Option<Vec<String>>,
}

/// The files that an agent leaves of its sessions. `*` and `?` in a place match within one folder; each
/// matching file is a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentTrail {
    /// A file that contains the last message.
    Output {
        /// Its place.
        place: String,
    },
    /// A transcript of the conversation.
    Transcript {
        /// Its place.
        place: String,
        /// The format of its lines.
        format: TranscriptFormat,
    },
}

impl AgentTrail {
    /// Its place.
    pub fn place(&self) -> &str {
        match self {
            AgentTrail::Output { place } | AgentTrail::Transcript { place, .. } => place,
        }
    }
}

/// The format of a transcript's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscriptFormat {
    /// The format of Claude Code.
    Claude,
    /// The format of Codex.
    Codex,
    /// One JSON object per line, one message each. Fields are named by dotted paths.
    Jsonl {
        /// The field for the author: `user`, `human`, `person`, or `assistant`, `agent`, `model`, `ai`.
        role: String,
        /// The field for the text: a string, or a list of strings and of objects with a string `text`.
        text: String,
        /// The field for the time, if there is one: RFC 3339, or seconds or milliseconds since 1970.
        time: Option<String>,
    },
}
