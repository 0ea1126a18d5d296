//! Ages in whole minutes, hours, days and years, and durations.
//!
//! Ages have no seconds, because an idle screen would have to be redrawn for them. Nothing here reads a
//! clock.

use super::phrases::time;
use crate::model::{Timestamp, WorkspaceView};

pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
pub(crate) const YEAR: i64 = 365 * DAY;

/// How long a look at the work tree counts as current, in milliseconds. The user who sees "clean" and knows
/// of a changed file must be able to tell which is older.
pub(crate) const FRESH_MS: i64 = 5_000;

/// The age of a time: `now`, `3m`, `2h`, `5d`, `1y`; at most four characters. A time in the future is `now`.
pub(crate) fn age(now: Timestamp, at: Timestamp) -> String {
    let millis = now.millis_since(at);
    match millis {
        YEAR.. => time::years((millis / YEAR).min(999)),
        DAY.. => time::days(millis / DAY),
        HOUR.. => time::hours(millis / HOUR),
        MINUTE.. => time::minutes(millis / MINUTE),
        _ => time::now().to_owned(),
    }
}

/// An age for use in a sentence: `just now`, `3m ago`.
pub(crate) fn ago(now: Timestamp, at: Timestamp) -> String {
    if is_now(now, at) { time::just_now().to_owned() } else { time::ago(age(now, at)) }
}

/// True if an age would read `now`.
pub(crate) fn is_now(now: Timestamp, at: Timestamp) -> bool {
    now.millis_since(at) < MINUTE
}

/// How long ago the work tree was scanned; `None` if the scan is current, or if there was none.
pub(crate) fn since_look(view: &WorkspaceView, now: Timestamp) -> Option<String> {
    view.reading.tree_at.filter(|at| now.millis_since(*at) >= FRESH_MS).map(|at| ago(now, at))
}

/// The age of a state that still lasts: ` for 3m`; empty in the first minute.
pub(crate) fn lasting(now: Timestamp, since: Timestamp) -> String {
    if is_now(now, since) { String::new() } else { format!(" {}", time::lasting(age(now, since))) }
}

/// A duration: `0.4 s`, `12 s`, `3 min`.
pub(crate) fn span(millis: u64) -> String {
    match millis {
        0..10_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        10_000..120_000 => format!("{} s", millis / 1_000),
        _ => format!("{} min", millis / 60_000),
    }
}

/// Whole seconds since a time; 0 if that is in the future.
pub(crate) fn seconds(now: Timestamp, since: Timestamp) -> String {
    format!("{} s", now.millis_since(since).max(0) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_their_unit() {
        let spans = [(412, "0.4 s"), (12_999, "12 s"), (119_000, "119 s"), (120_000, "2 min")];
        assert!(spans.iter().all(|(millis, shown)| span(*millis) == *shown));
    }
}
