//! The states of a verdict, and how well a COMPLETE is proven: closed sets that stored values name, too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The state of a workspace. A closed set; it is the contract of the JSON output too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictState {
    /// Really finished.
    Complete,
    /// The user has to answer.
    AwaitingResponse,
    /// Finished by its word, and not committed.
    RescueNeeded,
    /// Not finished, or nothing says so.
    Incomplete,
    /// Only background work is running.
    Waiting,
    /// At work.
    Working,
    /// Rounds used up, or the same reasons again and again.
    Stalled,
    /// Something failed.
    Error,
    /// No agent was asked for anything here.
    NoTask,
}

impl VerdictState {
    /// The name used on the screen and in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// True if nothing will change without the user or a new round: any state but WORKING and WAITING.
    pub fn is_terminal(self) -> bool {
        !matches!(self, VerdictState::Working | VerdictState::Waiting)
    }
}

/// How well a COMPLETE is proven, from the weakest up (DESIGN.md 2.4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema
)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Only the agent's word.
    #[default]
    Said,
    /// Work is committed and nothing is open; nothing checked it.
    Committed,
    /// A whole test run or a demanded check passed after the last change.
    Checked,
    /// The user said so.
    ByYou,
}

impl Proof {
    /// The name used in configuration, flags and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The proof with this name, if it can be required; the user's own word cannot be required.
    pub fn from_name(name: &str) -> Option<Proof> {
        [Proof::Said, Proof::Committed, Proof::Checked].into_iter().find(|proof| proof.name() == name)
    }
}
