//! Requested actions and their outcomes: at most one action runs on each workspace. A turn in which an
//! agent's own program answers a reply is the rest of an action, and runs beside others.
//!
//! Nothing is carried out here, and no plan is made or checked: `action` does that.

use crate::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, ActionProgress, Actor, AuditEntry,
    HeldStep, NotAsked, Receipt, ReceiptState, Response, SessionName, Timestamp, WorkspaceId,
};

use super::actions::{Actions, MAX_ENTRIES};
use super::begin::cancel;
use super::held_replies::is_silent;
use super::state::Monitor;
use crate::present::phrases::outcome;
use crate::present::sets;

impl Actions {
    /// Records the outcome of an action.
    fn ended(&mut self, number: u64, outcome: &ActionOutcome, entry: Option<AuditEntry>) {
        let kind = self.shown.running.take_if(|running| running.number == number).map(|running| running.kind);
        let position = self.shown.answering.iter().position(|running| running.number == number);
        let answered = position.and_then(|position| self.shown.answering.remove(position).progress.taken);
        let is_put_off = matches!(outcome, ActionOutcome::NotAsked(NotAsked::UsedUp { .. }));
        if matches!(kind, Some(ActionKind::Probe | ActionKind::Verify)) && !is_put_off {
            self.asked.last.clone_from(&self.asked.began);
        }
        if let Some(entry) = entry {
            self.shown.history.retain(|known| known.id != entry.id);
            self.shown.history.insert(0, entry);
            self.shown.history.truncate(MAX_ENTRIES);
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other outcome is remembered")]
        match outcome {
            ActionOutcome::Replied(receipt) => self.keep_receipt((**receipt).clone()),
            // The agent's program received it, but the agent did not take it.
            ActionOutcome::Failed(problem) => {
                if let Some(receipt) = answered {
                    let words = Some(problem.message.clone());
                    self.keep_receipt(Receipt { state: ReceiptState::Refused, detail: words, ..*receipt });
                }
            }
            ActionOutcome::Checked(report) => {
                self.shown.smart_check = Some(report.clone());
                self.asked.checked = self.asked.began.take();
            }
            ActionOutcome::Verified(report) => {
                self.shown.verified = Some(report.clone());
                self.asked.closer = self.asked.began.take();
            }
            ActionOutcome::ChecksRan(records) => self.keep_checks(records),
            ActionOutcome::Opined(opinion) => self.opinion = Some(opinion.clone()),
            _ => {}
        }
    }
}

impl Monitor {
    /// Starts an action that a person wants. Only one runs on a workspace at a time; an automatic one gives
    /// way.
    pub(super) fn wants_action(&mut self, id: WorkspaceId, action: Action, at: Timestamp) {
        let Some(tracked) = self.workspaces.get_mut(&id) else {
            let problem = ActionProblem::new(ActionClass::Refused, "the workspace is no longer known");
            self.tell_problem(id, &action, problem);
            return;
        };
        let actions = &mut tracked.actions;
        if let Some(running) =
            actions.shown.running.as_mut().filter(|running| running.is_automatic && actions.waiting.is_none())
        {
            actions.waiting = Some(Box::new(action));
            cancel(running, &mut self.effects);
            self.changed.insert(id);
            return;
        }
        if let Some(running) = &tracked.actions.shown.running {
            let problem =
                ActionProblem::new(ActionClass::Busy, outcome::under_way(sets::running(running.kind)))
                    .with_next("wait for it, or end it first");
            self.tell_problem(id, &action, problem);
            return;
        }
        if session_of(&action).is_some_and(|session| tracked.actions.is_answering(session)) {
            let message = "its agent is still answering your last reply";
            let problem = ActionProblem::new(ActionClass::Busy, message)
                .with_next("wait for it, or end its turn first");
            self.tell_problem(id, &action, problem);
            return;
        }
        self.begin(&id, action, at);
    }

    pub(super) fn wants_cancel(&mut self, id: &WorkspaceId, number: u64) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(running) = tracked.actions.running_mut(number) {
            cancel(running, &mut self.effects);
            self.changed.insert(id.clone());
        }
        let is_first = tracked.actions.shown.running.as_ref().is_some_and(|running| running.number == number);
        if let Some(action) = tracked.actions.waiting.take_if(|_| is_first) {
            let problem = ActionProblem::new(ActionClass::Cancelled, "ended on request, before it began");
            self.tell_problem(id.clone(), &action, problem);
        }
    }

    /// A cancelled action is in the middle of a move, which completes first: it is no longer shown as being
    /// cancelled.
    pub(super) fn ends_later(&mut self, id: &WorkspaceId, number: u64) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(running) =
            tracked.actions.shown.running.as_mut().filter(|running| running.number == number)
        {
            running.is_cancelled = false;
            self.responses.push(Response::EndsLater { workspace: id.clone(), kind: running.kind });
            self.changed.insert(id.clone());
        }
    }

    pub(super) fn progressed(&mut self, id: &WorkspaceId, number: u64, progress: ActionProgress) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        let Some(running) = tracked.actions.running_mut(number) else { return };
        let taken = progress.taken.clone();
        running.progress = progress;
        self.changed.insert(id.clone());
        let Some(receipt) = taken.filter(|receipt| tracked.actions.takes(number, receipt)) else { return };
        // The session works from now on.
        tracked.collecting.refresh();
        self.touched.insert(id.clone());
        self.forget_sent(id, &receipt);
        self.tell_receipt(id, number, receipt);
    }

    /// An action has ended.
    pub(super) fn finished(
        &mut self,
        id: WorkspaceId,
        number: u64,
        outcome: Box<ActionOutcome>,
        entry: Option<AuditEntry>,
        at: Timestamp,
    ) {
        let Ran { kind, is_plan, is_automatic } = self.ran(&id, number, &outcome, entry.as_ref());
        let waiting = self.take_outcome(&id, number, &outcome, entry, at);
        self.held_ended(&id, kind, &outcome, at);
        if let ActionOutcome::Replied(receipt) = &*outcome
            && receipt.state.class() == ActionClass::Done
        {
            self.forget_sent(&id, receipt);
        }
        if is_automatic {
            // Nobody waits for this answer, but another automatic action may have waited for it to end.
            self.touch_all();
        } else if self.auto_probe_policy.is_none() || !is_silent(&outcome) {
            self.responses.push(Response::Action { workspace: id.clone(), number, kind, is_plan, outcome });
        }
        if let Some(action) = waiting {
            self.wants_action(id, *action, at);
        }
    }

    /// What has ended. Where the workspace was gone meanwhile, the entry is all that tells what it was.
    fn ran(&self, id: &WorkspaceId, number: u64, outcome: &ActionOutcome, entry: Option<&AuditEntry>) -> Ran {
        let running = self.workspaces.get(id).and_then(|tracked| tracked.actions.running(number));
        running.map_or_else(
            || Ran {
                kind: entry.map_or(ActionKind::Plan, |entry| entry.kind),
                is_plan: entry.is_none(),
                is_automatic: matches!(outcome, ActionOutcome::NotAsked(_))
                    || entry.is_some_and(|entry| entry.by == Actor::Automatic),
            },
            |it| Ran { kind: it.kind, is_plan: it.is_plan, is_automatic: it.is_automatic },
        )
    }

    /// Takes what an action brought, and has the workspace read again. Returns the person's action that waited for the
    /// end of this one.
    fn take_outcome(
        &mut self,
        id: &WorkspaceId,
        number: u64,
        outcome: &ActionOutcome,
        entry: Option<AuditEntry>,
        at: Timestamp,
    ) -> Option<Box<Action>> {
        let tracked = self.workspaces.get_mut(id)?;
        tracked.auto_probe.ended(outcome);
        tracked.actions.ended(number, outcome, entry);
        let is_free = tracked.actions.shown.running.is_none();
        let waiting = tracked.actions.waiting.take_if(|_| is_free);
        if let ActionOutcome::Marked { order, reason } = outcome {
            tracked.mark(order, reason.as_deref(), at, &mut self.effects);
        }
        if matches!(
            outcome,
            ActionOutcome::Checked(_)
                | ActionOutcome::Verified(_)
                | ActionOutcome::Opined(_)
                | ActionOutcome::ChecksRan(_)
        ) {
            self.effects.push(tracked.keep_reports());
        }
        // The watcher would report the change as well, but a person is waiting for the result of their
        // action.
        tracked.collecting.refresh();
        self.touched.insert(id.clone());
        self.changed.insert(id.clone());
        waiting
    }

    fn tell_problem(&mut self, workspace: WorkspaceId, action: &Action, problem: ActionProblem) {
        let (kind, is_plan) = (action.kind(), action.is_plan());
        let outcome = Box::new(ActionOutcome::Failed(problem));
        self.responses.push(Response::Action { workspace, number: 0, kind, is_plan, outcome });
    }
}

/// What an action was that has ended.
struct Ran {
    kind: ActionKind,
    is_plan: bool,
    /// Whether no person waits for its outcome.
    is_automatic: bool,
}

/// The session that an action sends something to.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other action sends anything to a chosen session")]
fn session_of(action: &Action) -> Option<&SessionName> {
    match action {
        Action::PlanReply { session } => Some(session),
        Action::Reply { plan, .. } => Some(&plan.session),
        Action::Held { reply, step: HeldStep::Send } => Some(&reply.session),
        _ => None,
    }
}
