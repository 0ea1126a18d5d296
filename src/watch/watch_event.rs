//! What this room reports to its owner. Data only, without times or paths.

use crate::model::{Parts, WatchProblem, WorkspaceId};

/// Something that the watcher noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// Something changed that these parts of a workspace are read from, or may have changed unseen.
    Changed {
        /// The workspace.
        workspace: WorkspaceId,
        /// What it can have changed.
        parts: Parts,
    },
    /// The system lost events: every workspace may have changed. A [`WatchEvent::Rearm`] comes with it.
    EventsLost,
    /// A workspace cannot be watched wholly (any more), or can again. Told when it changes only.
    WatchChanged {
        /// The workspace.
        workspace: WorkspaceId,
        /// The problem; `None` when it is over.
        problem: Option<WatchProblem>,
    },
    /// A folder came, went or was replaced: call [`super::Watcher::rearm`] soon, from a thread that may
    /// wait for the disk and is not the one that this was sent on.
    Rearm,
}
