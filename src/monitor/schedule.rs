//! When the monitor acts on its own: the slow pass over everything, polls of workspaces that cannot be
//! watched, postponed work tree scans, questions to idle agents, held replies and automatic checks. At rest
//! there is one wake-up per slow pass.

use crate::model::{Effect, Parts, Timestamp};

use super::state::{Monitor, millis};

/// Events arrive a little out of order. One that is older than the newest by more than this, in milliseconds, came after
/// the clock was set back.
const SET_BACK_MS: i64 = 5_000;

impl Monitor {
    /// Makes everything due again if the clock was set back: what was due by the old clock would wait as long as it
    /// was set back.
    pub(super) fn follow_clock(&mut self, at: Timestamp) {
        if self.newest_at.millis_since(at) > SET_BACK_MS {
            self.newest_at = at;
            self.workspaces.values_mut().for_each(|tracked| tracked.clock_set_back(at));
            self.reconcile_at = at;
            self.wake_at = None;
            self.touch_all();
        }
        self.newest_at = self.newest_at.max(at);
    }

    /// Handles a wake-up: starts whatever is due.
    pub(super) fn woke(&mut self, at: Timestamp) {
        if at >= self.reconcile_at {
            self.effects.push(Effect::RecheckWatches);
            self.look_at_all(Parts::all(), at);
            self.reconcile_at = at.plus_millis(millis(self.settings.reconcile_ms));
        }
        let poll_ms = millis(self.settings.poll_ms);
        for id in self.timers.until(at) {
            self.with(&id, |tracked| {
                if tracked.watched.poll_at.is_some_and(|due| at >= due) {
                    tracked.changed(Parts::all(), at);
                    tracked.watched.poll_at = Some(at.plus_millis(poll_ms));
                }
                if tracked.watched.recheck_at.is_some_and(|due| at >= due) {
                    tracked.watched.recheck_at = None;
                    tracked.changed(Parts::WORDS | Parts::CHECKS, at);
                }
            });
        }
    }

    /// For each touched workspace, starts the collections, questions, replies and checks that are due, and
    /// notes when more will be.
    pub(super) fn start_what_is_due(&mut self, now: Timestamp) {
        for id in std::mem::take(&mut self.touched) {
            let Some(tracked) = self.workspaces.get_mut(&id) else { continue };
            if let Some(request) = tracked.next_collection(&self.policy, &mut self.started, now) {
                self.changed.insert(id.clone());
                self.effects.push(Effect::Collect(Box::new(request)));
            }
            self.consider_asking(&id, now);
            self.consider_held(&id, now);
            self.consider_checks(&id, now);
            let Some(tracked) = self.workspaces.get(&id) else { continue };
            self.timers.set(&id, tracked.due_at());
        }
    }

    /// Asks to be woken at the earliest time at which something is due, unless that wake-up is already
    /// requested.
    pub(super) fn ask_to_be_woken(&mut self, now: Timestamp) {
        if !self.is_discovered {
            return;
        }
        let due = self.timers.first().map_or(self.reconcile_at, |due| due.min(self.reconcile_at)).max(now);
        if self.wake_at.is_none_or(|wake_at| due < wake_at || wake_at <= now) {
            self.wake_at = Some(due);
            self.effects.push(Effect::Wake { at: due });
        }
    }
}
