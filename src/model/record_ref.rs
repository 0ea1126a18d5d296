//! The name of the hidden reference that keeps a rescue record, so that no other text is taken for one. Must not know
//! what a record holds.

use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The full name of a record's hidden reference, like `refs/closeout/rescue/KEY/20260131T235959Z-1a2b`; for a record
/// that only the vault has, the one inside its bundle. As JSON the name alone. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct RecordRef(String);

impl RecordRef {
    /// The record's id: the last part of the name, which begins with the time of the record.
    pub fn id(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl From<String> for RecordRef {
    fn from(full: String) -> RecordRef {
        RecordRef(full)
    }
}

impl Deref for RecordRef {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecordRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
