//! How often the world may ask for a frame. No clock: time is given.

use crate::model::Timestamp;

/// Over time, frames that only the world asks for are so far apart: thirty a second.
const FRAME_MS: i64 = 33;
/// After a rest so many may come at once, so that a change and what follows from it do not wait for each
/// other.
const BURST: i64 = 3;

/// The budget of frames that the world asks for.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the budget is whole again.
    whole_at: Timestamp,
}

impl Pace {
    /// A whole budget.
    pub(super) fn new() -> Pace {
        Pace { whole_at: Timestamp(0) }
    }

    /// The earliest moment of the next frame.
    pub(super) fn next(&self, now: Timestamp) -> Timestamp {
        self.whole_at.plus_millis(-(BURST - 1) * FRAME_MS).max(now)
    }

    /// A frame was drawn.
    pub(super) fn drew(&mut self, now: Timestamp) {
        self.whole_at = self.whole_at.max(now).plus_millis(FRAME_MS);
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
}
