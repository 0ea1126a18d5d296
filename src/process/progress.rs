//! Finds out whether a child and its descendants get on.
//!
//! It must not end anything, and must not take what waits for a disk for a hang.

use std::time::{Duration, Instant};

use super::{Question, descendants};

/// A program is taken to hang if it does nothing for so long, unless it waits for a disk. Three seconds are far
/// more than anything waits that still works, also on a busy machine: what is ready to run does not hang.
const HANGS_AFTER: Duration = Duration::from_secs(3);
/// A program that has done nothing for so long is suspected: whoever started it may know what it waits for.
const SUSPECTED_AFTER: Duration = Duration::from_millis(500);
/// The time between two looks at a program.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Finds out whether a child and its descendants get on.
pub(super) struct Progress {
    patience: Duration,
    between_looks: Duration,
    /// When they were last seen to have done something.
    since: Instant,
    next_look: Instant,
    activity: Option<Vec<u8>>,
    /// Whether it waits in vain, until that was asked.
    waits_in_vain: Option<Question>,
}

impl Progress {
    /// Starts at `now` for a child that may lose `left` at most.
    pub(super) fn new(now: Instant, left: Duration, waits_in_vain: Option<Question>) -> Progress {
        let patience = HANGS_AFTER.min(left);
        let between_looks = BETWEEN_LOOKS.min(patience / 4);
        let next_look = now + between_looks;
        Progress { patience, between_looks, since: now, next_look, activity: None, waits_in_vain }
    }

    /// How long nothing has happened, if that is so long that `child` hangs.
    pub(super) fn hang(&mut self, child: u32, now: Instant) -> Option<Duration> {
        if now < self.next_look {
            return None;
        }
        self.next_look = now + self.between_looks;
        let activity = descendants::activity(child);
        if activity.is_none() || activity != self.activity {
            (self.activity, self.since) = (activity, now);
        }
        let still = now.saturating_duration_since(self.since);
        if still >= SUSPECTED_AFTER && self.waits_in_vain.take().is_some_and(|question| question.ask()) {
            return Some(still);
        }
        (still >= self.patience).then_some(still)
    }

    /// When to look again.
    pub(super) fn next_look(&self) -> Instant {
        self.next_look
    }
}
