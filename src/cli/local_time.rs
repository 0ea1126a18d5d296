//! A moment as a person at this machine would write it.

use jiff::tz::TimeZone;

use crate::model::Timestamp;

/// To the minute.
pub(super) fn minute(at: Timestamp) -> String {
    written(at, "%Y-%m-%d %H:%M")
}

/// To the second.
pub(super) fn second(at: Timestamp) -> String {
    written(at, "%Y-%m-%d %H:%M:%S")
}

fn written(at: Timestamp, form: &str) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime(form).to_string()
}
