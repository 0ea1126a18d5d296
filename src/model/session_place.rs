//! Where the record of a session is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Where the record of a session is, as discovery found it. A workspace is given the places of its
/// sessions, so that a collection need not search the whole machine for them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionPlace {
    /// The agent's name, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: String,
    /// The folder that the session was begun in, absolute. Untrusted text; it need not exist.
    pub folder: PathBuf,
    /// Its record, or the database that holds it.
    pub record: PathBuf,
}
