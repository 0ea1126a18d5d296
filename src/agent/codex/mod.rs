//! Codex: its rollouts under `sessions/`, the names of its threads in `session_index.jsonl`.
//!
//! Seen in real runs of 0.169.0. New kinds of lines come often; an unknown one is counted and passed
//! over. It reads records and says command lines; it starts and writes nothing.

mod asked;
mod called_with;
mod command;
mod find;
mod head;
mod line;
mod names;
mod plan;
mod rollout;
mod script;
mod subagents;
mod survey;
mod turn;

pub(super) use command::command;
pub use find::read_rollout;
pub(super) use find::{Memory, sessions};
pub(super) use survey::{SurveyMemory, survey};

/// The agent's name in evidence and on the screen.
pub(super) const NAME: &str = "codex";

/// The versions that the reading of records was tried with.
const KNOWN_VERSIONS: [&str; 1] = ["0.169.0"];

/// Whether closeout was tried with this version.
pub(super) fn knows_version(version: &str) -> bool {
    KNOWN_VERSIONS.contains(&version)
}

/// Whether a text is a UUID as the client writes the ids of threads; only such a one becomes an argument
/// or a part of a file's name.
fn is_thread_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
