//! Answers to the user's requests, on their way to a front.

use super::{ActionKind, ActionOutcome, JumpOutcome, WorkspaceId};

/// The answer to the user's request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Response {
    /// The result of a jump to a pane.
    Jump { workspace: WorkspaceId, outcome: JumpOutcome },
    /// The outcome of an action.
    Action {
        workspace: WorkspaceId,
        /// The action's number; 0 for one that was not started, and for news about an earlier one.
        number: u64,
        kind: ActionKind,
        /// True if it only prepared something for the user to confirm.
        is_plan: bool,
        outcome: Box<ActionOutcome>,
    },
    /// A cancelled action is moving something, which it completes first.
    EndsLater { workspace: WorkspaceId, kind: ActionKind },
}
