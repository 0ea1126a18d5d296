//! What a session is doing, and why the user should look at it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What a session does now, who says so and since when.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activity {
    /// What it does.
    pub state: ActivityState,
    /// Where this was read.
    pub source: ActivitySource,
    /// Since when, where the source tells.
    pub since: Option<Timestamp>,
    /// The tool, the question or the error. Untrusted text.
    pub detail: Option<String>,
}

impl Activity {
    /// The activity when nothing is known of any session.
    pub fn unknown() -> Activity {
        Activity { state: ActivityState::Unknown, source: ActivitySource::None, since: None, detail: None }
    }
}

/// What a session does. A closed set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivityState {
    /// A turn runs.
    Working,
    /// The turn is over.
    Idle,
    /// It waits for permission.
    NeedsPermission,
    /// It waits for an answer.
    Asks,
    /// The turn is over and background work is running.
    Background,
    /// It ended or crashed.
    Gone,
    /// No source tells.
    #[default]
    Unknown,
}

/// Where an activity was read, most trusted first.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema
)]
#[serde(rename_all = "snake_case")]
pub enum ActivitySource {
    /// An event that the agent told closeout's hook.
    Hook,
    /// The agent's own registry of running sessions.
    Registry,
    /// The agent's own server, asked over loopback.
    Api,
    /// The agent's own record of its conversation.
    Transcript,
    /// closeout itself, which runs it (`closeout run`).
    Run,
    /// The list of processes.
    Process,
    /// The title of its tmux pane: a guess.
    PaneTitle,
    /// Nowhere.
    #[default]
    None,
}

/// Why the user should look, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// A permission is waited for.
    Permission,
    /// A question is waited on.
    Asks,
    /// Finished work is not committed.
    Rescue,
    /// The same reasons again and again, or rounds used up.
    Stalled,
    /// Something failed.
    Error,
    /// An offer of more work stands unanswered.
    Offer,
    /// Finished, and not yet seen by the user.
    Finished,
}
