//! The row of one check that a person configured. Must not combine checks.

use crate::model::{
    CheckPlace, CheckRecord, CheckResult, Claim, ConfiguredCheck, Evidence, Fact, Origin, Point, Pointer,
    Reason, Rejection, Source,
};

/// A check's position among the others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The group around it is met without it.
    pub(super) is_covered: bool,
    /// A group of which one is enough is met by another check.
    pub(super) is_spared: bool,
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
    let provenance = record.map_or(Origin::Check.as_read(), |record| Origin::Check.at(record.at));
    let row = |claim| Evidence::claim(Source::Command, name.clone(), claim, provenance.clone());
    let silent = |reason: Fact| row(Claim::Abstain(Rejection::Undecided)).because(reason);
    let claim = |claim, reason: Reason| {
        let evidence = row(claim).because(reason);
        Evidence { points: vec![Point::Check(check.name.clone())], ..evidence }
    };
    let Some(record) = record else {
        if check.place == CheckPlace::Ci && !place.is_spared {
            return silent(Fact::UnseenInCi);
        }
        return match (place.is_covered, place.is_after_failure) {
            (true, _) => silent(Fact::NotNeeded),
            (false, true) => silent(Fact::BehindFailure),
            (false, false) => claim(Claim::No, Fact::NotRun.into()),
        };
    };
    let feedback = Reason::Words(record.feedback.clone());
    let evidence = match record.result {
        CheckResult::Passed => Evidence { points: Vec::new(), ..claim(Claim::Yes, feedback) },
        CheckResult::Failed if failed_before => silent(Fact::FailedBefore).because(feedback),
        CheckResult::Failed | CheckResult::Broken if place.is_covered => {
            silent(Fact::Covered).because(feedback)
        }
        CheckResult::Failed | CheckResult::Broken => claim(Claim::No, feedback),
    };
    let excerpt = Some(record.output.clone()).filter(|output| !output.is_empty());
    let pointer =
        excerpt.map(|excerpt| Box::new(Pointer { place: check.name.clone(), excerpt: Some(excerpt) }));
    Evidence { pointer, ..evidence }
}

/// The row of a check that every look reads.
pub(super) fn of_read(evidence: Evidence, place: Place) -> Evidence {
    if place.is_covered && evidence.claim == Claim::No {
        return evidence.rejected(Rejection::Undecided, Fact::Covered);
    }
    evidence
}
