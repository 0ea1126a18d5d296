//! Codex: its rollouts under `sessions/`, the names of its threads in `session_index.jsonl`.
//!
//! Seen in real runs of 0.169.0. New kinds of lines come often; an unknown one is counted and passed
//! over. It reads records and says command lines; it starts and writes nothing.

mod agent;
mod called_with;
mod command;
mod deeds;
mod find;
mod head;
mod history;
mod line;
mod names;
mod plan;
mod rollout;
mod screen;
mod script;
mod subagents;
mod survey;

pub(super) use agent::Codex;
pub use find::read_rollout;

/// The agent's name in evidence and on the screen.
const NAME: &str = "codex";
/// The tool by which the agent puts questions to the person.
const ASKING_TOOL: &str = "request_user_input";

/// Whether a text is a UUID as the client writes the ids of threads; only such a one becomes an argument
/// or a part of a file's name.
fn is_thread_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
