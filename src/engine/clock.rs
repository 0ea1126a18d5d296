//! The clock, from which all rules get their time. Elsewhere only git's cache (how recent a file's time is)
//! and the log (the date in its file name) read the time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

/// The current time. A clock set before 1970 reads as 1970.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// Measures how long something takes, whatever is done to the clock meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to measure.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured, and no time of day is read")]
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// How long to wait from now for what was due at `due` when the clock read `seen`. Never longer than it was then: the
/// clock may have been set back since.
pub(super) fn wait_for(due: Timestamp, seen: Timestamp) -> Duration {
    let wait = due.millis_since(now()).min(due.millis_since(seen));
    Duration::from_millis(u64::try_from(wait).unwrap_or(0))
}

/// Sleeps until `at`, or forever for `None`. Requires a tokio runtime with time enabled.
pub async fn sleep_until(at: Option<Timestamp>) {
    match at {
        Some(at) => {
            let wait = at.millis_since(now()).max(0);
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        }
        None => std::future::pending().await,
    }
}

/// Goes off so long from now, whatever is done to the clock meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alarm {
    set: Stopwatch,
    after: Duration,
}

impl Alarm {
    /// Goes off when the clock, which read `seen` at the request, reaches `due`, unless the clock is set.
    pub(super) fn at(due: Timestamp, seen: Timestamp) -> Alarm {
        Alarm { set: Stopwatch::start(), after: wait_for(due, seen) }
    }

    /// Sleeps until the alarm goes off, or forever for `None`. Requires a tokio runtime with time enabled.
    pub(super) async fn wait(alarm: Option<Alarm>) {
        match alarm {
            Some(alarm) => tokio::time::sleep(alarm.after.saturating_sub(alarm.set.elapsed())).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // W06
    #[test]
    fn a_wait_is_no_longer_than_it_was_when_it_was_asked_for() {
        let frame = Duration::from_millis(33);
        let due_in_a_frame = |seen: Timestamp| wait_for(seen.plus_millis(33), seen);
        // The clock was set back by an hour since, and forward by one.
        assert_eq!(due_in_a_frame(now().plus_millis(3_600_000)), frame);
        assert_eq!(due_in_a_frame(now().plus_millis(-3_600_000)), Duration::ZERO);
        // An event that took a second to arrive puts nothing off.
        let seen = now().plus_millis(-1_000);
        assert!(wait_for(seen.plus_millis(60_000), seen) <= Duration::from_secs(59));
    }
}
