//! Formats a moment in local time. It must not read the clock.

use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::model::Timestamp;

pub(super) fn minute(at: Timestamp) -> String {
    zoned(at).strftime("%Y-%m-%d %H:%M").to_string()
}

pub(super) fn second(at: Timestamp) -> String {
    zoned(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

pub(super) fn zoned(at: Timestamp) -> Zoned {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or_default().to_zoned(TimeZone::system())
}
