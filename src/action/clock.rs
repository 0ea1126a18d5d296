//! The clock of this room, for what is written down of an action and for how long somebody is waited for. Rules get
//! their time from whoever asks for the action.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::model::Timestamp;

/// The moment now.
pub(super) fn now() -> Timestamp {
    Timestamp(i64::try_from(since_epoch().as_millis()).unwrap_or(i64::MAX))
}

/// The time since 1970.
pub(super) fn since_epoch() -> Duration {
    read(ClockId::Realtime)
}

/// The time since this machine was started, which nobody sets: it makes names differ.
pub(super) fn since_start() -> Duration {
    read(ClockId::Monotonic)
}

/// A moment to measure from.
#[expect(clippy::disallowed_methods, reason = "a wait has an end")]
pub(super) fn instant() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the one place of this room that reads the clock")]
fn read(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}
