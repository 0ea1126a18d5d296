//! The kinds of actions by name: for the audit record, for statistics, and for the row while one is running.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What an action is, without what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A plan of one of the others that changes nothing.
    Plan,
    /// A record of uncommitted work on a hidden reference.
    Record,
    /// A visible commit of uncommitted work.
    Rescue,
    /// The undo of a rescue.
    Undo,
    /// The redo of a rescue.
    Redo,
    /// Work of a record put into a folder.
    Restore,
    /// A record deleted for good.
    Forget,
    /// Programs of a workspace trusted, or no longer trusted.
    Trust,
    /// A reply to an agent.
    Reply,
    /// A smart check with probes.
    Probe,
    /// A closer's checklist.
    Verify,
    /// A second model's reading of an agent's last words.
    Opinion,
    /// An agent was asked for the messages of a rescue.
    Messages,
    /// A decision file.
    Decide,
    /// The user's own word.
    Mark,
    /// A gate held an agent back that was about to stop.
    Gate,
    /// The checks that the user configured.
    Checks,
}

impl ActionKind {
    /// The name used in a history.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
