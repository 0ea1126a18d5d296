//! Answers to what a person wanted, on their way to a front.

use super::{ActionKind, ActionOutcome, JumpOutcome, WorkspaceId};

/// The answer to something that a person wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// What became of a jump to a pane.
    Jump {
        /// The workspace.
        workspace: WorkspaceId,
        /// What became of it.
        outcome: JumpOutcome,
    },
    /// What became of an action.
    Action {
        /// The workspace.
        workspace: WorkspaceId,
        /// The number of the action; 0 for one that was not begun, and for what became known of one later.
        number: u64,
        /// What it was.
        kind: ActionKind,
        /// Whether it only prepared what a person confirms then.
        is_plan: bool,
        /// What became of it.
        outcome: Box<ActionOutcome>,
    },
    /// An action that was to end is moving something, which is finished first.
    EndsLater {
        /// The workspace.
        workspace: WorkspaceId,
        /// What it is.
        kind: ActionKind,
    },
}
