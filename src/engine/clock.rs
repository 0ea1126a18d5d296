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
    /// Goes off when the clock, if nobody sets it, reads `at`.
    pub(super) fn at(at: Timestamp) -> Alarm {
        let after = at.millis_since(now()).max(0);
        Alarm { set: Stopwatch::start(), after: Duration::from_millis(after.unsigned_abs()) }
    }

    /// Sleeps until the alarm goes off, or forever for `None`. Requires a tokio runtime with time enabled.
    pub(super) async fn wait(alarm: Option<Alarm>) {
        match alarm {
            Some(alarm) => tokio::time::sleep(alarm.after.saturating_sub(alarm.set.elapsed())).await,
            None => std::future::pending().await,
        }
    }
}
