//! How an action ended: a closed set that also defines the exit codes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// How an action ended. A closed set, and the contract of exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum ActionClass {
    /// Done and verified.
    Done,
    /// The record is saved; some things could not be read, and each is named.
    SavedGaps,
    /// The record is saved and there is no visible commit, with the reason.
    SavedOnly,
    /// There is nothing to do.
    Nothing,
    /// Not done and nothing changed, with the reason and the way out.
    Refused,
    /// The user said no, or could not be asked. Nothing was done.
    Declined,
    /// Another process is doing it.
    Busy,
    /// It needs trust first.
    Untrusted,
    /// It could not be found out. Never shown as clean, complete or delivered.
    Unknown,
    /// An error; the state is as before.
    Failed,
    /// It took too long; all that was started is ended.
    TimedOut,
    /// A check failed. Nothing is deleted.
    Damage,
    /// The user ended it.
    Cancelled,
}

impl ActionClass {
    /// The exit code of a command whose action ended this way.
    pub fn exit_code(self) -> u8 {
        match self {
            ActionClass::Done => 0,
            ActionClass::SavedGaps => 10,
            ActionClass::SavedOnly => 11,
            ActionClass::Nothing => 12,
            ActionClass::Refused => 20,
            ActionClass::Busy => 21,
            ActionClass::Untrusted => 22,
            ActionClass::Unknown => 23,
            ActionClass::Declined => 24,
            ActionClass::Failed => 30,
            ActionClass::TimedOut => 31,
            ActionClass::Damage => 40,
            ActionClass::Cancelled => 130,
        }
    }
}
