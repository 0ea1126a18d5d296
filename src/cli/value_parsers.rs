//! Parsers for the values of arguments, with messages for invalid ones. They must not read anything but the
//! value and the time.

use std::time::Duration;
use strum::VariantArray as _;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::engine::clock;
use crate::model::{HoursOfDay, NoticeRoute, Proof, TaskKind, Timestamp, VerdictState};

pub(super) fn task_kind(name: &str) -> Result<TaskKind, String> {
    TaskKind::from_name(name).ok_or_else(|| format!("it is one of {}", TaskKind::names().join(", ")))
}

pub(super) fn proof(name: &str) -> Result<Proof, String> {
    Proof::from_name(name).ok_or_else(|| "it is one of said, committed, checked".to_owned())
}

/// Parses a duration like 90s, 1h30m or 7d; `0` is zero.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let message = || "it is a time like 90s, 20m or 1h30m".to_owned();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u64>().ok());
    if let Some(days) = days {
        return days.checked_mul(24).map(Duration::from_hours).ok_or_else(message);
    }
    let duration: jiff::SignedDuration = text.parse().map_err(|_| message())?;
    Duration::try_from(duration).map_err(|_| message())
}

/// Parses a moment: a date like 2026-11-20, a time, or a duration before now.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(duration) = duration(text) {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        return Ok(Timestamp(clock::now().0.saturating_sub(millis)));
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Ok(Timestamp(at.as_millisecond()));
    }
    let day = text.parse::<Date>().ok().and_then(|day| day.to_zoned(TimeZone::system()).ok());
    let message = || "it is a day like 2026-11-20, a time, or how long ago, like 2h or 7d".to_owned();
    day.map(|day| Timestamp(day.timestamp().as_millisecond())).ok_or_else(message)
}

/// Parses the state of a verdict, in upper or lower case.
pub(super) fn state(name: &str) -> Result<VerdictState, String> {
    name.to_ascii_uppercase().parse().map_err(|_| {
        let names: Vec<&str> = VerdictState::VARIANTS.iter().map(|state| state.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}

/// Parses a span of the day, like `22:00-07:30`.
pub(super) fn hours(text: &str) -> Result<HoursOfDay, String> {
    HoursOfDay::parse(text).ok_or_else(|| "it is a span like 22:00-07:30".to_owned())
}

pub(super) fn way(text: &str) -> Result<NoticeRoute, String> {
    let known = "it is one of bell, title, osc9, osc777, osc99, desktop";
    NoticeRoute::from_name(text).ok_or_else(|| known.to_owned())
}

/// Parses dollars into millionths; more than 0 and less than a million dollars.
pub(super) fn dollars(text: &str) -> Result<u64, String> {
    let amount: f64 = text.parse().map_err(|_| "it is a number of dollars like 2.50".to_owned())?;
    micros(amount)
        .filter(|micros| *micros > 0)
        .ok_or_else(|| "it is more than 0 and less than a million".to_owned())
}

/// Dollars in millionths; `None` unless `amount` is at least 0 and less than a million.
pub(super) fn micros(amount: f64) -> Option<u64> {
    if !(0.0..1_000_000.0).contains(&amount) {
        return None;
    }
    format!("{:.0}", amount * 1_000_000.0).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_money_are_read_as_people_write_them() {
        let long = |n| Duration::from_hours(n);
        let known =
            [("90s", Duration::from_secs(90)), ("2h", long(2)), ("7d", long(168)), ("0", Duration::ZERO)];
        for (text, expected) in known {
            assert_eq!(duration(text), Ok(expected), "{text}");
        }
        assert_eq!(duration("1h30m"), duration("1h 30m"));
        for text in ["", "5", "-5m", "soon", "-1d"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(dollars("2.50"), Ok(2_500_000));
        for text in ["0", "-1", "NaN", "inf", "x", "1e9"] {
            assert!(dollars(text).is_err(), "{text}");
        }
        assert_eq!(moment("2026-11-20T00:00:00Z"), Ok(Timestamp(1_795_132_800_000)));
        assert!(moment("2026-11-20").is_ok() && moment("yesterday").is_err());
        assert!(hours("22:00-07:30").is_ok_and(|night| night.contains(1439) && !night.contains(450)));
        assert!(hours("22:00").is_err() && hours("24:00-01:00").is_err() && hours("1:00-1:00").is_err());
        assert_eq!(state("complete"), Ok(VerdictState::Complete));
        assert!(state("DONE").is_err());
    }
}
