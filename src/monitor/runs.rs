//! Live supervised runs: each appears among the sessions of its workspace, reports itself as working, and can
//! be answered like a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::judge::{GRACE_MS, set_aside};
use crate::model::{
    Activity, ActivitySource, ActivityState, Claim, Evidence, Origin, Parts, Point, Reason, RunEnd, RunOver,
    RunStatus, RunView, SessionOrigin, SessionView, Source, Timestamp, TurnSpan, VerdictState, WorkspaceId,
};

use super::state::Monitor;
use super::tracked::Tracked;

impl Tracked {
    /// What a run says about the workspace: it is working, or its agent asks something.
    pub(super) fn run_evidence(&self) -> Option<Evidence> {
        let run = self.runs.alive.as_ref()?;
        let claim = if run.question.is_some() { Claim::Ask } else { Claim::Work };
        let points = run.question.iter().map(|question| Point::Named(question.text.clone())).collect();
        let since = Origin::Run.at(run.since);
        let evidence = Evidence::claim(Source::LiveSession, RunView::AGENT, claim, since);
        let RunView { phase, iteration, max_iterations, .. } = **run;
        let reason = Reason::SupervisedRun { phase, iteration, max_iterations };
        Some(Evidence { points, ..evidence.because(reason) })
    }

    /// Whether a limit ended the last run (R6), nobody was asked for anything since, and the work was not brought to its
    /// end without it.
    pub(super) fn is_run_used_up(&self, evidence: &[Evidence]) -> bool {
        let Some(run) = &self.settings().supervised else { return false };
        let Some(over) = run.over.filter(RunOver::is_used_up) else { return false };
        let is_of_run = |evidence: &Evidence| {
            evidence.source != Source::Commits || self.has_committed_work_of(run.began_at, over.at)
        };
        let is_later_yes = |evidence: &Evidence| {
            evidence.is_yes() && evidence.provenance.moment.time() > Some(over.at) && is_of_run(evidence)
        };
        let has_no = evidence.iter().any(|evidence| evidence.claim == Claim::No);
        let is_ended_since = !has_no && evidence.iter().any(is_later_yes);
        run.counts(self.snapshot.session_facts.last_asked_at) && !is_ended_since
    }

    /// Whether a commit since a run holds files as the run left them: what a person does beside it ends nothing.
    fn has_committed_work_of(&self, began_at: Timestamp, ended_at: Timestamp) -> bool {
        let ran = TurnSpan { from: began_at, to: Some(ended_at), may_commit: true };
        let newest = self.snapshot.git.iter().flat_map(|git| &git.commits.newest);
        let mut since = newest.filter(|commit| commit.at > ended_at);
        since.any(|commit| {
            commit.paths.is_none()
                || commit.written_at.iter().any(|at| at.is_none_or(|at| ran.has(at, GRACE_MS)))
        })
    }

    /// How the last run ended, while that is news: no run or prompt followed, and the work is not complete.
    pub(super) fn run_end(&self) -> Option<&RunEnd> {
        let sessions = &self.snapshot.session_facts.sessions;
        let prompted_at = sessions.iter().filter_map(|session| session.prompted_at).max();
        let state = self.judged.verdict.as_deref().map(|verdict| verdict.state);
        let is_over = state.is_some_and(|state| {
            matches!(state, VerdictState::Complete | VerdictState::Working | VerdictState::Waiting)
        });
        let end = self.runs.ended.as_ref()?;
        (!is_over && self.runs.alive.is_none() && prompted_at.is_none_or(|at| at <= end.at)).then_some(end)
    }

    /// How the last run ended, unless a person has looked at the workspace since.
    pub(super) fn unseen_run_end(&self) -> Option<RunStatus> {
        let end = self.run_end()?;
        let looked_at = self.judged.looked_at.max(self.actions.seen.as_ref().map(|seen| seen.at));
        looked_at.is_none_or(|at| at < end.at).then_some(end.status)
    }

    /// All sessions, with the live run as one more, as far as the person's marks leave them something to answer.
    pub(super) fn sessions_and_run(&self) -> Vec<Arc<SessionView>> {
        let sessions = &self.snapshot.session_facts.sessions;
        let run = self.runs.alive.as_deref().map(|run| Arc::new(session(run)));
        let all: Vec<Arc<SessionView>> = sessions.iter().cloned().chain(run).collect();
        set_aside::by_marks(&all, &self.actions.marks)
    }
}

impl Monitor {
    /// Takes over the lists of live and ended runs.
    pub(super) fn runs_found(
        &mut self,
        mut runs: BTreeMap<WorkspaceId, RunView>,
        mut ended: BTreeMap<WorkspaceId, RunEnd>,
        at: Timestamp,
    ) {
        for (id, tracked) in &mut self.workspaces {
            let (run, run_end) = (runs.remove(id).map(Box::new), ended.remove(id).map(Box::new));
            if tracked.runs.ended != run_end {
                tracked.runs.ended = run_end;
                self.changed.insert(id.clone());
            }
            if tracked.runs.alive == run {
                continue;
            }
            if tracked.runs.alive.is_some() != run.is_some() {
                // A reading made while the run was working served the checks of that run.
                tracked.changed(Parts::all(), at);
            }
            tracked.runs.alive = run;
            if tracked.is_judged() {
                self.effects.extend(tracked.judge(&self.policy, at));
            }
            self.touched.insert(id.clone());
            self.changed.insert(id.clone());
        }
    }
}

fn session(run: &RunView) -> SessionView {
    let state = if run.question.is_some() { ActivityState::Asks } else { ActivityState::Working };
    SessionView {
        agent: RunView::AGENT.to_owned(),
        session_id: run.id.as_str().into(),
        origin: SessionOrigin::Headless,
        activity: Activity {
            state,
            source: ActivitySource::Run,
            since: Some(run.since),
            detail: run.question.as_ref().map(|question| question.text.clone()),
        },
        moved_at: Some(run.since),
        question: run.question.clone(),
        process: run.process,
        ..SessionView::default()
    }
}
