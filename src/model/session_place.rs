//! The location of a session's record. Nothing here reads it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The location of a session's record, as discovery found it. A workspace is given the locations of its
/// sessions, so that a collection need not search the whole machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionPlace {
    /// The agent's name, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: String,
    /// The folder in which the session began, absolute. Untrusted text; it need not exist.
    pub folder: PathBuf,
    /// The session's record, or the database that contains it.
    pub record: PathBuf,
}
