//! When the monitor acts by itself: the slow pass over everything, polls of workspaces that cannot be
//! watched, and looks at work trees that were put off. At rest there is one wake-up for each slow pass.

use crate::model::{Effect, Parts, Timestamp};

use super::{Monitor, millis};

impl Monitor {
    /// Something that was asked to happen at a moment is due.
    pub(super) fn woke(&mut self, at: Timestamp, effects: &mut Vec<Effect>) {
        if at >= self.reconcile_at {
            effects.push(Effect::RecheckWatches);
            self.look_at_all(Parts::all(), at);
            self.reconcile_at = at.plus_millis(millis(self.settings.reconcile_ms));
        }
        let poll_ms = millis(self.settings.poll_ms);
        for tracked in self.workspaces.values_mut() {
            if tracked.poll_at.is_some_and(|due| at >= due) {
                tracked.changed(Parts::all(), at);
                tracked.poll_at = Some(at.plus_millis(poll_ms));
            }
            if tracked.look_again_at.is_some_and(|due| at >= due) {
                tracked.look_again_at = None;
                tracked.changed(Parts::WORDS | Parts::CHECKS, at);
            }
        }
    }

    /// Starts what is due and not running.
    pub(super) fn start_collections(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        for (id, tracked) in &mut self.workspaces {
            if let Some(request) = tracked.next_collection(&self.policy, now) {
                self.changed.insert(id.clone());
                effects.push(Effect::Collect(Box::new(request)));
            }
        }
    }

    /// Asks to be woken at the earliest moment at which something is due, if that moment is new.
    pub(super) fn ask_to_be_woken(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        if !self.is_discovered {
            return;
        }
        let due = self
            .workspaces
            .values()
            .flat_map(|tracked| [tracked.poll_at, tracked.look_again_at, tracked.put_off_until()])
            .flatten()
            .chain([self.reconcile_at])
            .min()
            .map(|due| due.max(now));
        if let Some(due) = due
            && self.wake_at.is_none_or(|wake_at| due < wake_at || wake_at <= now)
        {
            self.wake_at = Some(due);
            effects.push(Effect::Wake { at: due });
        }
    }
}
