//! Replies that wait for the end of their agent's turn: when one is sent, and when it is given up.
//!
//! Nothing is sent here, and a claim on disk settles who sends: every closeout makes the same decision about
//! a reply, and exactly one carries it out.

use crate::model::{
    Action, ActionKind, ActionOutcome, ActivityState, Certainty, Draft, HeldEnd, HeldNow, HeldReply,
    HeldStep, QuestionWeight, SessionView, Timestamp, WorkspaceId,
};

use super::state::Monitor;
use super::tracked::Tracked;

/// A turn that ended can continue if a gate sends it back: it counts as over after this many milliseconds.
const SETTLE_MS: i64 = 2_000;
/// A reply that could not be sent for this long, in milliseconds, is given up: a day.
const KEPT_MS: i64 = 24 * 3_600_000;

impl Monitor {
    /// Returns a monitor that sends held replies when their turn has ended, for a front that keeps running.
    #[must_use]
    pub fn sending_held(self) -> Monitor {
        Monitor { sends_held: true, ..self }
    }

    /// Sends or drops a held reply of a workspace if that is due, or notes when it will be.
    pub(super) fn consider_held(&mut self, id: &WorkspaceId, now: Timestamp) {
        if !self.sends_held {
            return;
        }
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if tracked.actions.held.replies.is_empty() {
            tracked.actions.held.due_at = None;
            return;
        }
        let due = due(tracked);
        tracked.actions.held.due_at = due.as_ref().map(|(_, _, at)| *at).filter(|at| *at > now);
        let Some((reply, step, _)) = due.filter(|(_, _, at)| *at <= now) else { return };
        self.begin(id, Action::Held { reply: Box::new(reply), step }, now);
    }

    /// Records the outcome of an action on a held reply.
    pub(super) fn held_ended(
        &mut self,
        id: &WorkspaceId,
        kind: ActionKind,
        outcome: &ActionOutcome,
        at: Timestamp,
    ) {
        let Some(tracked) = self.workspaces.get_mut(id).filter(|_| kind == ActionKind::Reply) else { return };
        if let Some(Draft { session, text }) = tracked.actions.held.ended(outcome, at) {
            let before = tracked.actions.shown.drafts.iter().find(|known| known.session == session);
            let text = before.map_or_else(|| text.clone(), |before| HeldReply::joined(&before.text, &text));
            self.wants_draft(id.clone(), Draft { session, text });
        } else if let ActionOutcome::Held { reply, now: HeldNow::Kept } = outcome {
            let is_held = |known: &Draft| known.session == reply.session && reply.text.ends_with(&known.text);
            if tracked.actions.shown.drafts.iter().any(is_held) {
                let draft = Draft { session: reply.session.clone(), text: String::new() };
                self.wants_draft(id.clone(), draft);
            }
        }
    }
}

/// The held reply to act on next, what to do with it, and when.
fn due(tracked: &Tracked) -> Option<(HeldReply, HeldStep, Timestamp)> {
    let is_read = tracked.is_judged() && tracked.is_read();
    if !is_read || tracked.actions.shown.running.is_some() {
        return None;
    }
    let sessions = &tracked.snapshot.session_facts.sessions;
    let steps = tracked.actions.held.replies.iter().filter_map(|reply| {
        if reply.claimed_at.is_some() {
            // A closeout that is still sending reports the outcome itself; one that ended does not.
            let step = HeldStep::Drop(HeldEnd::MaybeSent);
            return Some((reply.clone(), step, reply.abandoned_at()?));
        }
        let session = sessions.iter().map(|session| &**session).find(|session| session.is(&reply.session));
        let (step, at) = step(reply, session, tracked)?;
        Some((reply.clone(), step, at))
    });
    let (reply, step, at) = steps.min_by_key(|(_, _, at)| *at)?;
    let again_at = tracked.actions.held.tried.map(|(at, wait)| at.plus_millis(wait));
    Some((reply, step, again_at.map_or(at, |again_at| again_at.max(at))))
}

fn step(
    reply: &HeldReply,
    session: Option<&SessionView>,
    tracked: &Tracked,
) -> Option<(HeldStep, Timestamp)> {
    let drop = |end| (HeldStep::Drop(end), reply.held_at);
    let too_old = (HeldStep::Drop(HeldEnd::TooOld), reply.held_at.plus_millis(KEPT_MS));
    let Some(session) = session else { return Some(drop(HeldEnd::SessionEnded)) };
    if session.prompted_at > Some(reply.held_at) {
        return Some(drop(HeldEnd::PromptedAnew));
    }
    let is_asked = session
        .question
        .as_ref()
        .is_some_and(|asked| asked.weight == QuestionWeight::Blocking && asked.certainty > Certainty::Low);
    match session.activity.state {
        ActivityState::Gone => Some(drop(HeldEnd::SessionEnded)),
        ActivityState::Idle if is_asked => Some(drop(HeldEnd::Asks)),
        ActivityState::Idle if tracked.actions.is_answering(&reply.session) => Some(too_old),
        ActivityState::Idle => {
            let rested_at = session.activity.since.max(session.moved_at).unwrap_or(reply.held_at);
            let settled_at = rested_at.max(reply.held_at).plus_millis(SETTLE_MS);
            Some((HeldStep::Send, settled_at)).filter(|_| settled_at < too_old.1).or(Some(too_old))
        }
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background
        | ActivityState::Unknown => Some(too_old),
    }
}
