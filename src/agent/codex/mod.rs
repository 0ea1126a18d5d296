//! Codex: its rollouts under `sessions/`, and the names of its threads in `session_index.jsonl`.
//!
//! Observed with 0.169.0. New kinds of lines appear often; an unknown one is counted and skipped. Nothing
//! here writes, or starts a program: commands are returned as data.

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

/// The agent's name in evidence and on screen.
const NAME: &str = "codex";
/// The tool through which the agent asks the user.
const ASKING_TOOL: &str = "request_user_input";

/// Whether a text is a UUID as the client writes thread ids. Only such an id may become an argument or a
/// part of a file name.
fn is_thread_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
