//! Waiting for a condition, never for a time.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How often a condition is looked at. A look costs a process (tmux) or a read; what is measured is
/// watched by its own thread.
const PACE: Duration = Duration::from_millis(25);

/// How long a test waits for a client: some of them need 10 seconds to start on a slow machine.
pub(crate) const CLIENT: Duration = Duration::from_mins(1);

/// How long a test waits for closeout to show what a client does. Most of it is the client's own time; what
/// closeout takes is measured.
pub(crate) const SHOWN: Duration = Duration::from_secs(30);

/// How long something must not be told, where it is checked that it is not.
pub(crate) const QUIET: Duration = Duration::from_secs(4);

/// Looks until there is something, at most so long.
pub(crate) fn until<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if Instant::now() > end {
            bail!("not within {} s: {what}", limit.as_secs());
        }
        thread::sleep(PACE);
    }
}
