//! The checks of a session: of each the runs that can still decide, so that a run more costs what it is and not what
//! ran before it.

use std::sync::Arc;

use super::run::{Place, Run};
use crate::model::{CheckKind, RunOutcome, StepMoment};

/// More checks are not kept; the one that ran longest ago goes.
const MOST_CHECKS: usize = 400;

/// The checks of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Checks {
    known: Vec<Check>,
    n_runs: usize,
    /// True when checks were dropped.
    pub(super) is_cut: bool,
}

/// A run with its number among all runs.
type Numbered = (usize, Arc<Run>);

/// The runs of one check that can still decide.
#[derive(Debug, Clone)]
struct Check {
    last: Numbered,
    passed: Option<Numbered>,
    failed: Option<Numbered>,
    /// The last run of all of it that passed.
    whole: Option<Numbered>,
    /// The last run before the first edit of the task.
    before_edits: Option<Arc<Run>>,
}

impl Checks {
    /// Takes a run; `is_before_edits` as long as nothing was edited in the task.
    pub(super) fn take(&mut self, run: &Arc<Run>, is_before_edits: bool) {
        let last = (self.n_runs, Arc::clone(run));
        self.n_runs += 1;
        let known = self.known.iter().position(|check| check.last.1.is_same_as(run));
        let at = known.unwrap_or_else(|| {
            self.make_room();
            let check =
                Check { last: last.clone(), passed: None, failed: None, whole: None, before_edits: None };
            self.known.push(check);
            self.known.len() - 1
        });
        let check = &mut self.known[at];
        if is_before_edits {
            check.before_edits = Some(Arc::clone(run));
        }
        match run.told.outcome {
            RunOutcome::Passed => {
                check.passed = Some(last.clone());
                if !run.told.is_part {
                    check.whole = Some(last.clone());
                }
            }
            RunOutcome::Failed => check.failed = Some(last.clone()),
            RunOutcome::CouldNotStart | RunOutcome::Empty | RunOutcome::Unknown => {}
        }
        check.last = last;
    }

    fn make_room(&mut self) {
        if self.known.len() < MOST_CHECKS {
            return;
        }
        let oldest = (0..self.known.len()).min_by_key(|at| self.known[*at].last.0);
        if let Some(oldest) = oldest {
            self.known.swap_remove(oldest);
            self.is_cut = true;
        }
    }

    /// A task begins in which nothing was edited yet.
    pub(super) fn begin_task(&mut self) {
        for check in &mut self.known {
            check.before_edits = Some(Arc::clone(&check.last.1));
        }
    }

    /// The last run of each check, in their order.
    pub(super) fn last_of_each(&self) -> Vec<&Run> {
        in_order(self.known.iter().map(|check| &check.last))
    }

    /// The runs that failed, each the last of its check that did, with no same or wider one that passed since.
    pub(super) fn still_red(&self) -> Vec<&Run> {
        let passed: Vec<&Numbered> = self.known.iter().filter_map(|check| check.passed.as_ref()).collect();
        let failed = self.known.iter().filter_map(|check| check.failed.as_ref());
        in_order(failed.filter(|(number, red)| {
            !passed.iter().any(|(later, passed)| later > number && passed.is_as_wide_as(red))
        }))
    }

    /// Whether the same check failed in the same way before the first edit of the task.
    pub(super) fn is_red_since_before(&self, red: &Run) -> bool {
        let check = self.known.iter().find(|check| check.last.1.is_same_as(red));
        check
            .and_then(|check| check.before_edits.as_ref())
            .is_some_and(|before| before.told.outcome == RunOutcome::Failed && red.fails_no_more_than(before))
    }

    /// Whether a run of tests ended after `edit`, and was begun in the task.
    pub(super) fn is_tested_after(&self, edit: Option<Place>, in_task: impl Fn(StepMoment) -> bool) -> bool {
        self.known.iter().filter(|check| check.last.1.told.kind == CheckKind::Test).any(|check| {
            let ended = check.passed.iter().chain(&check.failed).max_by_key(|(number, _)| *number);
            ended.is_some_and(|(_, run)| !run.is_before(edit) && in_task(run.told.moment))
        })
    }

    /// The last run of all tests that passed and that `proves`.
    pub(super) fn last_whole_pass(&self, proves: impl Fn(&Run) -> bool) -> Option<&Run> {
        let whole = self.known.iter().filter_map(|check| check.whole.as_ref());
        let tests = whole.filter(|(_, run)| run.told.kind == CheckKind::Test && proves(run));
        tests.max_by_key(|(number, _)| *number).map(|(_, run)| run.as_ref())
    }
}

fn in_order<'r>(runs: impl Iterator<Item = &'r Numbered>) -> Vec<&'r Run> {
    let mut runs: Vec<&Numbered> = runs.collect();
    runs.sort_unstable_by_key(|(number, _)| *number);
    runs.into_iter().map(|(_, run)| run.as_ref()).collect()
}
