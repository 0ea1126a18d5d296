//! How an action starts and is cancelled, and the context that it is given: the settings, the sessions, the
//! work as the monitor last saw it. It decides on no action itself.

use super::asked;
use super::state::Monitor;
use super::tracked::Tracked;
use crate::judge::checkers::configured;
use crate::model::{
    Action, ActionProgress, ActionRequest, ActivityState, Effect, Evidence, HeldStep, LookedAt, ReplyBody,
    RunningAction, Timestamp, WorkspaceId,
};

/// The work as it was last read, for checks of it.
fn looked_at(tracked: &Tracked) -> LookedAt {
    let git = tracked.snapshot.git.as_ref();
    let is_before_work = git.is_some_and(|git| {
        let is_clean = git.changes.as_ref().is_some_and(|changes| changes.n_paths == 0);
        is_clean && git.commits.n_new + git.commits.n_rescued == 0
    });
    let evidence: Vec<Evidence> =
        tracked.snapshot.evidence.iter().map(|(_, evidence)| Evidence::clone(evidence)).collect();
    let standing = configured::standing(&tracked.settings().checks, &evidence);
    LookedAt {
        content: tracked.judged.against.content.clone(),
        is_before_work,
        standing,
        records: tracked.actions.checks.clone(),
    }
}

fn request(tracked: &Tracked, number: u64, action: Action) -> ActionRequest {
    let facts = &tracked.snapshot.session_facts;
    let first_session = facts.sessions.first().map(|session| session.session_name());
    // A probe asks for the agent's own word, so it is not told what is left to do.
    let is_check = matches!(action, Action::RunChecks { .. } | Action::AutoChecks);
    let is_told = is_check || matches!(action, Action::PlanAsk { .. } | Action::Ask { .. });
    let verdict = tracked.judged.verdict.as_deref();
    let left_to_do =
        verdict.filter(|_| is_told).map(|verdict| verdict.left_to_do.clone()).unwrap_or_default();
    let looked_at = if is_check { looked_at(tracked) } else { LookedAt::default() };
    ActionRequest {
        looked_at,
        number,
        workspace: tracked.id.clone(),
        action,
        settings: tracked.settings().clone(),
        task_kind: tracked.task_kind(),
        baseline: tracked.snapshot.git.as_ref().map(|git| git.baseline.clone()).or(tracked.baseline.clone()),
        sessions: tracked.sessions.clone(),
        first_session,
        task: facts.task.as_ref().map(|task| task.first_prompt.clone()),
        prompt: facts.prompt.clone(),
        last_words: facts.last_words.as_ref().map(|words| words.text.clone()),
        standing: asked::standing(verdict),
        verified: tracked.actions.shown.verified.clone(),
        left_to_do,
        loose: verdict.map(|verdict| verdict.loose.clone()).unwrap_or_default(),
        is_at_work: is_at_work(tracked),
    }
}

/// Whether an agent writes here: it is in its turn, or works for a run that asks nothing.
fn is_at_work(tracked: &Tracked) -> bool {
    let sessions = &tracked.snapshot.session_facts.sessions;
    sessions.iter().any(|session| session.activity.state == ActivityState::Working)
        || tracked.runs.alive.as_ref().is_some_and(|run| run.question.is_none())
}

/// Cancels a running action, unless that was already requested.
pub(super) fn cancel(running: &mut RunningAction, effects: &mut Vec<Effect>) {
    if !std::mem::replace(&mut running.is_cancelled, true) {
        effects.push(Effect::CancelAction { number: running.number });
    }
}

impl Tracked {
    /// Marks an action as running, and returns its effect.
    fn begin(&mut self, number: u64, action: Action, at: Timestamp) -> Effect {
        self.actions.asked.begins(&self.snapshot.session_facts);
        if let Action::Reply { body: ReplyBody::Text { text }, .. } = &action {
            self.actions.sending = Some(text.clone());
        }
        if let Action::Held { reply, step } = &action {
            self.actions.held.begins(reply, step);
            self.actions.sending = (*step == HeldStep::Send).then(|| reply.text.clone());
        }
        self.actions.shown.running = Some(Box::new(RunningAction {
            number,
            kind: action.kind(),
            since: at,
            progress: ActionProgress::default(),
            is_cancelled: false,
            is_automatic: matches!(
                action,
                Action::AutoProbe { .. } | Action::SecondOpinion { .. } | Action::AutoChecks
            ),
            is_plan: action.is_plan(),
        }));
        Effect::Action(Box::new(request(self, number, action)))
    }
}

impl Monitor {
    /// Starts an action on a workspace, on which none runs.
    pub(super) fn begin(&mut self, id: &WorkspaceId, action: Action, at: Timestamp) {
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        self.last_action += 1;
        self.effects.push(tracked.begin(self.last_action, action, at));
        self.changed.insert(id.clone());
    }
}
