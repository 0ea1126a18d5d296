//! Runs in the record: tests, builds, lints and type checks that an agent ran, how each ended, and whether
//! files were changed after it. Pure and total.
//!
//! A run that failed stays red until the same or a wider one passes; any change of a file ends a green. What
//! hides an exit code, and what a tool prints instead, is told apart per command; nothing is guessed: what
//! cannot be told is unknown. The tools stand in `assets/checks.toml`.

mod catalog;
mod edits;
mod lines;
mod outcome;
mod read;
mod script;
mod tokens;
mod wrapper;

pub use catalog::Catalog;

use edits::is_in_tree;
use read::{CommandFacts, FoundRun};

use crate::model::{
    ActingRun, CheckKind, CheckRun, Deed, RunOutcome, RunsSummary, StepMoment, Task, TurnHistory, TurnStep,
};

/// More runs, acts and endless commands of one session are not kept; the oldest go.
const MOST_KEPT: usize = 400;
/// Words of a task that is about its checks: what failed before it is what it has to mend.
const ABOUT_CHECKS: [&str; 26] = [
    "test",
    "fail",
    "red",
    "green",
    "build",
    "lint",
    "clippy",
    "ci",
    "pipeline",
    "error",
    "warning",
    "broken",
    "compile",
    "type check",
    "typecheck",
    "テスト",
    "失敗",
    "エラー",
    "ビルド",
    "测试",
    "失败",
    "错误",
    "테스트",
    "실패",
    "prueba",
    "fehl",
];

/// What the runs of a session say of `task`; of the whole session where there is none. `home` is the folder of
/// the session, to which paths are compared.
pub fn summarize(
    history: &TurnHistory,
    task: Option<&Task>,
    home: Option<&str>,
    catalog: &Catalog,
) -> RunsSummary {
    let begin = task.map_or(0, |task| task.begin);
    let mut fold = Fold { home, begin, ..Fold::default() };
    for turn in &history.turns {
        fold.is_partial |= turn.is_missing_steps;
        for step in &turn.steps {
            fold.take(step, catalog);
        }
    }
    fold.is_partial |= !history.is_whole && task.is_none_or(|task| task.is_begin_unread);
    fold.summary(task.is_some_and(is_about_checks))
}

/// A place between the steps: an edit in the same command can stand before or behind a run of it.
type Place = (u64, u8);

/// What was read so far.
#[derive(Debug, Default)]
struct Fold<'a> {
    home: Option<&'a str>,
    begin: u64,
    runs: Vec<(Run, Place)>,
    edits: Vec<(StepMoment, Place)>,
    edited_paths: Vec<&'a str>,
    acts: Vec<ActingRun>,
    endless: Vec<String>,
    is_partial: bool,
}

/// A run with what tells whether another one is the same or wider.
#[derive(Debug, Clone)]
struct Run {
    told: CheckRun,
    narrowed_by: Vec<String>,
    runs_others: bool,
    covers: Vec<String>,
}

impl<'a> Fold<'a> {
    fn take(&mut self, step: &'a TurnStep, catalog: &Catalog) {
        let moment = StepMoment { order: step.order, at: step.at };
        match &step.deed {
            Deed::Command(run) => {
                let facts = read::read(run, self.home, catalog);
                self.take_command(facts, moment);
            }
            Deed::Edit { paths, was_done: true } => {
                let inside: Vec<&str> = paths
                    .iter()
                    .map(String::as_str)
                    .filter(|path| is_in_tree(path, None, self.home))
                    .collect();
                if !inside.is_empty() || paths.is_empty() {
                    self.edits.push((moment, (step.order, 2)));
                    if step.order >= self.begin {
                        self.edited_paths.extend(inside);
                    }
                }
            }
            // What a subagent or another tool did is not known.
            Deed::SentOff { .. } | Deed::Other { .. } => self.edits.push((moment, (step.order, 2))),
            Deed::Edit { was_done: false, .. } | Deed::Asked { .. } => {}
        }
    }

    fn take_command(&mut self, facts: CommandFacts<'_>, moment: StepMoment) {
        if facts.is_edit {
            let side = if facts.is_edit_before_runs { 0 } else { 2 };
            self.edits.push((moment, (moment.order, side)));
        }
        for found in facts.runs {
            if self.runs.len() >= 2 * MOST_KEPT {
                self.runs.drain(..MOST_KEPT);
                self.is_partial = true;
            }
            self.runs.push((Run::of(found, moment), (moment.order, 1)));
        }
        if moment.order >= self.begin {
            let acts = facts.acts.into_iter();
            self.acts.extend(acts.map(|(act, command)| ActingRun { act: act.to_owned(), command, moment }));
            self.endless.extend(facts.endless);
            self.acts.truncate(MOST_KEPT);
            self.endless.truncate(MOST_KEPT);
        }
    }

    fn summary(self, is_about_checks: bool) -> RunsSummary {
        let last_edit = self.edits.iter().map(|(_, place)| *place).max();
        let mut runs: Vec<Run> = Vec::with_capacity(self.runs.len());
        for (mut run, place) in self.runs.iter().cloned() {
            run.told.is_edited_after = last_edit.is_some_and(|edit| edit > place);
            runs.push(run);
        }
        let in_task = |moment: StepMoment| moment.order >= self.begin;
        let first_edit = self.edits.iter().map(|(moment, _)| moment.order).find(|order| *order >= self.begin);
        let is_known_before = |red: &Run| {
            if is_about_checks {
                return false;
            }
            if !in_task(red.told.moment) {
                return true;
            }
            let Some(first_edit) = first_edit else { return false };
            let before =
                runs.iter().rev().find(|run| run.told.moment.order < first_edit && run.is_same_as(red));
            before.is_some_and(|before| {
                before.told.outcome == RunOutcome::Failed && red.fails_no_more_than(before)
            })
        };
        let (red_before, red): (Vec<&Run>, Vec<&Run>) =
            still_red(&runs).into_iter().partition(|red| is_known_before(red));
        let edits_in_task: Vec<Place> =
            self.edits.iter().filter(|(moment, _)| in_task(*moment)).map(|(_, place)| *place).collect();
        let has_ended = |run: &Run| matches!(run.told.outcome, RunOutcome::Passed | RunOutcome::Failed);
        let is_tested = runs.iter().any(|run| {
            run.told.kind == CheckKind::Test
                && has_ended(run)
                && !run.told.is_edited_after
                && in_task(run.told.moment)
        });
        let is_red = red.iter().any(|run| run.told.kind == CheckKind::Test);
        let proves = |run: &&Run| {
            run.told.kind == CheckKind::Test
                && run.told.outcome == RunOutcome::Passed
                && !run.told.is_part
                && !run.told.is_edited_after
                && in_task(run.told.moment)
                && is_above(run.told.folder.as_deref(), &self.edited_paths, self.home)
        };
        RunsSummary {
            last: last_of_each(&runs).into_iter().filter(|run| in_task(run.moment)).collect(),
            red: red.into_iter().map(|run| run.told.clone()).collect(),
            red_before: red_before.into_iter().map(|run| run.told.clone()).collect(),
            proof: runs.iter().rev().find(proves).filter(|_| !is_red).map(|run| run.told.clone()),
            last_edit: self
                .edits
                .iter()
                .filter(|(moment, _)| in_task(*moment))
                .map(|(moment, _)| *moment)
                .max(),
            is_untested: !edits_in_task.is_empty() && !is_tested,
            acts: self.acts,
            endless: self.endless,
            is_partial: self.is_partial,
        }
    }
}

impl Run {
    fn of(found: FoundRun<'_>, moment: StepMoment) -> Run {
        let FoundRun { tool, command, folder, is_part, outcome, told_by, report, narrowed_by } = found;
        let failing = if outcome == RunOutcome::Failed { report.failing } else { Vec::new() };
        Run {
            told: CheckRun {
                tool: tool.name.clone(),
                kind: tool.kind,
                command,
                folder,
                outcome,
                told_by,
                is_part,
                moment,
                is_edited_after: false,
                failing,
                summary: report.summary,
            },
            narrowed_by,
            runs_others: tool.runs_others,
            covers: tool.covers.clone(),
        }
    }

    fn is_same_as(&self, other: &Run) -> bool {
        self.told.tool == other.told.tool
            && self.told.folder == other.told.folder
            && self.narrowed_by == other.narrowed_by
    }

    /// Whether this run looks at all that `other` looked at.
    fn is_as_wide_as(&self, other: &Run) -> bool {
        if self.is_same_as(other) {
            return true;
        }
        let is_tool = self.told.tool == other.told.tool
            || self.covers.contains(&other.told.tool)
            || self.runs_others && !other.runs_others && self.told.kind == other.told.kind;
        is_tool
            && !self.told.is_part
            && is_folder_above(self.told.folder.as_deref(), other.told.folder.as_deref())
    }

    /// Whether what fails here failed there too, by the names of it.
    fn fails_no_more_than(&self, before: &Run) -> bool {
        let failing = &self.told.failing;
        !failing.is_empty() && failing.iter().all(|name| before.told.failing.contains(name))
    }
}

/// The runs that failed, each the last of its kind, with no same or wider one that passed since.
fn still_red(runs: &[Run]) -> Vec<&Run> {
    let is_ended_by = |red: &Run, later: &Run| match later.told.outcome {
        RunOutcome::Passed => later.is_as_wide_as(red),
        // The same run again is told of in its place.
        RunOutcome::Failed => later.is_same_as(red),
        RunOutcome::CouldNotStart | RunOutcome::Empty | RunOutcome::Unknown => false,
    };
    let is_red = |(at, red): &(usize, &Run)| {
        red.told.outcome == RunOutcome::Failed && !runs[at + 1..].iter().any(|later| is_ended_by(red, later))
    };
    runs.iter().enumerate().filter(is_red).map(|(_, red)| red).collect()
}

/// The last run of each check, in their order.
fn last_of_each(runs: &[Run]) -> Vec<CheckRun> {
    let is_last = |(at, run): &(usize, &Run)| !runs[at + 1..].iter().any(|later| later.is_same_as(run));
    runs.iter().enumerate().filter(is_last).map(|(_, run)| run.told.clone()).collect()
}

/// Whether a run in `folder` is above every file that was changed.
fn is_above(folder: Option<&str>, paths: &[&str], home: Option<&str>) -> bool {
    let Some(folder) = folder else { return true };
    let below_home = |path: &str| -> Option<String> {
        match home.and_then(|home| path.strip_prefix(home.trim_end_matches('/'))) {
            Some(below) => Some(below.trim_start_matches('/').to_owned()),
            None if path.starts_with('/') => None,
            None => Some(path.trim_start_matches("./").to_owned()),
        }
    };
    let prefix = format!("{}/", folder.trim_end_matches('/'));
    paths.iter().all(|path| {
        path.starts_with(&prefix) || below_home(path).is_some_and(|path| path.starts_with(&prefix))
    })
}

/// Whether `above` is `below` or a folder above it; `None` is the session's own.
fn is_folder_above(above: Option<&str>, below: Option<&str>) -> bool {
    match (above, below) {
        (None, None) => true,
        (None, Some(below)) => !below.starts_with(['/', '~', '$']) && !below.starts_with(".."),
        (Some(_), None) => false,
        (Some(above), Some(below)) => {
            below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
    }
}

/// Whether what the task asks for are its checks.
fn is_about_checks(task: &Task) -> bool {
    let texts = [&task.first_prompt, &task.last_prompt].map(|text| text.to_lowercase());
    texts.iter().any(|text| ABOUT_CHECKS.iter().any(|word| has_word(text, word)))
}

/// Whether a word begins with `begin`; in scripts without blanks, whether it stands anywhere.
fn has_word(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + begin.len()..].chars().next();
        !begin.is_ascii()
            || !before.is_some_and(char::is_alphanumeric)
                && (begin.len() > 3 || !after.is_some_and(char::is_alphanumeric))
    })
}
