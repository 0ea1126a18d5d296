//! Decides when a dialog's keys count: not before a person could have read it (SECURITY.md 1.1, look-alike
//! approval). A plan takes a moment, so its dialog may open while somebody is still typing.
//!
//! No clock: the front reports the time of each input and of each frame.

use crate::model::Timestamp;

/// How long, in milliseconds, a dialog must be visible without a key before a key can confirm in it: longer
/// than the pause between two keys of a person who types.
const READABLE_AFTER_MS: i64 = 400;

/// Whether the keys of the open dialog may confirm something yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    /// The time of the last input.
    now: Timestamp,
    /// When the dialog was first drawn, or when a key last came too early; `None` until it is drawn.
    still_since: Option<Timestamp>,
}

impl Guard {
    pub(in crate::ui) fn now(&self) -> Timestamp {
        self.now
    }

    pub(in crate::ui) fn begin(&mut self) {
        self.still_since = None;
    }

    pub(in crate::ui) fn on_input(&mut self, now: Timestamp) {
        self.now = now;
    }

    pub(in crate::ui) fn on_frame(&mut self, now: Timestamp) {
        self.still_since.get_or_insert(now);
    }

    /// A key arrived: if it was too early, the wait starts again.
    pub(in crate::ui) fn typed(&mut self) {
        if self.still_since.is_some() && !self.is_armed(self.now) {
            self.still_since = Some(self.now);
        }
    }

    /// Whether a key may confirm something.
    pub(in crate::ui) fn is_armed(&self, now: Timestamp) -> bool {
        self.still_since.is_some_and(|since| now.millis_since(since) >= READABLE_AFTER_MS)
    }

    /// When keys become able to confirm; `None` if they already can, or if the dialog was not drawn yet.
    pub(in crate::ui) fn arms_at(&self, now: Timestamp) -> Option<Timestamp> {
        let at = self.still_since?.plus_millis(READABLE_AFTER_MS);
        (at > now).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_when_the_dialog_stood_still_on_the_screen() {
        let at = |millis: i64| Timestamp(1_000_000 + millis);
        let mut guard = Guard::default();
        guard.begin();
        assert!(!guard.is_armed(at(10_000)) && guard.arms_at(at(0)).is_none());
        guard.on_frame(at(0));
        guard.on_frame(at(300));
        assert_eq!((guard.is_armed(at(399)), guard.arms_at(at(399))), (false, Some(at(400))));
        guard.on_input(at(390));
        guard.typed();
        assert_eq!((guard.is_armed(at(789)), guard.is_armed(at(790))), (false, true));
        guard.on_input(at(800));
        guard.typed();
        assert_eq!((guard.is_armed(at(801)), guard.arms_at(at(801))), (true, None));
        guard.begin();
        assert!(!guard.is_armed(at(9_000)));
    }
}
