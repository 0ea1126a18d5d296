//! Acts on workspaces: at most one runs on each; what became of them. The turn in which an agent answers a reply
//! by a program of its own is the rest of an act, and goes on beside others.
//!
//! Nothing is carried out here, and no plan is made or checked: that is the world's affair.

use crate::model::{
    Act, ActClass, ActKind, ActOutcome, ActProblem, ActProgress, ActRequest, ActedBy, AuditEntry, Claim,
    Draft, Effect, Evidence, NotAsked, Receipt, ReceiptState, RunningAct, SessionName, SmartReport, Source,
    Strength, Timestamp, Told, VerifyReport, Words, WorkspaceId,
};

use super::Monitor;
use super::asked::{self, Asked};
use super::tracked::Tracked;

/// So many of the newest entries of a workspace's history are kept for a front.
const MOST_ENTRIES: usize = 50;

/// What is known of the acts on one workspace.
#[derive(Debug, Default)]
pub(super) struct Acts {
    pub(super) running: Option<RunningAct>,
    /// Whether that only prepares what a person confirms then.
    is_plan: bool,
    /// What a person wants, once the question has ended that closeout asks by itself.
    waiting: Option<Act>,
    /// Replies that agents are answering, the oldest first.
    pub(super) answering: Vec<RunningAct>,
    /// The newest first.
    pub(super) history: Vec<AuditEntry>,
    pub(super) drafts: Vec<Draft>,
    /// The newest first.
    pub(super) receipts: Vec<Receipt>,
    pub(super) smart_check: Option<SmartReport>,
    pub(super) verified: Option<VerifyReport>,
    /// When in the task agents were asked.
    pub(super) asked: Asked,
}

impl Acts {
    /// Takes over what is remembered from earlier runs.
    pub(super) fn remember(&mut self, history: Vec<AuditEntry>, drafts: Vec<Draft>) {
        if self.history.is_empty() {
            self.history = history;
            self.history.truncate(MOST_ENTRIES);
        }
        for draft in drafts {
            if !self.drafts.iter().any(|known| known.session == draft.session) {
                self.drafts.push(draft);
            }
        }
    }

    /// A decision file that a person wrote here, by the record of what was done, is theirs and no agent's word.
    pub(super) fn know_decision(&self, words: &Words, evidence: &mut [Evidence]) {
        let Some((digest, written_at)) = &words.decision_file else { return };
        if !self.history.iter().any(|entry| entry.is_decision_of(digest, *written_at)) {
            return;
        }
        for evidence in evidence {
            let is_file = matches!(evidence.source, Source::Decision | Source::DecisionWithId);
            if is_file && matches!(evidence.claim, Claim::Yes | Claim::No) {
                evidence.strength = Strength::Person;
            }
        }
    }

    /// What is running and is named by this number.
    fn running_mut(&mut self, number: u64) -> Option<&mut RunningAct> {
        self.running.iter_mut().chain(&mut self.answering).find(|running| running.number == number)
    }

    /// Takes note of an outcome.
    fn ended(&mut self, number: u64, outcome: &ActOutcome, entry: Option<AuditEntry>) {
        let kind = self.running.take_if(|running| running.number == number).map(|running| running.kind);
        let position = self.answering.iter().position(|running| running.number == number);
        let answered = position.and_then(|position| self.answering.remove(position).progress.taken);
        let is_put_off = matches!(outcome, ActOutcome::NotAsked(NotAsked::UsedUp { .. }));
        if matches!(kind, Some(ActKind::Probe | ActKind::Verify)) && !is_put_off {
            self.asked.last.clone_from(&self.asked.began);
        }
        if let Some(entry) = entry {
            self.history.retain(|known| known.id != entry.id);
            self.history.insert(0, entry);
            self.history.truncate(MOST_ENTRIES);
        }
        match outcome {
            ActOutcome::Replied(receipt) => self.keep_receipt((**receipt).clone()),
            // It was given to the agent's program, and the agent did not take it.
            ActOutcome::Failed(problem) => {
                if let Some(receipt) = answered {
                    let words = Some(problem.words.clone());
                    self.keep_receipt(Receipt { state: ReceiptState::Refused, words, ..*receipt });
                }
            }
            ActOutcome::Checked(report) => {
                self.smart_check = Some((**report).clone());
                self.asked.checked = self.asked.began.take();
            }
            ActOutcome::Verified(report) => {
                self.verified = Some((**report).clone());
                self.asked.closer = self.asked.began.take();
            }
            ActOutcome::RescuePlanned(_)
            | ActOutcome::SizeAsked(_)
            | ActOutcome::Recorded(_)
            | ActOutcome::Rescued(_)
            | ActOutcome::UndoPlanned(_)
            | ActOutcome::Undone(_)
            | ActOutcome::ReplyPlanned(_)
            | ActOutcome::AskPlanned(_)
            | ActOutcome::NotAsked(_)
            | ActOutcome::Decided(_) => {}
        }
    }
}

impl Monitor {
    /// A person wants an act. One at a time runs on a workspace; one that closeout began itself gives way.
    pub(super) fn wants_act(&mut self, id: WorkspaceId, act: Act, at: Timestamp, effects: &mut Vec<Effect>) {
        let Some(tracked) = self.workspaces.get_mut(&id) else {
            let problem = ActProblem::new(ActClass::Refused, "the workspace is not known any more");
            self.tell_problem(id, &act, problem);
            return;
        };
        let acts = &mut tracked.acts;
        if let Some(running) =
            acts.running.as_mut().filter(|running| running.is_automatic && acts.waiting.is_none())
        {
            acts.waiting = Some(act);
            if !std::mem::replace(&mut running.is_cancelled, true) {
                effects.push(Effect::CancelAct { number: running.number });
            }
            self.changed.insert(id);
            return;
        }
        if let Some(running) = &tracked.acts.running {
            let words = format!("{} runs here already", in_words(running.kind));
            let problem = ActProblem::new(ActClass::Busy, words).with_next("wait for it, or end it first");
            self.tell_problem(id, &act, problem);
            return;
        }
        if session_of(&act).is_some_and(|session| tracked.acts.is_answering(session)) {
            let words = "its agent is still answering your last reply";
            let problem =
                ActProblem::new(ActClass::Busy, words).with_next("wait for it, or end its turn first");
            self.tell_problem(id, &act, problem);
            return;
        }
        self.last_act += 1;
        effects.push(begin(tracked, self.last_act, act, at));
        self.changed.insert(id);
    }

    pub(super) fn wants_cancel(&mut self, id: &WorkspaceId, number: u64, effects: &mut Vec<Effect>) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(running) = tracked.acts.running_mut(number) {
            running.is_cancelled = true;
            effects.push(Effect::CancelAct { number: running.number });
            self.changed.insert(id.clone());
        }
        let is_first = tracked.acts.running.as_ref().is_some_and(|running| running.number == number);
        if let Some(act) = tracked.acts.waiting.take_if(|_| is_first) {
            let problem = ActProblem::new(ActClass::Cancelled, "ended on request, before it began");
            self.tell_problem(id.clone(), &act, problem);
        }
    }

    /// An act that was to end is moving something: it is not shown as one that is being ended.
    pub(super) fn ends_later(&mut self, id: &WorkspaceId, number: u64) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        if let Some(running) = tracked.acts.running.as_mut().filter(|running| running.number == number) {
            running.is_cancelled = false;
            self.told.push(Told::EndsLater { workspace: id.clone(), kind: running.kind });
            self.changed.insert(id.clone());
        }
    }

    pub(super) fn act_moved(
        &mut self,
        id: &WorkspaceId,
        number: u64,
        progress: ActProgress,
        effects: &mut Vec<Effect>,
    ) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        let Some(running) = tracked.acts.running_mut(number) else { return };
        let taken = progress.taken.clone();
        running.progress = progress;
        self.changed.insert(id.clone());
        let Some(receipt) = taken.filter(|receipt| tracked.acts.takes(number, receipt)) else { return };
        // Its session works from now on.
        tracked.refresh();
        self.touched.insert(id.clone());
        self.forget_sent(id, &receipt, effects);
        let outcome = Box::new(ActOutcome::Replied(receipt));
        self.told.push(Told::Act {
            workspace: id.clone(),
            number,
            kind: ActKind::Reply,
            is_plan: false,
            outcome,
        });
    }

    pub(super) fn acted(
        &mut self,
        id: WorkspaceId,
        number: u64,
        outcome: Box<ActOutcome>,
        entry: Option<AuditEntry>,
        at: Timestamp,
        effects: &mut Vec<Effect>,
    ) {
        let mut kind = entry.as_ref().map_or(ActKind::Plan, |entry| entry.kind);
        let mut is_plan = entry.is_none();
        let mut is_automatic = matches!(*outcome, ActOutcome::NotAsked(_))
            || entry.as_ref().is_some_and(|entry| entry.by == ActedBy::Automatic);
        let mut waiting = None;
        if let Some(tracked) = self.workspaces.get_mut(&id) {
            let prepares = tracked.acts.is_plan;
            if let Some(running) = tracked.acts.running_mut(number) {
                (kind, is_automatic) = (running.kind, running.is_automatic);
                // What is being answered runs beside a plan.
                is_plan = running.progress.taken.is_none() && prepares;
            }
            tracked.auto_probe.ended(&outcome);
            tracked.acts.ended(number, &outcome, entry);
            if tracked.acts.running.is_none() {
                waiting = tracked.acts.waiting.take();
            }
            if matches!(*outcome, ActOutcome::Checked(_) | ActOutcome::Verified(_)) {
                let reports = Box::new(tracked.acts.kept_reports());
                effects.push(Effect::KeepReports { workspace: id.clone(), reports });
            }
            // The circle is closed by the watcher as well; but a person waits for what they did.
            tracked.refresh();
            self.touched.insert(id.clone());
            self.changed.insert(id.clone());
        }
        if let ActOutcome::Replied(receipt) = &*outcome
            && receipt.state.class() == ActClass::Done
        {
            self.forget_sent(&id, receipt, effects);
        }
        if is_automatic {
            // Nobody waits for the answer, and another one may have waited for its end.
            self.touch_all();
        } else {
            self.told.push(Told::Act { workspace: id.clone(), number, kind, is_plan, outcome });
        }
        if let Some(act) = waiting {
            self.wants_act(id, act, at, effects);
        }
    }

    fn tell_problem(&mut self, workspace: WorkspaceId, act: &Act, problem: ActProblem) {
        let (kind, is_plan) = (act.kind(), act.is_plan());
        let outcome = Box::new(ActOutcome::Failed(problem));
        self.told.push(Told::Act { workspace, number: 0, kind, is_plan, outcome });
    }
}

/// To whom an act says something.
fn session_of(act: &Act) -> Option<&SessionName> {
    match act {
        Act::PlanReply { session } => Some(session),
        Act::Reply { plan, .. } => Some(&plan.session),
        Act::PlanRescue { .. }
        | Act::Record { .. }
        | Act::Rescue { .. }
        | Act::PlanUndo { .. }
        | Act::Undo { .. }
        | Act::PlanAsk { .. }
        | Act::Ask { .. }
        | Act::AutoProbe { .. }
        | Act::Decide { .. } => None,
    }
}

/// Begins an act; its effect.
pub(super) fn begin(tracked: &mut Tracked, number: u64, act: Act, at: Timestamp) -> Effect {
    tracked.acts.asked.begins(&tracked.snapshot.words);
    tracked.acts.is_plan = act.is_plan();
    tracked.acts.running = Some(RunningAct {
        number,
        kind: act.kind(),
        since: at,
        progress: ActProgress::default(),
        is_cancelled: false,
        is_automatic: matches!(act, Act::AutoProbe { .. }),
    });
    Effect::Act(Box::new(request(tracked, number, act)))
}

fn request(tracked: &Tracked, number: u64, act: Act) -> ActRequest {
    let words = &tracked.snapshot.words;
    let first_session = words
        .sessions
        .first()
        .map(|session| SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() });
    ActRequest {
        number,
        workspace: tracked.id.clone(),
        act,
        settings: tracked.settings().clone(),
        task_kind: tracked.task_kind(),
        baseline: tracked.snapshot.git.as_ref().map(|git| git.baseline.clone()).or(tracked.baseline.clone()),
        sessions: tracked.sessions.clone(),
        first_session,
        prompt: words.prompt.clone(),
        last_words: words.last_words.as_ref().map(|words| words.text.clone()),
        standing: asked::standing(tracked.verdict.as_ref()),
        verified: tracked.acts.fresh_verified(words).cloned().map(Box::new),
    }
}

fn in_words(kind: ActKind) -> &'static str {
    match kind {
        ActKind::Plan => "a look before an act",
        ActKind::Record => "a record",
        ActKind::Rescue => "a rescue",
        ActKind::Undo => "an undo",
        ActKind::Redo => "a redo",
        ActKind::Restore => "a restore",
        ActKind::Forget => "the deletion of a record",
        ActKind::Trust => "a question of trust",
        ActKind::Reply => "a reply",
        ActKind::Probe => "a smart check",
        ActKind::Verify => "a check by the closer",
        ActKind::Decide => "a decision",
    }
}
