//! What happened to workspaces, for the history and the statistics. What the user did to them is in the audit
//! record.
//!
//! These values are kept in the state folder, so their names must not change. They contain no text of an
//! agent or the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{CommandEnd, Proof, RunStatus, Timestamp, VerdictState, WorkspaceId};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// When.
    pub at: Timestamp,
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace: WorkspaceId,
    /// The agent at work there, if one is known.
    pub agent: Option<String>,
    /// What.
    #[serde(flatten)]
    pub what: HistoryEvent,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum HistoryEvent {
    /// The verdict became another one.
    Verdict {
        /// It.
        state: VerdictState,
        /// The one before; `None` where closeout first saw the workspace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<VerdictState>,
        /// How well a COMPLETE is proven.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proof: Option<Proof>,
    },
    /// The user saw that the work is finished.
    Seen {
        /// So long after it was.
        after_ms: i64,
    },
    /// An iteration of a supervised run ended.
    Iteration {
        /// The id of the run.
        run: String,
        /// Its number.
        number: u32,
        /// How its command ended.
        end: CommandEnd,
        /// What the check found.
        verdict: VerdictState,
        /// How long the command took.
        took_ms: i64,
        /// Whether the agent was at work when closeout ended the command.
        was_active: bool,
    },
    /// A supervised run ended.
    #[strum(serialize = "run")]
    RunEnded {
        /// Its id.
        run: String,
        /// How.
        status: RunStatus,
        /// How many iterations there were.
        iterations: u32,
    },
    /// A gate let an agent go. That it held one back stands in the record of actions.
    GatePassed,
    /// The user was told that they are needed, or that work is finished.
    Notice {
        /// Why, by its name.
        why: String,
    },
}

impl HistoryEvent {
    /// The name used in a list.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}
