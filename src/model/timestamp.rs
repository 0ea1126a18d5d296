//! A point in time, as data. Nothing here reads a clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A moment in milliseconds since the Unix epoch (UTC). Moments before 1970 are negative.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to this time; negative if `earlier` is later. Saturates.
    pub fn millis_since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time `millis` milliseconds after this one. Saturates.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(millis))
    }

    /// This time, or the one just after `before` if that is later: what replaces something is newer than it, even if the
    /// clock was set back in between.
    #[must_use]
    pub fn newer_than(self, before: Option<Timestamp>) -> Timestamp {
        before.map_or(self, |before| self.max(before.plus_millis(1)))
    }
}
