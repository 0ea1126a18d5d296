//! Runs in the record: tests, builds, lints and type checks that an agent ran, how each ended, and whether
//! files were changed after it. Pure and total.
//!
//! A run that failed stays red until the same or a wider one passes; any change of a file ends a green. What
//! hides an exit code, and what a tool prints instead, is told apart per command; nothing is guessed: what
//! cannot be told is unknown. The tools stand in `assets/checks.toml`.

mod calls;
mod catalog;
mod edits;
mod lines;
mod memory;
mod outcome;
mod read;
mod run;
mod script;
mod tokens;
mod wrapper;

pub use catalog::Catalog;
pub use memory::Memory;

use edits::is_in_tree;
use memory::CommandRead;
use run::{Place, Run, last_of_each, still_red};

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
    summarize_again(history, task, home, catalog, &mut Memory::default())
}

/// The same with what was read before of this session.
pub fn summarize_again(
    history: &TurnHistory,
    task: Option<&Task>,
    home: Option<&str>,
    catalog: &Catalog,
    memory: &mut Memory,
) -> RunsSummary {
    let begin = task.map_or(0, |task| task.begin);
    let mut fold = Fold { home, begin, ..Fold::default() };
    for (turn, commands) in memory.follow(&history.turns, home, catalog) {
        fold.is_partial |= turn.is_missing_steps;
        let mut commands = commands.iter();
        for step in &turn.steps {
            fold.take(step, &mut commands);
        }
    }
    fold.is_partial |= !history.is_whole && task.is_none_or(|task| task.is_begin_unread);
    fold.summary(task.is_some_and(is_about_checks))
}

/// What was read so far.
#[derive(Debug, Default)]
struct Fold<'a> {
    home: Option<&'a str>,
    begin: u64,
    runs: Vec<&'a Run>,
    edits: Vec<(StepMoment, Place)>,
    edited_paths: Vec<&'a str>,
    acts: Vec<ActingRun>,
    endless: Vec<String>,
    is_partial: bool,
}

impl<'a> Fold<'a> {
    /// Takes a step; `commands` are what is left of those of its turn.
    fn take(&mut self, step: &'a TurnStep, commands: &mut std::slice::Iter<'a, CommandRead>) {
        let moment = StepMoment { order: step.order, at: step.at };
        match &step.deed {
            Deed::Command(_) => {
                if let Some(command) = commands.next() {
                    self.take_command(command, moment);
                }
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

    fn take_command(&mut self, command: &'a CommandRead, moment: StepMoment) {
        if command.is_edit {
            let side = if command.is_edit_before_runs { 0 } else { 2 };
            self.edits.push((moment, (moment.order, side)));
        }
        for run in &command.runs {
            if self.runs.len() >= 2 * MOST_KEPT {
                self.runs.drain(..MOST_KEPT);
                self.is_partial = true;
            }
            self.runs.push(run);
        }
        if moment.order >= self.begin {
            self.acts.extend(command.acts.iter().cloned());
            self.endless.extend(command.endless.iter().cloned());
            self.acts.truncate(MOST_KEPT);
            self.endless.truncate(MOST_KEPT);
        }
    }

    fn summary(self, is_about_checks: bool) -> RunsSummary {
        let last_edit = self.edits.iter().map(|(_, place)| *place).max();
        let is_edited_after = |run: &Run| last_edit.is_some_and(|edit| edit > run.place());
        let told = |run: &Run| CheckRun { is_edited_after: is_edited_after(run), ..run.told.clone() };
        let runs = self.runs.as_slice();
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
            still_red(runs).into_iter().partition(|red| is_known_before(red));
        let edits_in_task: Vec<Place> =
            self.edits.iter().filter(|(moment, _)| in_task(*moment)).map(|(_, place)| *place).collect();
        let has_ended = |run: &Run| matches!(run.told.outcome, RunOutcome::Passed | RunOutcome::Failed);
        let is_tested = runs.iter().any(|run| {
            run.told.kind == CheckKind::Test
                && has_ended(run)
                && !is_edited_after(run)
                && in_task(run.told.moment)
        });
        let is_red = red.iter().any(|run| run.told.kind == CheckKind::Test);
        let proves = |run: &&&Run| {
            run.told.kind == CheckKind::Test
                && run.told.outcome == RunOutcome::Passed
                && !run.told.is_part
                && !is_edited_after(run)
                && in_task(run.told.moment)
                && is_above(run.told.folder.as_deref(), &self.edited_paths, self.home)
        };
        RunsSummary {
            last: last_of_each(runs).filter(|run| in_task(run.told.moment)).map(told).collect(),
            red: red.into_iter().map(told).collect(),
            red_before: red_before.into_iter().map(told).collect(),
            proof: runs.iter().rev().find(proves).filter(|_| !is_red).map(|run| told(run)),
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
