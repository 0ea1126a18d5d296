//! What the steps of a session mean together within one task: its runs, its edits, and its acts outside. Must
//! not parse commands.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::acts::sends;
use super::checks::Checks;
use super::command::CommandRead;
use super::edits::{is_document, is_in_tree};
use super::run::{Place, Run};
use super::script::joined;
use crate::model::{ActingRun, CheckKind, CheckRun, Deed, EditedAfter, RunsSummary, StepMoment, TurnStep};

/// The most acts and endless commands kept per task.
const MAX_KEPT: usize = 400;

/// The meaning of the steps read so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Fold {
    /// The position at which the task begins.
    pub(super) begin: u64,
    /// The position of the last step.
    last_order: u64,
    checks: Checks,
    last_edit: Option<Place>,
    /// The last one of anything but documents.
    last_code_edit: Option<Place>,
    task: TaskFold,
}

/// What was done in the task.
#[derive(Debug, Clone, Default)]
struct TaskFold {
    /// The position of its first edit.
    first_edit: Option<u64>,
    last_edit: Option<StepMoment>,
    /// The folders of edited files, each with a trailing slash.
    edited_in: BTreeSet<Arc<str>>,
    acts: Vec<Arc<ActingRun>>,
    likely_acts: Vec<Arc<ActingRun>>,
    failed_act: Option<Arc<ActingRun>>,
    endless: Vec<Arc<str>>,
}

impl Fold {
    /// An empty fold for a task that begins at this position.
    pub(super) fn new(begin: u64) -> Fold {
        Fold { begin, ..Fold::default() }
    }

    /// Switches to a task that begins after every step taken so far; returns false if it does not.
    pub(super) fn begin_task(&mut self, begin: u64) -> bool {
        if begin < self.begin || begin <= self.last_order {
            return false;
        }
        self.begin = begin;
        self.task = TaskFold::default();
        self.checks.begin_task();
        true
    }

    pub(super) fn take(&mut self, step: &TurnStep, command: Option<&CommandRead>, home: Option<&str>) {
        self.last_order = step.order;
        let moment = StepMoment { order: step.order, at: step.at };
        match &step.deed {
            Deed::Command(_) => {
                if let Some(command) = command {
                    self.take_command(command, moment);
                }
            }
            Deed::Edit { paths, was_done: true } => {
                let mut inside = paths.iter().filter(|path| is_in_tree(path, None, home)).peekable();
                if inside.peek().is_some() || paths.is_empty() {
                    let is_code = paths.is_empty() || inside.clone().any(|path| !is_document(path));
                    self.edited(moment, 2, is_code);
                    let folders = inside.map(|path| &path[..path.rfind('/').map_or(0, |at| at + 1)]);
                    if self.is_in_task(moment) {
                        self.task.edited_in.extend(folders.map(Arc::from));
                    }
                }
            }
            // What another tool did is unknown, and so is what a subagent did whose steps were not read.
            Deed::SentOff { was_read: false, .. } | Deed::Other { .. } => self.edited(moment, 2, true),
            Deed::Edit { was_done: false, .. }
            | Deed::Asked { .. }
            | Deed::SentOff { was_read: true, .. } => {}
        }
    }

    fn is_in_task(&self, moment: StepMoment) -> bool {
        moment.order >= self.begin
    }

    fn edited(&mut self, moment: StepMoment, side: u8, is_code: bool) {
        let place = Some((moment.order, side));
        self.last_edit = self.last_edit.max(place);
        self.last_code_edit = self.last_code_edit.max(place.filter(|_| is_code));
        if self.is_in_task(moment) {
            self.task.first_edit.get_or_insert(moment.order);
            self.task.last_edit = self.task.last_edit.max(Some(moment));
        }
    }

    fn take_command(&mut self, command: &CommandRead, moment: StepMoment) {
        if command.is_edit {
            self.edited(moment, if command.is_edit_before_runs { 0 } else { 2 }, true);
        }
        for run in &command.runs {
            let is_before_edits = self.task.first_edit.is_none_or(|edit| moment.order < edit);
            self.checks.take(run, is_before_edits);
        }
        self.checks.forget_files(&command.removed);
        if self.is_in_task(moment) {
            if command.failed_act.is_some() || command.acts.iter().any(|act| sends(&act.act)) {
                self.task.failed_act.clone_from(&command.failed_act);
            }
            self.task.acts.extend(command.acts.iter().cloned());
            self.task.likely_acts.extend(command.likely_acts.iter().cloned());
            self.task.endless.extend(command.endless.iter().cloned());
            self.task.acts.truncate(MAX_KEPT);
            self.task.likely_acts.truncate(MAX_KEPT);
            self.task.endless.truncate(MAX_KEPT);
        }
    }

    /// What the steps mean for the task.
    pub(super) fn summary(self, is_about_checks: bool, home: Option<&str>) -> RunsSummary {
        let in_task = |moment: StepMoment| self.is_in_task(moment);
        let is_beside = |run: &Run| {
            !is_above(run.facts.folder.as_deref(), &self.task.edited_in, home)
                || run.picks_others(self.task.edited_in.iter().map(AsRef::as_ref))
        };
        let told = |run: &Run| CheckRun {
            edited_after: match () {
                () if run.is_before(self.last_code_edit) => EditedAfter::Anything,
                () if run.is_before(self.last_edit) => EditedAfter::Documents,
                () => EditedAfter::Nothing,
            },
            is_beside: is_beside(run),
            ..run.facts.clone()
        };
        let is_known_before = |red: &Run| {
            let is_old = || {
                !in_task(red.facts.moment)
                    || self.task.first_edit.is_some() && self.checks.is_red_since_before(red)
            };
            !is_about_checks && is_old()
        };
        let (red_before, red): (Vec<&Run>, Vec<&Run>) =
            self.checks.still_red().into_iter().partition(|red| is_known_before(red));
        let is_red = red.iter().any(|run| run.facts.kind == CheckKind::Test);
        let proof = self.checks.last_whole_pass(|run| {
            !run.is_before(self.last_edit) && in_task(run.facts.moment) && !is_beside(run)
        });
        let last = self.checks.last_of_each().into_iter();
        RunsSummary {
            last: last.filter(|run| in_task(run.facts.moment)).map(told).collect(),
            red: red.into_iter().map(told).collect(),
            red_before: red_before.into_iter().map(told).collect(),
            proof: proof.filter(|_| !is_red).map(told),
            last_edit: self.task.last_edit,
            is_untested: self.task.last_edit.is_some()
                && !self.checks.is_tested_after(self.last_edit, in_task),
            acts: self.task.acts,
            likely_acts: self.task.likely_acts,
            failed_act: self.task.failed_act,
            endless: self.task.endless,
        }
    }
}

/// Whether a run in `folder` covers every folder in which files were changed.
fn is_above(folder: Option<&str>, edited_in: &BTreeSet<Arc<str>>, home: Option<&str>) -> bool {
    let Some(folder) = folder else { return true };
    // Paths that cannot be related to each other are compared as they are written.
    let full = |path: &str| joined(home, path).unwrap_or_default();
    let prefix = format!("{}/", full(folder).trim_end_matches('/'));
    edited_in.iter().all(|path| format!("{}/", full(path)).starts_with(&prefix))
}
