//! What one check found. No check is run here.

use crate::model::CheckResult;

/// What one check found.
pub(super) struct Finding {
    pub(super) result: CheckResult,
    pub(super) feedback: String,
    pub(super) output: String,
}

impl Finding {
    pub(super) fn new(result: CheckResult, feedback: impl Into<String>) -> Finding {
        Finding { result, feedback: feedback.into(), output: String::new() }
    }
}
