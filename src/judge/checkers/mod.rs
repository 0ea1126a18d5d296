//! The checkers: plan, files and tests against what must hold, alone or combined, with feedback for the agent.
//!
//! Must not: look at anything but the context it is given, or take what cannot be verified for done. The rules are
//! those of `tests/vectors/checkers.json`.
//!
//! *Vacuous*: passed, because there was nothing to check. Such a pass lets an agent stop and proves nothing.
//! *Skipped*: not checked at all.

mod composite;
pub mod configured;
mod feedback;
mod single;

use serde::Serialize;

use crate::model::PlanStep;

/// What has to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checker {
    /// Every step of the plan is done.
    Plan {
        /// Which plan; without one (or with a blank one) there is nothing to enforce.
        plan_type: Option<String>,
    },
    /// All these files are there.
    Files {
        /// Paths from the workspace; blank ones are ignored.
        required: Vec<String>,
    },
    /// Tests were run and none failed.
    Tests,
    /// The answer of a checker that ran elsewhere.
    Static {
        /// Its name.
        id: String,
        /// What it found.
        complete: bool,
        /// What it says. Untrusted text.
        feedback: Option<String>,
    },
    /// A checker that broke while it ran.
    Broken {
        /// Its name.
        id: String,
        /// What went wrong. Untrusted text.
        message: String,
    },
    /// Several checkers, in this order.
    Composite {
        /// How they are combined.
        mode: CompositeMode,
        /// The checkers.
        checkers: Vec<Checker>,
    },
}

/// How a composite combines its checkers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CompositeMode {
    /// All must pass; the first failure ends it.
    #[default]
    All,
    /// One must pass; the first success ends it.
    Any,
}

/// What the checkers look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckContext {
    /// The agent's plan.
    pub plan: PlanSource,
    /// The files that are there; none if there is no file system to look at.
    pub files: Option<Vec<String>>,
    /// Results of tests; none if there are none.
    pub test_results: Option<TestCounts>,
    /// The budget is used up.
    pub is_budget_exhausted: bool,
    /// The deadline has passed.
    pub is_deadline_expired: bool,
}

/// Where a plan would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PlanSource {
    /// The session has no place for a plan.
    NotRegistered,
    /// No plan was made.
    #[default]
    NotMade,
    /// There is a plan and it cannot be read.
    Unreadable,
    /// The steps of the plan.
    Steps(Vec<PlanStep>),
}

/// How many tests passed and failed; none where the results do not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Tests that passed.
    pub n_passed: Option<u64>,
    /// Tests that failed or broke.
    pub n_failed: Option<u64>,
}

/// The answer of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// What was found; none if checking was skipped.
    pub complete: Option<bool>,
    /// What to tell the agent; never empty when incomplete. Holds untrusted text.
    pub feedback: Option<String>,
    /// The names of the `Static` and `Broken` checkers that ran, in their order.
    pub evaluated: Vec<String>,
    /// Nothing was checked: no checker, no budget, or no time.
    pub skipped: bool,
    /// The agent may stop. Not the same as completion.
    pub allow_stop: bool,
    /// It passed because there was nothing to check.
    pub vacuous: bool,
}

/// What one checker found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    is_complete: bool,
    is_vacuous: bool,
    feedback: Option<String>,
}

impl Finding {
    fn passed(feedback: String) -> Self {
        Self { is_complete: true, is_vacuous: false, feedback: Some(feedback) }
    }

    fn vacuous(feedback: &str) -> Self {
        Self { is_complete: true, is_vacuous: true, feedback: Some(feedback.to_owned()) }
    }

    fn failed(feedback: String) -> Self {
        Self { is_complete: false, is_vacuous: false, feedback: Some(feedback) }
    }
}

/// Runs a checker. Total, and linear in its input.
pub fn check(checker: Option<&Checker>, context: &CheckContext) -> CheckOutcome {
    let reason = match checker {
        _ if context.is_budget_exhausted => "not checked: the budget is used up",
        _ if context.is_deadline_expired => "not checked: the deadline has passed",
        None => "not checked: no checker is configured",
        Some(checker) => {
            let mut evaluated = Vec::new();
            let finding = composite::run(checker, context, 0, &mut evaluated);
            return CheckOutcome {
                complete: Some(finding.is_complete),
                feedback: finding.feedback,
                evaluated,
                skipped: false,
                allow_stop: finding.is_complete,
                vacuous: finding.is_vacuous,
            };
        }
    };
    CheckOutcome {
        complete: None,
        feedback: Some(reason.to_owned()),
        evaluated: Vec::new(),
        skipped: true,
        allow_stop: true,
        vacuous: false,
    }
}

#[cfg(test)]
mod tests;
