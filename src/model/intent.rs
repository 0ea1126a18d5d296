//! What the user wants, after key mapping. Most intents name the workspace that they concern.

use serde::Serialize;
use strum::{IntoStaticStr, VariantNames};

use super::{Action, Draft, SessionName, WorkspaceId};

/// What the user wants of the engine. Moving around on a screen is the front's own business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[derive(IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Intent {
    /// Read everything again, in one workspace or in all.
    Refresh {
        /// The workspace; `None` means all.
        workspace: Option<WorkspaceId>,
    },
    /// The user is looking at this workspace: scan its work tree and mark it as seen.
    Look { workspace: WorkspaceId },
    /// This workspace is visible as one of several: scan its work tree.
    Glance { workspace: WorkspaceId },
    /// Show or fold the workspaces that have only old sessions.
    ShowOlder {
        /// True to show them.
        is_shown: bool,
    },
    /// Go to the tmux pane that shows a session.
    JumpToPane { workspace: WorkspaceId, session: SessionName },
    /// Carry out an action on a workspace: make a plan, or execute a confirmed one.
    Action { workspace: WorkspaceId, action: Box<Action> },
    /// Cancel an action that is running on a workspace, if that is possible.
    CancelAction {
        workspace: WorkspaceId,
        /// The action's number ([`RunningAction::number`](super::RunningAction)).
        number: u64,
    },
    /// Keep the text that is being written to a session, also across restarts.
    KeepDraft {
        workspace: WorkspaceId,
        /// The draft; an empty one deletes it.
        draft: Draft,
    },
}
