//! Replies of a workspace: the drafts that a person writes, and what is known of what was sent.
//!
//! A draft goes only when exactly its text was sent: what was written since is for the next reply. Nothing is
//! sent here.

use crate::judge::left_to_do;
use crate::model::{
    ActionKind, ActionOutcome, Draft, Effect, Receipt, ReceiptState, Response, SessionName, SessionView,
    WorkspaceId,
};

use super::actions::Actions;
use super::state::Monitor;

/// So many of the newest receipts are kept.
const MOST_RECEIPTS: usize = 20;

impl Actions {
    /// Keeps a draft in place of the one before; an empty one is dropped. True when that changed anything.
    fn keep_draft(&mut self, draft: Draft) -> bool {
        let before = self.drafts.clone();
        self.drafts.retain(|known| known.session != draft.session);
        if !draft.text.is_empty() {
            self.drafts.push(draft);
        }
        self.drafts != before
    }

    /// Looks for the replies that are under way in what the sessions were asked last. Answers with those that
    /// were found.
    fn find_replies(&mut self, sessions: &[SessionView]) -> Vec<Receipt> {
        let mut found = Vec::new();
        for receipt in self.receipts.iter_mut().filter(|receipt| receipt.state.is_open()) {
            let is_its = |session: &&SessionView| {
                session.agent == receipt.session.agent && session.session_id == receipt.session.session_id
            };
            let prompted = sessions
                .iter()
                .find(is_its)
                .and_then(|session| session.prompt.as_deref().zip(session.prompted_at));
            if prompted.is_some_and(|(prompt, at)| receipt.is_shown_by(prompt, at)) {
                receipt.state = ReceiptState::Consumed;
                receipt.detail = None;
                found.push(receipt.clone());
            }
        }
        found
    }

    /// The reply to this session that its agent is answering.
    pub(super) fn is_answering(&self, session: &SessionName) -> bool {
        let taken = self.answering.iter().filter_map(|running| running.progress.taken.as_ref());
        taken.into_iter().any(|taken| taken.session == *session)
    }

    /// An agent has a reply: its turn goes on beside other actions. False when that was known.
    pub(super) fn takes(&mut self, number: u64, receipt: &Receipt) -> bool {
        let Some(running) = self.running.take_if(|running| running.number == number) else { return false };
        self.answering.push(running);
        self.keep_receipt(receipt.clone());
        true
    }

    pub(super) fn keep_receipt(&mut self, receipt: Receipt) {
        self.receipts.retain(|known| known.id != receipt.id);
        self.receipts.insert(0, receipt);
        self.receipts.truncate(MOST_RECEIPTS);
    }
}

impl Monitor {
    pub(super) fn wants_draft(&mut self, id: WorkspaceId, draft: Draft, effects: &mut Vec<Effect>) {
        let Some(tracked) = self.workspaces.get_mut(&id) else {
            // A draft outlives its workspace: a person writes on while it goes.
            effects.push(Effect::KeepDraft { workspace: id, draft });
            return;
        };
        if tracked.actions.keep_draft(draft.clone()) {
            self.changed.insert(id.clone());
            effects.push(Effect::KeepDraft { workspace: id, draft });
        }
    }

    /// The sessions of a workspace were read: a reply may stand in a record by now.
    pub(super) fn find_replies(&mut self, id: &WorkspaceId, effects: &mut Vec<Effect>) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        let found = tracked.actions.find_replies(&tracked.snapshot.session_facts.sessions);
        for receipt in found {
            self.forget_sent(id, &receipt, effects);
            let outcome = Box::new(ActionOutcome::Replied(Box::new(receipt)));
            self.told.push(Response::Action {
                workspace: id.clone(),
                number: 0,
                kind: ActionKind::Reply,
                is_plan: false,
                outcome,
            });
        }
    }

    /// Forgets the draft that is what was sent, if there is one.
    pub(super) fn forget_sent(&mut self, id: &WorkspaceId, receipt: &Receipt, effects: &mut Vec<Effect>) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(text) = tracked.actions.sending.take_if(|text| receipt.is_of(text)) {
            left_to_do::mark_sent(&mut tracked.actions.points, &text, receipt.sent_at);
            effects.push(tracked.keep_reports());
        }
        let is_sent = |draft: &Draft| draft.session == receipt.session && receipt.is_of(&draft.text);
        if tracked.actions.drafts.iter().any(is_sent) {
            let draft = Draft { session: receipt.session.clone(), text: String::new() };
            self.wants_draft(id.clone(), draft, effects);
        }
    }
}
