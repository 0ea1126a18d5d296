//! What this room reports to its owner. Plain data, without times or paths.

use crate::model::{Parts, WatchProblem, WorkspaceId};

/// An event for the watcher's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// These parts of a workspace may have changed: an event was seen, or could have been missed.
    Changed {
        /// The workspace.
        workspace: WorkspaceId,
        /// The parts that may have changed.
        parts: Parts,
    },
    /// The system lost events: every workspace may have changed. A [`WatchEvent::Rearm`] follows.
    EventsLost,
    /// Whether a workspace can be fully watched has changed. Sent only on a change.
    WatchChanged {
        /// The workspace.
        workspace: WorkspaceId,
        /// The problem; `None` when it is solved.
        problem: Option<WatchProblem>,
    },
    /// A folder appeared, disappeared or was replaced. Call [`super::Watcher::rearm`] soon, on a thread that
    /// may wait for the disk and is not the one that sent this.
    Rearm,
}
