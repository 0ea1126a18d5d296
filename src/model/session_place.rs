//! The location of a session's record. Nothing here reads it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{SessionId, SessionName, SessionObservation};

/// The location of a session's record, as discovery found it. A workspace is given the locations of its
/// sessions, so that a collection need not search the whole machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionPlace {
    /// The agent's name, like `claude`.
    pub agent: String,
    /// The session's id. Untrusted text.
    pub session_id: SessionId,
    /// The folder in which the session began, absolute. Untrusted text; it need not exist.
    pub folder: PathBuf,
    /// The session's record, or the database that contains it.
    pub record: PathBuf,
}

impl SessionPlace {
    /// The agent and id of its session.
    pub fn session_name(&self) -> SessionName {
        SessionName::new(&self.agent, &self.session_id)
    }

    /// Whether it is the session of this name.
    pub fn is(&self, name: &SessionName) -> bool {
        self.agent == name.agent && self.session_id == name.session_id
    }

    /// Whether the record of `session` is there.
    pub fn is_of(&self, session: &SessionObservation) -> bool {
        self.agent == session.agent && self.session_id == session.session_id
    }
}
