//! Looks at a session again: whether everything is as confirmed, and whether its record shows the reply. It
//! must not send anything.

use std::time::Duration;

use super::channel::refused;
use super::input_box::AtCursor;
use super::pane::{Address, TmuxAccess};
use super::replier::{Current, Replier};
use crate::model::{ActionProblem, Receipt, ReceiptState, ReplyPlan};

/// The interval between looks while waiting for the record or the screen.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(150);
/// How often a screen that is not ready is looked at.
pub(super) const LOOKS_AT_BOX: u32 = 4;

impl Replier<'_> {
    /// The pane, if everything is as confirmed at this very moment.
    pub(super) fn pane_now(
        &self,
        plan: &ReplyPlan,
    ) -> Result<(&TmuxAccess, Address, Current), ActionProblem> {
        let current = (self.look)()?;
        let chosen = self.as_planned(plan, &current)?;
        match (&self.tmux, chosen.address) {
            (Some(tmux), Some(address)) => Ok((tmux, address, current)),
            _ => Err(refused("it no longer has a pane", "look again")),
        }
    }

    /// The pane's screen once `is_so` holds for it; `None` if it does not within a few looks: the agent may be redrawing it.
    pub(super) fn screen_when(
        &self,
        address: &Address,
        is_so: impl Fn(&AtCursor) -> bool,
    ) -> Result<Option<AtCursor>, ActionProblem> {
        let Some(tmux) = &self.tmux else { return Ok(None) };
        for _ in 0..LOOKS_AT_BOX {
            let at = tmux.at_cursor(address)?;
            if is_so(&at) {
                return Ok(Some(at));
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(None)
    }

    /// The state of a reply according to the record, if the program that took it did not report one.
    pub(super) fn by_record(&self, receipt: &Receipt, why: &str) -> (ReceiptState, Option<String>) {
        let is_shown = (self.look)().is_ok_and(|current| current.shows(receipt));
        let state = if is_shown { ReceiptState::Consumed } else { ReceiptState::Unknown };
        (state, Some(why.to_owned()))
    }

    /// Looks at the session until `is_so` holds. Returns false when `patience` is over.
    pub(super) fn wait_until(&self, is_so: impl Fn(&Current) -> bool) -> bool {
        self.wait_within(self.patience, is_so)
    }

    /// The same for `limit`.
    pub(super) fn wait_within(&self, limit: Duration, is_so: impl Fn(&Current) -> bool) -> bool {
        let begun = (self.now)();
        loop {
            if (self.look)().is_ok_and(|current| is_so(&current)) {
                return true;
            }
            let waited = (self.now)().millis_since(begun);
            if waited < 0 || u128::from(waited.unsigned_abs()) >= limit.as_millis() {
                return false;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}
