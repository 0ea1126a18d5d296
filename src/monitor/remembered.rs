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
        if self.timeline.is_empty() {
            self.timeline = timeline;
        }
        if self.history.is_empty() {
            self.history = history;
            self.history.truncate(MAX_ENTRIES);
        }
        for draft in drafts {
            if !self.drafts.iter().any(|known| known.session == draft.session) {
                self.drafts.push(draft);
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
        if self.timeline.iter().find_map(state_of) != state_of(&entry) {
            self.timeline.insert(0, entry);
            self.timeline.truncate(MAX_ENTRIES);
        }
    }
}
