//! A live supervised run, as a front shows it beside its workspace.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Certainty, ProcessId, Question, QuestionWeight, RunEnding, RunPhase, RunStatus, SessionName,
    SupervisedRun, Timestamp, VerdictState,
};

/// A run that is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunView {
    /// Its id.
    pub id: String,
    /// The agent whose command it runs, if closeout made the command.
    pub agent: Option<String>,
    /// What it does now.
    pub phase: RunPhase,
    /// The number of the iteration, from 1; 0 before the first.
    pub iteration: u32,
    /// The most iterations.
    pub max_iterations: u32,
    /// Since when it does that.
    pub since: Timestamp,
    /// What the last check found.
    pub verdict: Option<VerdictState>,
    /// What was left to do by the last check, a point each with its source. Untrusted text.
    pub open_points: Vec<String>,
    /// The question that it waits with.
    pub question: Option<Question>,
    /// The process that runs it, where it is seen from here.
    pub process: Option<ProcessId>,
}

impl RunView {
    /// The agent name under which a run appears among its workspace's sessions: a reply to it answers its
    /// question.
    pub const AGENT: &'static str = "closeout run";

    /// The view of a run that is alive in `process`.
    pub fn of(run: SupervisedRun, process: Option<ProcessId>) -> RunView {
        let is_asking = run.state.phase == RunPhase::Asking;
        let last = run.iterations.last();
        let checked = run.iterations.iter().rev().find(|iteration| iteration.verdict.is_some());
        let since = last.map_or(run.began_at, |last| last.ended_at.unwrap_or(last.began_at));
        let asked = run.asked.or_else(|| Some(question_of(run.question?)));
        RunView {
            agent: run.order.agent,
            phase: run.state.phase,
            iteration: run.state.iteration,
            max_iterations: run.order.max_iterations,
            since,
            verdict: checked.and_then(|checked| checked.verdict),
            open_points: checked.map(|checked| checked.open_points.clone()).unwrap_or_default(),
            question: asked.filter(|_| is_asking),
            process,
            id: run.id,
        }
    }

    /// The session name for replies to the run.
    pub fn name(&self) -> SessionName {
        SessionName::new(RunView::AGENT, self.id.as_str())
    }
}

/// A run that ended, and before its work was complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunEnd {
    /// Its id.
    pub id: String,
    /// How it ended.
    pub status: RunStatus,
    /// When.
    pub at: Timestamp,
}

impl RunEnd {
    /// The end of a run that the user should know about: it is over, but neither complete nor ended by the
    /// user; else `None`.
    pub fn of(run: &SupervisedRun) -> Option<RunEnd> {
        let RunEnding { at, status } = *run.ended.as_ref()?;
        let is_news = !matches!(status, RunStatus::Complete | RunStatus::Cancelled);
        is_news.then(|| RunEnd { id: run.id.clone(), status, at })
    }
}

/// A question of which only the text was kept; it is taken to be blocking and certain.
fn question_of(text: String) -> Question {
    Question { text, choices: Vec::new(), weight: QuestionWeight::Blocking, certainty: Certainty::High }
}
