//! What one check found. No check is run here.

use crate::model::CheckResult;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFinding {
    /// Whether it is met.
    pub result: CheckResult,
    /// In words. Untrusted text.
    pub feedback: String,
    /// What it printed or said in full. Untrusted text.
    pub output: String,
}

impl CheckFinding {
    /// A finding without output.
    pub fn new(result: CheckResult, feedback: impl Into<String>) -> CheckFinding {
        CheckFinding { result, feedback: feedback.into(), output: String::new() }
    }
}
