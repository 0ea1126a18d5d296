//! What a checker asks for, what it looks at, and what it finds: plain values without a rule.

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
