//! Answers to what a person wanted, on their way to a front.

use super::{ActKind, ActOutcome, JumpOutcome, WorkspaceId};

/// The answer to something that a person wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// What became of a jump to a pane.
    Jump {
        /// The workspace.
        workspace: WorkspaceId,
        /// What became of it.
        outcome: JumpOutcome,
    },
    /// What became of an act.
    Act {
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the act; 0 for one that was not begun, and for what became known of one later.
        number: u64,
        /// What it was.
        kind: ActKind,
        /// Whether it only prepared what a person confirms then.
        is_plan: bool,
        /// What became of it.
        outcome: Box<ActOutcome>,
    },
    /// An act that was to end is moving something, which is finished first.
    EndsLater {
        /// The workspace.
        workspace: WorkspaceId,
        /// What it is.
        kind: ActKind,
    },
}
