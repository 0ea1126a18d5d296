//! Sends a person's words to an agent's session, once, where they can do no harm, and reports what became of
//! them.
//!
//! It must not send anything that is not in its journal, type where it is not certain who reads, send words to
//! a permission prompt, or write a reply's text to a log.

mod channel;
mod dialog;
mod drawn_prompt;
mod input_box;
mod journal;
mod look;
mod loopback;
mod pane;
mod program;
mod prompt_key;
mod replier;
mod resume;
mod sending;
mod server;
mod text;

use std::cell::Cell;

pub use pane::TmuxAccess;
pub use program::Programs;
pub use replier::{Current, Replier};

use crate::action::clock;
use crate::model::{
    ActionClass, ActionProblem, PaneInput, Receipt, ReceiptState, ReplyBody, ReplyChannel, ReplyPlan,
    SessionName, Timestamp,
};
use channel::choose;
use journal::Journal;

impl Replier<'_> {
    /// Shows how a reply to `session` would be sent at this moment. Sends nothing.
    ///
    /// # Errors
    /// No harmless channel exists: says why and what to do.
    pub fn plan(&self, session: &SessionName) -> Result<ReplyPlan, ActionProblem> {
        let current = (self.look)()?;
        let mut chosen = choose(self, &current)?;
        if let (Some(address), ReplyChannel::Pane { input, .. }) = (&chosen.address, &chosen.channel) {
            let hindrance = match input {
                PaneInput::Option(_) => self.open_dialog(address, &current).err(),
                PaneInput::Permission(_) => self.drawn_prompt(address, &current).err(),
                PaneInput::Paste { .. } => self.empty_box(address).map(|_| None)?,
            };
            if let Some(problem) = hindrance {
                chosen.close(problem.message);
            }
        }
        let mut journal = Journal::take(&self.state, session)?;
        let unsettled = unsettled(&mut journal, &current);
        let mut warnings = chosen.warnings;
        if journal.n_damaged > 0 {
            warnings.push(
                "part of what was sent to it earlier cannot be read: check whether it has your text"
                    .to_owned(),
            );
        }
        if journal.last().is_some_and(|last| last.state == ReceiptState::Held) {
            warnings.push(
                "your last reply was typed, but not seen to be taken: it may still be in its input box"
                    .to_owned(),
            );
        }
        Ok(ReplyPlan {
            id: new_id((self.now)()),
            session: session.clone(),
            channel: chosen.channel,
            pane: chosen.pane,
            state: current.view.activity.state,
            question: current.view.question.clone(),
            warnings,
            unsettled,
        })
    }

    /// Sends what was confirmed, once.
    ///
    /// # Errors
    /// Nothing was sent: says why and what to do.
    pub fn send(&self, plan: &ReplyPlan, body: &ReplyBody) -> Result<Receipt, ActionProblem> {
        let current = (self.look)()?;
        let mut journal = Journal::take(&self.state, &plan.session)?;
        if journal.has(&plan.id) {
            let words = "this reply was sent already; nothing was sent again";
            return Err(ActionProblem::new(ActionClass::Refused, words).with_next("write a new one"));
        }
        let chosen = self.as_planned(plan, &current)?;
        let unsettled = unsettled(&mut journal, &current);
        let is_known =
            |unsettled: &Receipt| plan.unsettled.as_ref().map(|known| &known.id) == Some(&unsettled.id);
        if unsettled.as_ref().is_some_and(|unsettled| !is_known(unsettled)) {
            let words = "an earlier reply may have been sent; nothing was sent now";
            return Err(ActionProblem::new(ActionClass::Unknown, words)
                .with_next("look at the session, then confirm again"));
        }
        let sent = self.prepare(plan, body, &chosen, &current)?;
        if let Some(unsettled) = unsettled {
            journal.settle(&unsettled.id)?;
        }
        let receipt = Receipt {
            id: plan.id.clone(),
            session: plan.session.clone(),
            channel_words: chosen.channel.to_string(),
            excerpt: Receipt::excerpt_of(&sent),
            text_sum: Receipt::sum_of(&sent),
            sent_at: (self.now)(),
            state: ReceiptState::Unknown,
            detail: None,
        };
        journal.begin(&receipt, sent.len())?;
        // The lock on the session ends once its agent has the reply, although the agent works on.
        let journal = Cell::new(Some(journal));
        let outcome = self.deliver(plan, body, &receipt, &|taken| {
            if let Some(mut journal) = journal.take() {
                note(&mut journal, &plan.id, taken.state);
            }
            (self.taken)(taken);
        });
        let state = outcome.as_ref().map_or(ReceiptState::Refused, |receipt| receipt.state);
        match journal.into_inner().map_or_else(|| Journal::take(&self.state, &plan.session), Ok) {
            Ok(mut journal) => note(&mut journal, &plan.id, state),
            Err(problem) => tracing::warn!("{}", problem.message),
        }
        outcome
    }
}

/// Notes the state of a reply. If that fails, the journal still says "may have been sent", so a person will be
/// asked.
fn note(journal: &mut Journal, id: &str, state: ReceiptState) {
    if let Err(problem) = journal.know(id, state) {
        tracing::warn!("{}", problem.message);
    }
}

/// The last reply, if it is unknown whether it was sent. A reply that the record shows is settled here.
fn unsettled(journal: &mut Journal, current: &Current) -> Option<Receipt> {
    let unsettled = journal.unsettled()?;
    if current.shows(&unsettled) {
        note(journal, &unsettled.id, ReceiptState::Consumed);
        return None;
    }
    Some(unsettled)
}

/// A new unique id.
fn new_id(now: Timestamp) -> String {
    let salt = clock::since_start().subsec_nanos();
    format!("{:x}-{:x}-{salt:x}", now.0, std::process::id())
}
