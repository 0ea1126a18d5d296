//! Limits how often the world may cause a frame. It must not read the clock: time is given.

use crate::model::Timestamp;

/// The average interval between frames caused only by the world, in milliseconds: thirty a second.
const FRAME_MS: i64 = 33;
/// How many frames may follow each other at once after a rest, so that a change and its consequences do not
/// wait for each other.
const BURST: i64 = 3;

/// The least interval between frames that show a change of state, in milliseconds. They do not wait for the
/// budget.
const URGENT_MS: i64 = 11;

/// The budget of frames that the world may cause.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the budget will be full again.
    whole_at: Timestamp,
    drew_at: Timestamp,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace { whole_at: Timestamp(0), drew_at: Timestamp(0) }
    }

    /// The earliest time of the next frame.
    pub(super) fn next(&self, now: Timestamp) -> Timestamp {
        self.whole_at.plus_millis(-(BURST - 1) * FRAME_MS).max(now)
    }

    /// The earliest time of the next frame that a person waits for.
    pub(super) fn next_urgent(&self, now: Timestamp) -> Timestamp {
        self.next(now).min(self.drew_at.plus_millis(URGENT_MS).max(now))
    }

    /// Charges a frame drawn at `now`. Urgent frames beyond the budget never delay the next ordinary one by
    /// more than one frame.
    pub(super) fn drew(&mut self, now: Timestamp) {
        self.drew_at = now;
        self.whole_at = self.whole_at.max(now).plus_millis(FRAME_MS).min(now.plus_millis(BURST * FRAME_MS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_rest_three_frames_come_at_once_and_then_thirty_a_second() {
        let mut pace = Pace::new();
        let mut now = Timestamp(10_000);
        let mut drawn = Vec::new();
        for _ in 0..6 {
            now = pace.next(now);
            pace.drew(now);
            drawn.push(now.0 - 10_000);
        }
        assert_eq!(drawn, [0, 0, 0, 33, 66, 99]);
        assert_eq!(pace.next(Timestamp(20_000)), Timestamp(20_000));
    }

    #[test]
    fn another_state_does_not_wait_for_the_budget_and_uses_no_more_of_it() {
        let mut pace = Pace::new();
        let mut now = Timestamp(10_000);
        let mut drawn = Vec::new();
        for _ in 0..20 {
            now = pace.next_urgent(now);
            pace.drew(now);
            drawn.push(now.0 - 10_000);
        }
        assert_eq!(drawn[..6], [0, 0, 0, 11, 22, 33]);
        assert_eq!(pace.next(now), now.plus_millis(33));
    }
}
