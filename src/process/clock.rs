//! The clock that this room measures children by. It tells how long something takes, never what time it
//! is.

use std::time::Instant;

/// This moment.
#[expect(clippy::disallowed_methods, reason = "this room measures the time that a child takes")]
pub(super) fn now() -> Instant {
    Instant::now()
}
