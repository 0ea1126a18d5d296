//! Rules 1, 2 and 4: one checker at a time.
//!
//! Must not pass what cannot be verified.

use std::collections::HashSet;

use super::checker::{Finding, PlanSource, TestCounts};
use super::feedback::{first_titles, one_line};
use crate::model::PlanStep;

/// The only status that makes a step done.
const DONE: &str = "done";

/// Checks that every step of the plan is done.
pub(super) fn plan(plan_type: Option<&str>, plan: &PlanSource) -> Finding {
    if plan_type.is_none_or(|plan_type| plan_type.trim().is_empty()) {
        return Finding::vacuous("no plan type is configured, so no plan is checked");
    }
    match plan {
        PlanSource::NotRegistered => Finding::vacuous("this session keeps no plan"),
        PlanSource::NotMade => Finding::vacuous("no plan was made"),
        PlanSource::Unreadable => {
            Finding::failed("the plan cannot be read, so its steps cannot be verified".to_owned())
        }
        PlanSource::Steps(steps) if steps.is_empty() => Finding::vacuous("the plan has no steps"),
        PlanSource::Steps(steps) => plan_steps(steps),
    }
}

fn plan_steps(steps: &[PlanStep]) -> Finding {
    let open = || steps.iter().enumerate().filter(|(_, step)| step.status.as_deref() != Some(DONE));
    let n_steps = steps.len();
    match open().count() {
        0 => Finding::passed(format!("all {n_steps} plan steps are done")),
        n_open => {
            let title = |(index, step): (usize, &PlanStep)| match one_line(&step.title) {
                title if title.is_empty() => format!("(step {} without a title)", index + 1),
                title => title,
            };
            let titles = first_titles(open().map(title), n_open);
            Finding::failed(format!("{n_open} of {n_steps} plan steps are not done: {titles}"))
        }
    }
}

/// Checks that all required files exist.
pub(super) fn files(required: &[String], files: Option<&[String]>) -> Finding {
    let required: Vec<&str> =
        required.iter().map(|path| plain_path(path)).filter(|path| !path.is_empty()).collect();
    if required.is_empty() {
        return Finding::vacuous("no files are required");
    }
    let Some(files) = files else {
        let titles = first_titles(required.iter().map(|path| one_line(path)), required.len());
        return Finding::failed(format!(
            "there is no file system in which the required files could be verified: {titles}"
        ));
    };
    let there: HashSet<&str> = files.iter().map(|path| plain_path(path)).collect();
    let missing = || required.iter().filter(|path| !there.contains(**path));
    let n_required = required.len();
    match missing().count() {
        0 => Finding::passed(format!("all {n_required} required files are there")),
        n_missing => {
            let titles = first_titles(missing().map(|path| one_line(path)), n_missing);
            Finding::failed(format!("{n_missing} of {n_required} required files are missing: {titles}"))
        }
    }
}

/// A path without surrounding whitespace and leading `./`.
fn plain_path(path: &str) -> &str {
    let mut path = path.trim();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path
}

/// Checks that tests were run and none failed.
pub(super) fn tests(results: Option<TestCounts>) -> Finding {
    match results.map(|counts| (counts.n_passed, counts.n_failed)) {
        None => Finding::failed("there are no test results: run the tests".to_owned()),
        Some((n_passed, Some(n_failed @ 1..))) => match n_passed {
            Some(n_passed) => {
                Finding::failed(format!("{n_failed} of {} tests fail", n_failed.saturating_add(n_passed)))
            }
            None => Finding::failed(format!("{n_failed} tests fail")),
        },
        Some((Some(0), Some(0))) => Finding::vacuous("no tests were run"),
        Some((Some(n_passed), Some(0))) => Finding::passed(format!("all {n_passed} tests pass")),
        Some((None, _) | (_, None)) => {
            Finding::failed("the test results do not say how many tests passed and failed".to_owned())
        }
    }
}

/// The finding of a custom checker.
pub(super) fn stated(id: &str, is_complete: bool, feedback: Option<&str>) -> Finding {
    let feedback = feedback.map(str::trim).filter(|feedback| !feedback.is_empty()).map(str::to_owned);
    let feedback = match feedback {
        None if !is_complete => Some(format!("the check `{}` is not met, and gives no reason", one_line(id))),
        feedback => feedback,
    };
    Finding { is_complete, is_vacuous: false, feedback }
}

/// The finding of a custom checker that broke.
pub(super) fn broken(id: &str, message: &str) -> Finding {
    let reason = match one_line(message) {
        message if message.is_empty() => String::new(),
        message => format!(": {message}"),
    };
    Finding::failed(format!("the check `{}` could not be run{reason}", one_line(id)))
}
