//! How old a record is, by its name, and how old it must be to go without a question. It must not look at a repository.

use crate::action::clock;
use crate::model::Timestamp;

/// The age in milliseconds before which a record is never deleted without asking: 30 days.
const OLD: i64 = 30 * 24 * 60 * 60 * 1000;

/// Whether a record is so old that it may go.
pub(super) fn is_past(time: Timestamp) -> bool {
    clock::now().millis_since(time) > OLD
}

/// The time in the name of a reference (`20260131T235959Z-…`); the epoch if there is none.
pub(super) fn time_of(reference: &str) -> Timestamp {
    let id = reference.rsplit('/').next().unwrap_or_default();
    let time = id.split('-').next().unwrap_or_default();
    let parsed = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", time);
    let zoned = parsed.and_then(|time| time.to_zoned(jiff::tz::TimeZone::UTC));
    zoned.map_or(Timestamp(0), |zoned| Timestamp(zoned.timestamp().as_millisecond()))
}
