//! The row of one check that a person configured. Must not combine checks.

use crate::model::{
    CheckRecord, CheckResult, Claim, ConfiguredCheck, Evidence, Point, Pointer, Rejection, Source,
};

/// The advice for a check that has not run.
pub(super) const NOT_RUN: &str = "not run since the last change; `closeout check --run-checks` runs it";

/// A check's position among the others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The group around it is met without it.
    pub(super) is_covered: bool,
    /// A check before it ended the run.
    pub(super) is_after_failure: bool,
}

/// The row of a check that is run.
pub(super) fn of_run(
    check: &ConfiguredCheck,
    record: Option<&CheckRecord>,
    failed_before: bool,
    place: Place,
) -> Evidence {
    let name = check.row_name();
    let silent =
        |reason: &str| Evidence::abstain(Source::Command, name.clone(), Rejection::Undecided).because(reason);
    let claim = |claim, reason: &str| {
        let evidence = Evidence::claim(Source::Command, name.clone(), claim).because(reason);
        Evidence { points: vec![Point::Check(check.name.clone())], ..evidence }
    };
    let Some(record) = record else {
        return match (place.is_covered, place.is_after_failure) {
            (true, _) => silent("not run: the others are enough"),
            (false, true) => silent("not run: one before it is not met"),
            (false, false) => claim(Claim::No, NOT_RUN),
        };
    };
    let evidence = match record.result {
        CheckResult::Passed => Evidence { points: Vec::new(), ..claim(Claim::Yes, &record.feedback) },
        CheckResult::Failed if failed_before => {
            silent("it failed before the work began, too").because(record.feedback.as_str())
        }
        CheckResult::Failed | CheckResult::Broken if place.is_covered => {
            silent("not met, and the others are enough").because(record.feedback.as_str())
        }
        CheckResult::Failed | CheckResult::Broken => claim(Claim::No, &record.feedback),
    };
    let excerpt = Some(record.output.clone()).filter(|output| !output.is_empty());
    let pointer = excerpt.map(|excerpt| Pointer { place: check.name.clone(), excerpt: Some(excerpt) });
    Evidence { pointer, ..evidence.at(Some(record.at)) }
}

/// The row of a check that every look reads.
pub(super) fn of_read(evidence: Evidence, place: Place) -> Evidence {
    if place.is_covered && evidence.claim == Claim::No {
        return evidence.rejected(Rejection::Undecided, "not met, and the others are enough");
    }
    evidence
}
