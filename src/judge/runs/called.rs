//! How the last run of a call ended that no file lists, by its exit code alone. Must not know why it was run.

use std::sync::Arc;

use super::exit_says::{ExitSays, exit_says};
use super::script::commands;
use super::wrapper::call_of;
use crate::model::{CommandRun, Deed, Exit, RunOutcome, StepMoment, Turn};

/// The last run of `call` in these turns: how it ended, and where. Its words count in order, whatever stands between
/// them; of a script, its name does.
pub fn last_run<'t>(
    call: &[String],
    turns: impl Iterator<Item = &'t Arc<Turn>>,
) -> Option<(RunOutcome, StepMoment)> {
    let steps = turns.flat_map(|turn| &turn.steps);
    let runs = steps.filter_map(|step| match &step.deed {
        Deed::Command(run) => Some((outcome(run, call)?, StepMoment { order: step.order, at: step.at })),
        Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => None,
    });
    runs.max_by_key(|(_, moment)| moment.order)
}

/// How the call ended in this command line; `None` if the line does not make it.
fn outcome(run: &CommandRun, call: &[String]) -> Option<RunOutcome> {
    // It is looked for at each look: a line is parsed only if it may be the one.
    let is_there = |part: &String| part == "run" || run.command.contains(name_of(part));
    if run.exit == Exit::Refused || !call.iter().all(is_there) {
        return None;
    }
    let commands = commands(&run.command);
    let made = commands.iter().rev().find(|command| makes(&command.words, call))?;
    Some(match exit_says(made, &commands, run) {
        ExitSays::Zero => RunOutcome::Passed,
        ExitSays::NotZero(Some(127 | 126)) => RunOutcome::CouldNotStart,
        ExitSays::NotZero(_) => RunOutcome::Failed,
        ExitSays::InFailedChain | ExitSays::Nothing => RunOutcome::Unknown,
    })
}

/// Whether these words make the call: they begin with its program, and the others follow in order.
fn makes(words: &[String], call: &[String]) -> bool {
    let whole = call_of(words, None).words;
    let mut rest = whole.iter();
    let is_program =
        whole.first().zip(call.first()).is_some_and(|(one, other)| name_of(one) == name_of(other));
    is_program && call.iter().all(|part| part == "run" || rest.any(|word| name_of(word) == name_of(part)))
}

/// A word without its path.
fn name_of(word: &str) -> &str {
    word.trim_end_matches('/').rsplit('/').next().unwrap_or(word)
}
