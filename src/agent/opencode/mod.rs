//! opencode: its sessions in one `SQLite` database, `opencode.db` in its data folder.
//!
//! Observed with 1.18.33. The database is only read; [`store`] explains how its owner stays undisturbed.
//! Whether a session waits for permission can be learned only from the program's HTTP API, if its process
//! serves one; [`api`] interprets the responses, and nothing here fetches them.

mod agent;
mod api;
mod command;
mod conversation;
mod log;
mod message;
mod row;
mod session_copy;
mod sessions;
mod store;
mod survey;

pub(super) use agent::OpenCode;

/// The agent's name in evidence and on screen.
const NAME: &str = "opencode";
/// The name of the database in the data folder.
const DATABASE: &str = "opencode.db";
/// The name of its write-ahead log, where nearly every change shows first.
const LOG: &str = "opencode.db-wal";
/// Whether `id` is a session id as opencode makes them, and so may stand on a command line.
fn is_session_id(id: &str) -> bool {
    id.strip_prefix("ses_").is_some_and(|rest| {
        !rest.is_empty() && rest.len() <= 64 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
