//! The checks of a session, each with the runs that can still decide, so that the cost of another run does
//! not depend on how many came before. Must not read commands.

use std::sync::Arc;

use super::run::{Place, Run};
use crate::model::{CheckKind, RunOutcome, StepMoment};

/// The most checks kept; beyond that, the one that ran longest ago is dropped.
const MAX_CHECKS: usize = 400;

#[derive(Debug, Clone, Default)]
pub(super) struct Checks {
    known: Vec<Check>,
    n_runs: usize,
}

/// A run with its number among all runs.
type Numbered = (usize, Arc<Run>);

/// The runs of one check that can still decide.
#[derive(Debug, Clone)]
struct Check {
    last: Numbered,
    passed: Option<Numbered>,
    failed: Option<Numbered>,
    /// The last complete run that passed.
    whole: Option<Numbered>,
    /// The last run before the task's first edit.
    before_edits: Option<Arc<Run>>,
}

impl Checks {
    /// Takes a run. `is_before_edits` is true until something is edited in the task.
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
        match run.facts.outcome {
            RunOutcome::Passed => {
                check.passed = Some(last.clone());
                if !run.facts.is_part {
                    check.whole = Some(last.clone());
                }
            }
            RunOutcome::Failed => check.failed = Some(last.clone()),
            RunOutcome::CouldNotStart | RunOutcome::Empty | RunOutcome::Unknown => {}
        }
        check.last = last;
    }

    /// Takes out the runs of single files that were removed since: they were a trial.
    pub(super) fn forget_files(&mut self, removed: &[String]) {
        if !removed.is_empty() {
            self.known.retain(|check| !check.last.1.is_of_any(removed));
        }
    }

    fn make_room(&mut self) {
        if self.known.len() < MAX_CHECKS {
            return;
        }
        let oldest = (0..self.known.len()).min_by_key(|at| self.known[*at].last.0);
        if let Some(oldest) = oldest {
            self.known.swap_remove(oldest);
        }
    }

    /// Begins a task in which nothing has been edited yet.
    pub(super) fn begin_task(&mut self) {
        for check in &mut self.known {
            check.before_edits = Some(Arc::clone(&check.last.1));
        }
    }

    /// The last run of each check, in the order they ran.
    pub(super) fn last_of_each(&self) -> Vec<&Run> {
        in_order(self.known.iter().map(|check| &check.last))
    }

    /// For each check, its last failed run, unless the same or a wider run has passed since.
    pub(super) fn still_red(&self) -> Vec<&Run> {
        let passed: Vec<&Numbered> = self.known.iter().filter_map(|check| check.passed.as_ref()).collect();
        let failed = self.known.iter().filter_map(|check| check.failed.as_ref());
        in_order(failed.filter(|(number, red)| {
            !passed.iter().any(|(later, passed)| later > number && passed.is_as_wide_as(red))
        }))
    }

    /// Whether the same check failed in the same way before the task's first edit.
    pub(super) fn is_red_since_before(&self, red: &Run) -> bool {
        let check = self.known.iter().find(|check| check.last.1.is_same_as(red));
        check.and_then(|check| check.before_edits.as_ref()).is_some_and(|before| {
            before.facts.outcome == RunOutcome::Failed && red.fails_no_more_than(before)
        })
    }

    /// Whether a test run that began within the task ended after `edit`.
    pub(super) fn is_tested_after(&self, edit: Option<Place>, in_task: impl Fn(StepMoment) -> bool) -> bool {
        self.known.iter().filter(|check| check.last.1.facts.kind == CheckKind::Test).any(|check| {
            let ended = check.passed.iter().chain(&check.failed).max_by_key(|(number, _)| *number);
            ended.is_some_and(|(_, run)| !run.is_before(edit) && in_task(run.facts.moment))
        })
    }

    /// The last complete test run that passed and for which `proves` holds.
    pub(super) fn last_whole_pass(&self, proves: impl Fn(&Run) -> bool) -> Option<&Run> {
        let whole = self.known.iter().filter_map(|check| check.whole.as_ref());
        let tests = whole.filter(|(_, run)| run.facts.kind == CheckKind::Test && proves(run));
        tests.max_by_key(|(number, _)| *number).map(|(_, run)| run.as_ref())
    }
}

fn in_order<'r>(runs: impl Iterator<Item = &'r Numbered>) -> Vec<&'r Run> {
    let mut runs: Vec<&Numbered> = runs.collect();
    runs.sort_unstable_by_key(|(number, _)| *number);
    runs.into_iter().map(|(_, run)| run.as_ref()).collect()
}
