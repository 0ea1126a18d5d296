//! Rules 1, 2 and 4: one checker at a time.
//!
//! Must not pass what cannot be verified.

use std::collections::HashSet;

use super::checker::{Finding, PlanSource, TestCounts};
use super::feedback::{first_titles, one_line};
use crate::model::PlanStep;
use crate::present::phrases::checker as say;

/// The only status that makes a step done.
const DONE: &str = "done";

/// Checks that every step of the plan is done.
pub(super) fn plan(plan_type: Option<&str>, plan: &PlanSource) -> Finding {
    if plan_type.is_none_or(|plan_type| plan_type.trim().is_empty()) {
        return Finding::vacuous(say::no_plan_type());
    }
    match plan {
        PlanSource::NotRegistered => Finding::vacuous(say::no_plan_kept()),
        PlanSource::NotMade => Finding::vacuous(say::no_plan()),
        PlanSource::Unreadable => Finding::failed(say::unreadable_plan().to_owned()),
        PlanSource::Steps(steps) if steps.is_empty() => Finding::vacuous(say::empty_plan()),
        PlanSource::Steps(steps) => plan_steps(steps),
    }
}

fn plan_steps(steps: &[PlanStep]) -> Finding {
    let open = || steps.iter().enumerate().filter(|(_, step)| step.status.as_deref() != Some(DONE));
    let n_steps = steps.len();
    match open().count() {
        0 => Finding::passed(say::steps_done(n_steps)),
        n_open => {
            let title = |(index, step): (usize, &PlanStep)| match one_line(&step.title) {
                title if title.is_empty() => say::untitled(index + 1),
                title => title,
            };
            let titles = first_titles(open().map(title), n_open);
            Finding::failed(match n_steps {
                1 => say::step_open(titles),
                _ => say::steps_open(n_open, n_steps, titles),
            })
        }
    }
}

/// Checks that all required files exist.
pub(super) fn files(required: &[String], files: Option<&[String]>) -> Finding {
    let required: Vec<&str> =
        required.iter().map(|path| plain_path(path)).filter(|path| !path.is_empty()).collect();
    if required.is_empty() {
        return Finding::vacuous(say::no_files());
    }
    let Some(files) = files else {
        let titles = first_titles(required.iter().map(|path| one_line(path)), required.len());
        return Finding::failed(say::no_file_system(titles));
    };
    let there: HashSet<&str> = files.iter().map(|path| plain_path(path)).collect();
    let missing = || required.iter().filter(|path| !there.contains(**path));
    let n_required = required.len();
    match missing().count() {
        0 => Finding::passed(say::files_there(n_required)),
        n_missing => {
            let titles = first_titles(missing().map(|path| one_line(path)), n_missing);
            Finding::failed(match n_required {
                1 => say::file_missing(titles),
                _ => say::files_missing(n_missing, n_required, titles),
            })
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
        None => Finding::failed(say::no_test_results().to_owned()),
        Some((n_passed, Some(n_failed @ 1..))) => match n_passed {
            Some(n_passed @ 1..) => {
                Finding::failed(say::tests_fail(n_failed, n_failed.saturating_add(n_passed)))
            }
            Some(0) | None => Finding::failed(say::tests_failed(n_failed)),
        },
        Some((Some(0), Some(0))) => Finding::vacuous(say::no_tests()),
        Some((Some(n_passed), Some(0))) => Finding::passed(say::tests_pass(n_passed)),
        Some((None, _) | (_, None)) => Finding::failed(say::no_test_counts().to_owned()),
    }
}

/// The finding of a custom checker.
pub(super) fn stated(id: &str, is_complete: bool, feedback: Option<&str>) -> Finding {
    let feedback = feedback.map(str::trim).filter(|feedback| !feedback.is_empty()).map(str::to_owned);
    let feedback = match feedback {
        None if !is_complete => Some(say::no_reason(one_line(id))),
        feedback => feedback,
    };
    Finding { is_complete, is_vacuous: false, feedback }
}

/// The finding of a custom checker that broke.
pub(super) fn broken(id: &str, message: &str) -> Finding {
    Finding::failed(match one_line(message) {
        message if message.is_empty() => say::broken(one_line(id)),
        message => say::broken_by(one_line(id), message),
    })
}
