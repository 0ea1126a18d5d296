//! What every action gets to work with, and how each of them can end. No action is carried out here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::agent::Adapter;
use crate::engine::{EngineConfig, collect};
use crate::model::{
    ActionClass, ActionOutcome, ActionProblem, ActionProgress, BranchPlan, NotAsked, RecordCost,
};
use crate::process::{Budget, Cancel};

/// The outcome of an action, or why it was not carried out.
pub(super) type ActionFinished = Result<ActionOutcome, ActionProblem>;

/// Why an action ends before it is done.
#[derive(Debug)]
pub(super) enum Stop {
    /// It cannot be carried out.
    Problem(ActionProblem),
    /// The record would be so large that the person is asked first.
    Size(RecordCost),
    /// All work is committed; a branch would keep the commits.
    Branch(Box<BranchPlan>),
    /// closeout may not ask automatically now.
    NotAsked(NotAsked),
}

impl From<ActionProblem> for Stop {
    fn from(problem: ActionProblem) -> Stop {
        Stop::Problem(problem)
    }
}

/// Converts the result of one kind of action to the common type.
pub(super) fn finished<T>(
    done: Result<T, impl Into<Stop>>,
    outcome: impl FnOnce(Box<T>) -> ActionOutcome,
) -> ActionFinished {
    match done.map_err(Into::into) {
        Ok(done) => Ok(outcome(Box::new(done))),
        Err(Stop::Problem(problem)) => Err(problem),
        Err(Stop::Size(cost)) => Ok(ActionOutcome::SizeAsked(cost)),
        Err(Stop::Branch(plan)) => Ok(ActionOutcome::BranchPlanned(plan)),
        Err(Stop::NotAsked(why)) => Ok(ActionOutcome::NotAsked(why)),
    }
}

/// What an action gets to work with.
pub(in crate::engine) struct Tools<'a> {
    /// Programs, folders and configuration of this run.
    pub(in crate::engine) config: &'a EngineConfig,
    /// Reports progress; each report replaces the one before.
    pub(in crate::engine) report: &'a (dyn Fn(ActionProgress) + Send + Sync),
    /// Cancels the action, if it can be cancelled.
    pub(in crate::engine) cancel: &'a Cancel,
    /// What programs may lose together while they hang.
    pub(in crate::engine) budget: Budget,
}

impl<'a> Tools<'a> {
    /// The adapter of the agent called `name`.
    pub(super) fn adapter(&self, name: &str) -> Result<&'a Adapter, ActionProblem> {
        let found = self.config.adapters.iter().find(|adapter| adapter.name() == name);
        found.ok_or_else(|| {
            ActionProblem::new(ActionClass::Refused, format!("closeout does not know the agent {name}"))
        })
    }

    /// Reports what is being done now.
    pub(super) fn say(&self, words: &str) {
        (self.report)(ActionProgress { message: words.to_owned(), ..ActionProgress::default() });
    }
}

/// The outcome of an action, even if it panics.
pub(super) fn guarded(action: impl FnOnce() -> ActionFinished) -> ActionOutcome {
    let outcome = catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let message = format!("a defect in closeout: {}", collect::panic_text(&*panic));
        Err(ActionProblem::new(ActionClass::Failed, message)
            .with_next("if it was a rescue, the next one completes it or takes it back"))
    });
    outcome.unwrap_or_else(ActionOutcome::Failed)
}

pub(super) fn cancelled() -> ActionProblem {
    ActionProblem::new(ActionClass::Cancelled, "ended on request, with everything that it had started")
}
