//! The held replies of one workspace: those that wait for the end of their agent's turn, and the one that is
//! being sent.
//!
//! When one is sent is not decided here.

use crate::model::{ActionClass, ActionOutcome, Draft, HeldNow, HeldReply, HeldStep, Timestamp};

/// How long the next attempt waits after a failed one, in milliseconds; each further failure triples it.
const RETRY_MS: i64 = 10_000;
/// The longest wait between two attempts, in milliseconds: a quarter of an hour.
const LONGEST_RETRY_MS: i64 = 15 * 60_000;

#[derive(Debug, Default)]
pub(super) struct HeldReplies {
    /// Oldest first.
    pub(super) replies: Vec<HeldReply>,
    /// When to consider one of them again.
    pub(super) due_at: Option<Timestamp>,
    /// When the last attempt failed, and how long the next one waits, in milliseconds.
    pub(super) tried: Option<(Timestamp, i64)>,
    /// The one that is being sent or dropped.
    taken: Option<Box<HeldReply>>,
}

impl HeldReplies {
    /// Adopts what was read from disk at `read_at`. Replies held since then stay. Returns true if that
    /// changed anything.
    pub(super) fn recall(&mut self, mut kept: Vec<HeldReply>, read_at: Timestamp) -> bool {
        let is_newer = |known: &&HeldReply| known.held_at >= read_at && !kept.contains(known);
        let newer: Vec<HeldReply> = self.replies.iter().filter(is_newer).cloned().collect();
        kept.extend(newer);
        let is_news = kept != self.replies;
        self.replies = kept;
        is_news
    }

    /// An action on a held reply starts.
    pub(super) fn begins(&mut self, reply: &HeldReply, step: &HeldStep) {
        self.taken = (*step != HeldStep::Keep).then(|| Box::new(reply.clone()));
    }

    /// Records an outcome. Returns the text that was not sent, or not for certain: it becomes a draft again.
    pub(super) fn ended(&mut self, outcome: &ActionOutcome, at: Timestamp) -> Option<Draft> {
        let taken = self.taken.take();
        let draft_of = |reply: &HeldReply| Draft { session: reply.session.clone(), text: reply.text.clone() };
        match (outcome, taken) {
            (ActionOutcome::Held { reply, now }, _) => {
                let is_after =
                    |known: &HeldReply| known.session != reply.session || known.held_at > reply.held_at;
                self.replies.retain(is_after);
                if *now == HeldNow::WaitsOn {
                    self.try_later(at);
                } else {
                    self.tried = None;
                }
                match now {
                    HeldNow::Kept | HeldNow::WaitsOn => self.replies.push((**reply).clone()),
                    HeldNow::Taken => {}
                    HeldNow::Dropped(_) => return Some(draft_of(reply)),
                }
                None
            }
            (ActionOutcome::Replied(_), Some(sent)) => {
                self.replies.retain(|known| known.id != sent.id);
                self.tried = None;
                (outcome.class() != ActionClass::Done).then(|| draft_of(&sent))
            }
            (_, Some(_)) => {
                self.try_later(at);
                None
            }
            (_, None) => None,
        }
    }

    fn try_later(&mut self, at: Timestamp) {
        let wait = self.tried.map_or(RETRY_MS, |(_, wait)| (wait * 3).min(LONGEST_RETRY_MS));
        self.tried = Some((at, wait));
    }
}

/// True if an outcome is no news for the person: a failed attempt, or another closeout's doing.
pub(super) fn is_silent(outcome: &ActionOutcome) -> bool {
    matches!(outcome, ActionOutcome::Held { now: HeldNow::WaitsOn | HeldNow::Taken, .. })
}
