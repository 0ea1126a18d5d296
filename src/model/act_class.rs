//! How an act ended: a closed set, and the contract of exit codes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an act ended. A closed set, and the contract of exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActClass {
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
    /// A person said no, or there was nobody to ask. Nothing was done.
    Declined,
    /// Somebody else is at it.
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
    /// A person ended it.
    Cancelled,
}

impl ActClass {
    /// Every class, by its exit code.
    pub const ALL: [ActClass; 13] = [
        ActClass::Done,
        ActClass::SavedGaps,
        ActClass::SavedOnly,
        ActClass::Nothing,
        ActClass::Refused,
        ActClass::Busy,
        ActClass::Untrusted,
        ActClass::Unknown,
        ActClass::Declined,
        ActClass::Failed,
        ActClass::TimedOut,
        ActClass::Damage,
        ActClass::Cancelled,
    ];

    /// The exit code of a command that ends so.
    pub fn exit_code(self) -> u8 {
        match self {
            ActClass::Done => 0,
            ActClass::SavedGaps => 10,
            ActClass::SavedOnly => 11,
            ActClass::Nothing => 12,
            ActClass::Refused => 20,
            ActClass::Busy => 21,
            ActClass::Untrusted => 22,
            ActClass::Unknown => 23,
            ActClass::Declined => 24,
            ActClass::Failed => 30,
            ActClass::TimedOut => 31,
            ActClass::Damage => 40,
            ActClass::Cancelled => 130,
        }
    }

    /// The word or two for it in a history.
    pub fn in_words(self) -> &'static str {
        match self {
            ActClass::Done => "done",
            ActClass::SavedGaps => "saved, with gaps",
            ActClass::SavedOnly => "saved only",
            ActClass::Nothing => "nothing to do",
            ActClass::Refused => "refused",
            ActClass::Declined => "declined",
            ActClass::Busy => "busy",
            ActClass::Untrusted => "not trusted",
            ActClass::Unknown => "not known",
            ActClass::Failed => "failed",
            ActClass::TimedOut => "timed out",
            ActClass::Damage => "DAMAGE",
            ActClass::Cancelled => "cancelled",
        }
    }
}
