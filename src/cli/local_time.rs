//! Formats a moment in local time. It must not read the clock.

use jiff::tz::TimeZone;

use crate::model::Timestamp;

/// Date and time to the minute.
pub(super) fn minute(at: Timestamp) -> String {
    written(at, "%Y-%m-%d %H:%M")
}

/// Date and time to the second.
pub(super) fn second(at: Timestamp) -> String {
    written(at, "%Y-%m-%d %H:%M:%S")
}

fn written(at: Timestamp, form: &str) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime(form).to_string()
}
