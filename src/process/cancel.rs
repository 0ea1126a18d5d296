//! A wish that something ends early, shared between the one who has it and the one who works.
//!
//! It wakes whoever sleeps in a run or in [`Cancel::wait`]; it ends nothing itself and is never taken
//! back. Who works can hold it up while something must be finished ([`Cancel::hold`]): whoever cancels meanwhile is
//! told, and it counts afterwards.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use super::clock::now;

/// The longest sleep where the system gave no descriptor that could end it.
const NO_BELL_STEP: Duration = Duration::from_millis(20);

/// Nobody wants anything.
const OPEN: u8 = 0;
/// It is to end.
const CANCELLED: u8 = 1;
/// It is finished first, whoever wants it to end.
const HELD: u8 = 2;
/// The same, and somebody does.
const HELD_AND_CANCELLED: u8 = 3;

/// The wish. All clones are the same one.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// [`OPEN`], [`CANCELLED`], [`HELD`] or [`HELD_AND_CANCELLED`].
    state: AtomicU8,
    /// Readable once it is cancelled; `None` where the system has no more descriptors.
    bell: Option<OwnedFd>,
}

/// While this is there nothing is cancelled: a wish that comes meanwhile counts once it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Held {
    shared: Arc<Shared>,
}

impl Cancel {
    /// One that nobody has cancelled yet.
    pub fn new() -> Cancel {
        Cancel { shared: Arc::new(Shared { state: AtomicU8::new(OPEN), bell: make_bell() }) }
    }

    /// Cancels. More than once is the same as once. False while it is held: what is under way is finished first,
    /// and then it counts.
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

    /// Whether it was cancelled, and is not held.
    pub fn is_cancelled(&self) -> bool {
        self.shared.state.load(Ordering::SeqCst) == CANCELLED
    }

    /// Lets nobody cancel what begins now, until the answer is dropped. `None` when it was cancelled before, and
    /// when it is held already: then it must not begin.
    pub fn hold(&self) -> Option<Held> {
        let held = self.shared.state.compare_exchange(OPEN, HELD, Ordering::SeqCst, Ordering::SeqCst);
        held.ok().map(|_| Held { shared: Arc::clone(&self.shared) })
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

impl Shared {
    /// Becomes what `next` makes of its state; what it is then.
    fn change(&self, next: impl Fn(u8) -> u8) -> u8 {
        let update = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| Some(next(state)));
        // `next` always answers.
        next(update.unwrap_or_else(|state| state))
    }

    fn ring(&self) {
        if let Some(bell) = &self.bell {
            // It can fail only when it is readable already.
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
