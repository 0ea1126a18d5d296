//! The finding of one check, as data. It must not run a check.

use crate::model::CheckResult;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFinding {
    /// Whether the check passed, failed or is broken.
    pub result: CheckResult,
    /// The finding in words. Untrusted text.
    pub feedback: String,
    /// What the check printed or said, in full. Untrusted text.
    pub output: String,
}

impl CheckFinding {
    /// Creates a finding without output.
    pub fn new(result: CheckResult, feedback: impl Into<String>) -> CheckFinding {
        CheckFinding { result, feedback: feedback.into(), output: String::new() }
    }
}
