//! The replies of a workspace: drafts that a person is writing, and receipts of what was sent.
//!
//! A draft is removed only if exactly its text was sent: anything written since belongs to the next reply.
//! Nothing is sent here.

use std::sync::Arc;

use crate::judge::left_to_do;
use crate::model::{
    ActionKind, ActionOutcome, Draft, Effect, Receipt, ReceiptState, Response, SessionName, SessionView,
    WorkspaceId,
};

use super::actions::Actions;
use super::state::Monitor;

/// How many of the newest receipts are kept.
const MAX_RECEIPTS: usize = 20;

impl Actions {
    /// Replaces the draft of a session; an empty one is removed. Returns true if that changed anything.
    fn keep_draft(&mut self, draft: Draft) -> bool {
        let before = self.shown.drafts.clone();
        self.shown.drafts.retain(|known| known.session != draft.session);
        if !draft.text.is_empty() {
            self.shown.drafts.push(draft);
        }
        self.shown.drafts != before
    }

    /// Looks for open replies among the sessions' last prompts. Returns the ones found.
    fn find_replies(&mut self, sessions: &[Arc<SessionView>]) -> Vec<Receipt> {
        let mut found = Vec::new();
        for receipt in self.shown.receipts.iter_mut().filter(|receipt| receipt.state.is_open()) {
            let prompted = sessions
                .iter()
                .find(|session| session.is(&receipt.session))
                .and_then(|session| session.prompt.as_deref().zip(session.prompted_at));
            if prompted.is_some_and(|(prompt, at)| receipt.is_shown_by(prompt, at)) {
                receipt.state = ReceiptState::Consumed;
                receipt.detail = None;
                found.push(receipt.clone());
            }
        }
        found
    }

    /// True while the agent of this session is answering a reply.
    pub(super) fn is_answering(&self, session: &SessionName) -> bool {
        let taken = self.shown.answering.iter().filter_map(|running| running.progress.taken.as_ref());
        taken.into_iter().any(|taken| taken.session == *session)
    }

    /// An agent has received a reply: its turn runs beside other actions from now on. Returns false if that
    /// was already known.
    pub(super) fn takes(&mut self, number: u64, receipt: &Receipt) -> bool {
        let Some(running) = self.shown.running.take_if(|running| running.number == number) else {
            return false;
        };
        self.shown.answering.push(*running);
        self.keep_receipt(receipt.clone());
        true
    }

    pub(super) fn keep_receipt(&mut self, receipt: Receipt) {
        self.shown.receipts.retain(|known| known.id != receipt.id);
        self.shown.receipts.insert(0, receipt);
        self.shown.receipts.truncate(MAX_RECEIPTS);
    }
}

impl Monitor {
    pub(super) fn wants_draft(&mut self, id: WorkspaceId, draft: Draft) {
        let Some(tracked) = self.workspaces.get_mut(&id) else {
            // A draft outlives its workspace: the person may still be typing when it disappears.
            self.effects.push(Effect::KeepDraft { workspace: id, draft });
            return;
        };
        if tracked.actions.keep_draft(draft.clone()) {
            self.changed.insert(id.clone());
            self.effects.push(Effect::KeepDraft { workspace: id, draft });
        }
    }

    /// The sessions of a workspace were read: an open reply may be in a record by now.
    pub(super) fn find_replies(&mut self, id: &WorkspaceId) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        let found = tracked.actions.find_replies(&tracked.snapshot.session_facts.sessions);
        for receipt in found {
            self.forget_sent(id, &receipt);
            self.tell_receipt(id, 0, Box::new(receipt));
        }
    }

    /// Tells what became of a reply.
    pub(super) fn tell_receipt(&mut self, id: &WorkspaceId, number: u64, receipt: Box<Receipt>) {
        let (kind, outcome) = (ActionKind::Reply, Box::new(ActionOutcome::Replied(receipt)));
        let workspace = id.clone();
        self.responses.push(Response::Action { workspace, number, kind, is_plan: false, outcome });
    }

    /// Removes the draft whose text was sent, if there is one.
    pub(super) fn forget_sent(&mut self, id: &WorkspaceId, receipt: &Receipt) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(text) = tracked.actions.sending.take_if(|text| receipt.is_of(text)) {
            left_to_do::mark_sent(&mut tracked.actions.points, &text, receipt.sent_at);
            self.effects.push(tracked.keep_reports());
        }
        let is_sent = |draft: &Draft| draft.session == receipt.session && receipt.is_of(&draft.text);
        if tracked.actions.shown.drafts.iter().any(is_sent) {
            let draft = Draft { session: receipt.session.clone(), text: String::new() };
            self.wants_draft(id.clone(), draft);
        }
    }
}
