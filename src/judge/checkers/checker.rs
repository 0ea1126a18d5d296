//! The input, configuration and findings of the checkers as plain values. Must not contain a rule.

use serde::Serialize;

use crate::model::PlanStep;

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checker {
    /// Every step of the plan is done.
    Plan {
        /// Which plan; if missing or blank, there is nothing to enforce.
        plan_type: Option<String>,
    },
    /// All these files exist.
    Files {
        /// Paths relative to the workspace; blank ones are ignored.
        required: Vec<String>,
    },
    /// Tests were run, and none failed.
    Tests,
    /// The answer of a checker that ran elsewhere.
    Static {
        /// Its name.
        id: String,
        /// Whether it found the work complete.
        complete: bool,
        /// Its feedback. Untrusted.
        feedback: Option<String>,
    },
    /// A checker that broke while running.
    Broken {
        /// Its name.
        id: String,
        /// What went wrong. Untrusted.
        message: String,
    },
    /// Several checkers, run in this order.
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
    /// All must pass; the first failure stops the run.
    #[default]
    All,
    /// One must pass; the first success stops the run.
    Any,
}

/// What the checkers look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckContext {
    /// The agent's plan.
    pub plan: PlanSource,
    /// The files that exist; `None` if there is no file system to look at.
    pub files: Option<Vec<String>>,
    /// The results of tests, if there are any.
    pub test_results: Option<TestCounts>,
    /// Whether the budget is used up.
    pub is_budget_exhausted: bool,
    /// Whether the deadline has passed.
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
    /// There is a plan, but it cannot be read.
    Unreadable,
    /// The steps of the plan.
    Steps(Vec<PlanStep>),
}

/// How many tests passed and failed; `None` where the results do not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Tests that passed.
    pub n_passed: Option<u64>,
    /// Tests that failed or broke.
    pub n_failed: Option<u64>,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// Whether the work is complete; `None` if checking was skipped.
    pub complete: Option<bool>,
    /// What to tell the agent; always present and not empty if incomplete. Contains untrusted text.
    pub feedback: Option<String>,
    /// The names of the `Static` and `Broken` checkers that ran, in order.
    pub evaluated: Vec<String>,
    /// Whether nothing was checked: no checker, no budget, or no time.
    pub skipped: bool,
    /// Whether the agent may stop, which is not the same as completion.
    pub allow_stop: bool,
    /// Whether it passed because there was nothing to check.
    pub vacuous: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) is_complete: bool,
    pub(super) is_vacuous: bool,
    pub(super) feedback: Option<String>,
}

impl Finding {
    pub(super) fn passed(feedback: String) -> Self {
        Self { is_complete: true, is_vacuous: false, feedback: Some(feedback) }
    }

    pub(super) fn vacuous(feedback: &str) -> Self {
        Self { is_complete: true, is_vacuous: true, feedback: Some(feedback.to_owned()) }
    }

    pub(super) fn failed(feedback: String) -> Self {
        Self { is_complete: false, is_vacuous: false, feedback: Some(feedback) }
    }
}
