//! opencode: its sessions in one `SQLite` database, `opencode.db` in its data folder.
//!
//! Seen in real runs of 1.18.33. The database is read and nothing else: see [`store`] for what keeps its
//! owner undisturbed. Whether a session waits for a permission stands only in the answers of the
//! program's HTTP interface, where its process has one; [`api`] tells what they mean, and nothing here fetches
//! them.

mod api;
mod arrivals;
mod cell;
mod command;
mod conversation;
mod log;
mod row;
mod session_copy;
mod sessions;
mod store;
mod survey;

pub(super) use api::request;
pub use api::{ApiAnswers, is_about, permission_options, read_api_answers, waits_for};
pub(super) use arrivals::is_news;
pub(super) use command::{command, removal};
pub(super) use session_copy::{copy_session, has_session};
pub(super) use sessions::{Memory, sessions};
pub(super) use survey::{SurveyMemory, survey};

/// The agent's name in evidence and on the screen.
pub(super) const NAME: &str = "opencode";
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

/// Whether records of this version were tried.
pub(super) fn knows_version(version: &str) -> bool {
    version == "1.18.33"
}
