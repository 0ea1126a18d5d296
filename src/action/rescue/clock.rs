//! The time of this machine, for what is written down of a rescue.

/// The time now, in milliseconds since the epoch.
pub(super) fn now_millis() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    now.tv_sec.saturating_mul(1000).saturating_add(now.tv_nsec / 1_000_000)
}
