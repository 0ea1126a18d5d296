//! The agents: where their sessions are on disk, and what their records tell.
//!
//! One kind of agent is one folder and one line in [`AGENTS`]: it finds the sessions of the machine, reads
//! those of a workspace, knows the command lines by which one is asked or told something, and what is known of
//! its screen, its processes and its hooks ([`Agent`]). All that interprets a record is pure (a fold over
//! lines); only finding and reading touch the disk. Nothing here reads the environment or the clock, and
//! nothing here writes or starts anything: the places are given as parameters.

mod adapter;
mod claude;
mod codex;
mod commands;
mod custom;
mod facts;
mod gemini;
pub mod hook_events;
pub mod hook_settings;
mod memory;
mod opencode;
pub mod panes;
pub mod process_stat;
pub mod processes;
mod record_file;
mod record_tail;
mod record_text;
mod screen;
mod server;
mod survey;
mod turn_history;

use hook_settings::Hooks;

pub use adapter::{Adapter, Agent, SessionsRead, sessions};
pub use claude::{folder_name as claude_folder_name, read_transcript as read_claude_transcript};
pub use codex::read_rollout as read_codex_rollout;
pub use commands::{AgentCommand, AnswerPlace, Argument, Asking, COPY_PREFIX, Trace};
pub use facts::{Facts, Folder};
pub use memory::Memories;
pub use screen::{EmptyBox, LongPaste, OptionDialog, PermissionKey, Typing};
pub use server::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
pub use survey::{FoundSession, Survey, SurveyAsk, is_news, survey};

/// The agents that closeout knows itself. An agent more is a line more.
pub const AGENTS: [&dyn Agent; 4] = [&claude::Claude, &codex::Codex, &opencode::OpenCode, &gemini::Gemini];

/// The agent of that name, if closeout knows it itself.
pub fn built_in(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// What is known of the agent of that name; nothing of one that closeout does not know itself.
pub fn facts_of(name: &str) -> &'static Facts {
    built_in(name).map_or(&Facts::NONE, Agent::facts)
}

/// The hooks of all agents that have some.
pub fn all_hooks() -> impl Iterator<Item = &'static Hooks> {
    AGENTS.into_iter().filter_map(|agent| agent.facts().hooks)
}

/// The hooks of the agent of that name.
pub fn hooks_of(name: &str) -> Option<&'static Hooks> {
    facts_of(name).hooks
}
