//! A wish that something ends early, shared between the one who has it and the one who works.
//!
//! It wakes whoever sleeps in a run or in [`Cancel::wait`]; it ends nothing itself and is never taken
//! back.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use super::clock::now;

/// The longest sleep where the system gave no descriptor that could end it.
const NO_BELL_STEP: Duration = Duration::from_millis(20);

/// The wish. All clones are the same one.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    is_cancelled: AtomicBool,
    /// Readable once it is cancelled; `None` where the system has no more descriptors.
    bell: Option<OwnedFd>,
}

impl Cancel {
    /// One that nobody has cancelled yet.
    pub fn new() -> Cancel {
        Cancel { shared: Arc::new(Shared { is_cancelled: AtomicBool::new(false), bell: make_bell() }) }
    }

    /// Cancels. More than once is the same as once.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::SeqCst);
        if let Some(bell) = &self.shared.bell {
            // It can fail only when it is readable already.
            let _ = rustix::io::write(bell, &1_u64.to_ne_bytes());
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled.load(Ordering::SeqCst)
    }

    /// Sleeps for `duration`, or until it is cancelled; true when it was cancelled.
    pub fn wait(&self, duration: Duration) -> bool {
        let until = now() + duration;
        loop {
            if self.is_cancelled() {
                return true;
            }
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                return false;
            }
            let limit = self.longest_sleep(left);
            let mut fds: Vec<PollFd<'_>> = self.bell().into_iter().collect();
            let timeout = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
            if rustix::event::poll(&mut fds, Some(&timeout)).is_err() {
                // Interrupted, or short of memory: looked at again, and never in a hot loop.
                std::thread::yield_now();
            }
        }
    }

    /// What becomes readable when it is cancelled.
    pub(super) fn bell(&self) -> Option<PollFd<'_>> {
        self.shared.bell.as_ref().map(|bell| PollFd::new(bell, PollFlags::IN))
    }

    /// How long may be slept at once, of `wanted`.
    pub(super) fn longest_sleep(&self, wanted: Duration) -> Duration {
        if self.shared.bell.is_some() { wanted } else { wanted.min(NO_BELL_STEP) }
    }
}

impl Default for Cancel {
    fn default() -> Cancel {
        Cancel::new()
    }
}

#[cfg(target_os = "linux")]
fn make_bell() -> Option<OwnedFd> {
    use rustix::event::{EventfdFlags, eventfd};
    eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()
}

#[cfg(not(target_os = "linux"))]
fn make_bell() -> Option<OwnedFd> {
    None
}
