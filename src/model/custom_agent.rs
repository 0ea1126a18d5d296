//! An agent that a person describes in their own configuration.

/// An agent that a person describes in their own configuration, never a workspace: it names commands, and
/// places outside the workspace.
///
/// A place is a path below the workspace, or an absolute one in which `{workspace}` (the workspace's path),
/// `{name}` (the name of its folder) or `{slug}` (its path with every sign but ASCII letters and digits as
/// `-`) stands for the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomAgent {
    /// Its name in evidence and on the screen: one to 32 of `a-z`, `0-9`, `-`, `_`; no other agent's.
    pub name: String,
    /// What it leaves of its sessions.
    pub trail: AgentTrail,
    /// The place of its status: a JSON object with `status`, and perhaps `detail` and `pid`.
    pub status_file: Option<String>,
    /// The place of the file that replies are written to.
    pub reply_file: Option<String>,
    /// How it is asked for its status without a trace: a program and its arguments.
    pub probe: Option<Vec<String>>,
    /// How it is asked for the closer's checklist: a program and its arguments.
    pub query: Option<Vec<String>>,
    /// How words of the person are given to it: a program and its arguments.
    pub reply: Option<Vec<String>>,
}

/// What an agent leaves of its sessions. `*` and `?` in a place match within one folder; each file that
/// matches is a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentTrail {
    /// A file that is the last message.
    Output {
        /// Its place.
        place: String,
    },
    /// A record of the conversation.
    Transcript {
        /// Its place.
        place: String,
        /// What its lines mean.
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

/// What the lines of a record mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscriptFormat {
    /// As Claude Code writes them.
    Claude,
    /// As Codex writes them.
    Codex,
    /// One JSON object a line, a message each. The fields are named by dotted paths.
    Jsonl {
        /// Whose message it is: `user`, `human`, `person`, or `assistant`, `agent`, `model`, `ai`.
        role: String,
        /// Its text: a string, or a list of strings and of objects with a string `text`.
        text: String,
        /// When it was written, where that is told: RFC 3339, or seconds or milliseconds since 1970.
        time: Option<String>,
    },
}
