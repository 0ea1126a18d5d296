//! What agents told closeout's hook: the events of each session, and what follows from them.
//!
//! [`event_of`] makes an event of what an agent puts on the standard input of its hook; `store` writes
//! it down, one line an event, one file a session. [`HookReader`] reads such a file from its end and
//! follows it; the fold over its lines tells what the session does. [`survey`] finds the sessions that
//! left events. Interpreting is pure; only reading touches the disk, and nothing here writes.

mod attach;
mod find;
mod fold;
mod payload;
mod reader;
mod tool_input;

use super::{claude, codex, gemini, opencode};

pub use attach::{HookReader, is_own_place};
pub use find::{HookSurveyMemory, survey};
pub use fold::HookFold;
pub use payload::event_of;

/// The agents that have hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookAgent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode, by a plugin.
    OpenCode,
}

impl HookAgent {
    /// All of them.
    pub const ALL: [HookAgent; 4] =
        [HookAgent::Claude, HookAgent::Codex, HookAgent::Gemini, HookAgent::OpenCode];

    /// Its name, as adapters call it too.
    pub fn name(self) -> &'static str {
        match self {
            HookAgent::Claude => claude::NAME,
            HookAgent::Codex => codex::NAME,
            HookAgent::Gemini => gemini::NAME,
            HookAgent::OpenCode => opencode::NAME,
        }
    }

    /// The agent of that name.
    pub fn from_name(name: &str) -> Option<HookAgent> {
        HookAgent::ALL.into_iter().find(|agent| agent.name() == name)
    }
}
