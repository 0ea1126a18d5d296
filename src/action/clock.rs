//! The clock of this room: timestamps in records of actions, and deadlines while waiting. Rules must not read
//! it; they take the current time as an argument.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::model::Timestamp;

/// The current wall-clock time.
pub(super) fn now() -> Timestamp {
    Timestamp(i64::try_from(since_epoch().as_millis()).unwrap_or(i64::MAX))
}

/// The time since the Unix epoch.
pub(super) fn since_epoch() -> Duration {
    read(ClockId::Realtime)
}

/// The monotonic time since boot. Nobody can set this clock, so it makes names unique.
pub(super) fn since_start() -> Duration {
    read(ClockId::Monotonic)
}

/// The starting point for measuring a wait.
#[expect(clippy::disallowed_methods, reason = "a wait has an end")]
pub(super) fn instant() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the one place of this room that reads the clock")]
fn read(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}
