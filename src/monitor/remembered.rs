//! What earlier runs recorded of a workspace, and what has happened in it since, for a front to show.

use crate::model::{AuditEntry, Draft, HistoryEntry, HistoryEvent};

use super::actions::{Actions, MAX_ENTRIES};

impl Actions {
    /// Adopts the records of earlier runs, except where newer ones are known.
    pub(super) fn remember(
        &mut self,
        history: Vec<AuditEntry>,
        timeline: Vec<HistoryEntry>,
        drafts: Vec<Draft>,
    ) {
        if self.shown.timeline.is_empty() {
            self.shown.timeline = timeline;
        }
        if self.shown.history.is_empty() {
            self.shown.history = history;
            self.shown.history.truncate(MAX_ENTRIES);
        }
        for draft in drafts {
            if !self.shown.drafts.iter().any(|known| known.session == draft.session) {
                self.shown.drafts.push(draft);
            }
        }
    }

    /// Records a verdict that differs from the last one.
    pub(super) fn note_verdict(&mut self, entry: HistoryEntry) {
        let state_of = |entry: &HistoryEntry| match entry.what {
            HistoryEvent::Verdict { state, .. } => Some(state),
            HistoryEvent::Seen { .. }
            | HistoryEvent::Iteration { .. }
            | HistoryEvent::RunEnded { .. }
            | HistoryEvent::GatePassed
            | HistoryEvent::Notice { .. } => None,
        };
        if self.shown.timeline.iter().find_map(state_of) != state_of(&entry) {
            self.shown.timeline.insert(0, entry);
            self.shown.timeline.truncate(MAX_ENTRIES);
        }
    }
}
