//! A request to end something early, shared between those who may make it and those who do the work.
//!
//! It wakes whoever sleeps in a run or in [`Cancel::wait`]. It ends nothing itself and is never taken back.
//! The worker can delay it while something must be completed ([`Cancel::hold`]): a caller that cancels
//! meanwhile is told so, and the request takes effect afterwards.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use super::clock::now;

/// The longest sleep if the system provides no descriptor that could interrupt it.
const NO_BELL_STEP: Duration = Duration::from_millis(20);

/// Not cancelled.
const OPEN: u8 = 0;
/// Cancelled.
const CANCELLED: u8 = 1;
/// Cannot be cancelled until the worker releases it.
const HELD: u8 = 2;
/// Held, and cancelled in the meantime.
const HELD_AND_CANCELLED: u8 = 3;

/// The request. All clones share it.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// [`OPEN`], [`CANCELLED`], [`HELD`] or [`HELD_AND_CANCELLED`].
    state: AtomicU8,
    /// Readable once cancelled; `None` if the system has no descriptors left. Made for the first that sleeps or
    /// cancels, since most requests are never made and nobody sleeps on them.
    bell: OnceLock<Option<OwnedFd>>,
}

/// Delays cancellation while it exists. A request made meanwhile takes effect when it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Held {
    shared: Arc<Shared>,
}

impl Cancel {
    /// A request that has not been made yet.
    pub fn new() -> Cancel {
        Cancel { shared: Arc::new(Shared { state: AtomicU8::new(OPEN), bell: OnceLock::new() }) }
    }

    /// Cancels. Repeated calls have no further effect. Returns false while it is held: the work under way
    /// is completed first, and then the request takes effect.
    pub fn cancel(&self) -> bool {
        let state = self.shared.change(|state| match state {
            HELD | HELD_AND_CANCELLED => HELD_AND_CANCELLED,
            _ => CANCELLED,
        });
        if state == CANCELLED {
            self.shared.ring();
        }
        state == CANCELLED
    }

    /// Whether it is cancelled and not held.
    pub fn is_cancelled(&self) -> bool {
        self.shared.state.load(Ordering::SeqCst) == CANCELLED
    }

    /// Delays cancellation until the returned guard is dropped. `None` if it is already cancelled or held;
    /// the work must then not begin.
    pub fn hold(&self) -> Option<Held> {
        let held = self.shared.state.compare_exchange(OPEN, HELD, Ordering::SeqCst, Ordering::SeqCst);
        held.ok().map(|_| Held { shared: Arc::clone(&self.shared) })
    }

    /// Sleeps for `duration` or until cancelled. Returns whether it was cancelled.
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
                // Interrupted, or short of memory: try again, but never in a busy loop.
                std::thread::yield_now();
            }
        }
    }

    /// The descriptor that becomes readable on cancellation.
    pub(super) fn bell(&self) -> Option<PollFd<'_>> {
        self.shared.bell().map(|bell| PollFd::new(bell, PollFlags::IN))
    }

    /// How much of `wanted` may be slept at once.
    pub(super) fn longest_sleep(&self, wanted: Duration) -> Duration {
        if self.shared.bell().is_some() { wanted } else { wanted.min(NO_BELL_STEP) }
    }
}

impl Shared {
    /// Sets the state to `next` of the old one and returns the new state.
    fn change(&self, next: impl Fn(u8) -> u8) -> u8 {
        let update = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| Some(next(state)));
        // The update cannot fail, since `next` always returns a state.
        next(update.unwrap_or_else(|state| state))
    }

    /// The bell. Who rings makes it too, so that a sleeper who comes later finds it ringing.
    fn bell(&self) -> Option<&OwnedFd> {
        self.bell.get_or_init(make_bell).as_ref()
    }

    fn ring(&self) {
        if let Some(bell) = self.bell() {
            // Writing fails only if the counter is full, in which case it is readable already.
            let _ = rustix::io::write(bell, &1_u64.to_ne_bytes());
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.shared.change(|state| if state == HELD { OPEN } else { CANCELLED }) == CANCELLED {
            self.shared.ring();
        }
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
