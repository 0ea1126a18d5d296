//! How often the world may ask for a frame. No clock: time is given.

use crate::model::Timestamp;

/// Over time, frames that only the world asks for are so far apart: thirty a second.
const FRAME_MS: i64 = 33;
/// After a rest so many may come at once, so that a change and what follows from it do not wait for each
/// other.
const BURST: i64 = 3;

/// Frames that show a workspace in another state do not wait for the budget, but for each other so long.
const URGENT_MS: i64 = 11;

/// The budget of frames that the world asks for.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the budget is whole again.
    whole_at: Timestamp,
    drew_at: Timestamp,
}

impl Pace {
    /// A whole budget.
    pub(super) fn new() -> Pace {
        Pace { whole_at: Timestamp(0), drew_at: Timestamp(0) }
    }

    /// The earliest moment of the next frame.
    pub(super) fn next(&self, now: Timestamp) -> Timestamp {
        self.whole_at.plus_millis(-(BURST - 1) * FRAME_MS).max(now)
    }

    /// The same of a frame that a person waits for.
    pub(super) fn next_urgent(&self, now: Timestamp) -> Timestamp {
        self.next(now).min(self.drew_at.plus_millis(URGENT_MS).max(now))
    }

    /// A frame was drawn. What urgent frames took beyond the budget is not owed for longer than one frame.
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
