//! Codex: its rollouts under `sessions/`, and the names of its threads in `session_index.jsonl`.
//!
//! Observed with 0.169.0. New kinds of lines appear often; an unknown one is counted and skipped. Nothing
//! here writes, or starts a program: commands are returned as data.

mod agent;
mod command;
mod deeds;
mod find;
mod head;
mod line;
mod plan;
mod rollout;
mod script;
mod subagent_rollouts;
mod subagents;
mod survey;

pub(super) use agent::Codex;
pub use find::read_rollout;

/// The agent's name in evidence and on screen.
const NAME: &str = "codex";
/// The tool through which the agent asks the user.
const ASKING_TOOL: &str = "request_user_input";
