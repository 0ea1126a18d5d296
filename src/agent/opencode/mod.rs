//! opencode: its sessions in one `SQLite` database, `opencode.db` in its data folder.
//!
//! Seen in real runs of 1.18.33. The database is read and nothing else: see [`store`] for what keeps its
//! owner undisturbed. Whether a session waits for a permission stands only in the answers of the
//! program's HTTP interface, where its process has one; [`api`] tells what they mean, and nothing here fetches
//! them.

mod agent;
mod api;
mod arrivals;
mod cell;
mod command;
mod conversation;
mod log;
mod message;
mod row;
mod session_copy;
mod sessions;
mod store;
mod survey;
mod turns;

pub(super) use agent::OpenCode;

/// The agent's name in evidence and on the screen.
const NAME: &str = "opencode";
/// The name of the database in the data folder.
const DATABASE: &str = "opencode.db";
/// The name of its write-ahead log, in which nearly every change shows first.
const LOG: &str = "opencode.db-wal";
/// Whether `id` is one of a session as opencode makes them, so that it may stand on a command line.
fn is_session_id(id: &str) -> bool {
    id.strip_prefix("ses_").is_some_and(|rest| {
        !rest.is_empty() && rest.len() <= 64 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
