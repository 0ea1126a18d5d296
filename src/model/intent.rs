//! What a person wants, after key mapping. Each names the workspace that it is about.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use super::{Action, Draft, WorkspaceId};

/// What a person wants of the engine. Moving about on a screen is the screen's own affair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[derive(IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Read everything again: of one workspace, or of all.
    Refresh {
        /// `None` is all of them.
        workspace: Option<WorkspaceId>,
    },
    /// A person looks at this workspace: look at its uncommitted changes, and mark it as seen.
    Look {
        /// The workspace.
        workspace: WorkspaceId,
    },
    /// A person has this workspace before their eyes, as one of several: look at its uncommitted changes.
    Glance {
        /// The workspace.
        workspace: WorkspaceId,
    },
    /// Show, or fold away, the workspaces in which only old sessions are.
    ShowOlder {
        /// Whether they are shown.
        is_shown: bool,
    },
    /// Go to the tmux pane that a session is shown in.
    JumpToPane {
        /// The workspace.
        workspace: WorkspaceId,
        /// The session's id, as its view has it. Untrusted text.
        session_id: String,
    },
    /// Do something to a workspace: make a plan, or carry out a plan that was confirmed.
    Action {
        /// The workspace.
        workspace: WorkspaceId,
        /// What.
        action: Box<Action>,
    },
    /// End an action that runs on a workspace, if it can be ended.
    CancelAction {
        /// The workspace.
        workspace: WorkspaceId,
        /// The action's number ([`RunningAction::number`](super::RunningAction)).
        number: u64,
    },
    /// Keep what is being written to a session, over restarts too.
    KeepDraft {
        /// The workspace.
        workspace: WorkspaceId,
        /// The draft; empty forgets it.
        draft: Draft,
    },
}
