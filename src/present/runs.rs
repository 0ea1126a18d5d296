//! A supervised run, in words.

use super::phrases::run as say;
use super::{counts, sets};
use crate::model::{CommandEnd, RunOver, RunPhase, RunStatus, RunView};

/// What a live run is doing, for the row of its workspace. Untrusted.
pub(crate) fn in_row(run: &RunView) -> String {
    let what = match &run.question {
        Some(question) => say::asks(question.text.as_str()),
        None => with_points(run),
    };
    say::doing(run.iteration, run.max_iterations, what)
}

/// How a run ended that the user should know about.
pub(crate) fn ended(status: RunStatus) -> String {
    say::ended(sets::run_status(status))
}

/// What became of a run that is over.
pub(super) fn over(over: &RunOver) -> String {
    match over.status {
        Some(status) => say::ended_after(counts::iterations(over.iterations), sets::run_status(status)),
        None => say::cut(over.iterations),
    }
}

/// What a run is doing, and how much its last check left to do.
pub(crate) fn with_points(run: &RunView) -> String {
    let what = does(run.phase);
    match run.open_points.len() {
        0 => what.to_owned(),
        n_points => say::left(what, counts::open_points(n_points)),
    }
}

/// The current iteration of a run.
pub(crate) fn title(run: &RunView) -> String {
    say::title(run.iteration, run.max_iterations)
}

/// How the command of an iteration ended, to follow "the command".
pub(crate) fn command_end(end: CommandEnd) -> String {
    match end {
        CommandEnd::Code(code) => say::by_code(code),
        CommandEnd::Signal(signal) => say::by_signal(signal),
        CommandEnd::StoodStill => say::stood_still().to_owned(),
        CommandEnd::TookTooLong => say::took_too_long().to_owned(),
        CommandEnd::Ended => say::with_run().to_owned(),
        CommandEnd::Unknown => say::with_closeout().to_owned(),
    }
}

/// What a run does in this phase.
pub(super) fn does(phase: RunPhase) -> &'static str {
    match phase {
        RunPhase::New => say::begins(),
        RunPhase::Running => say::runs(),
        RunPhase::Checking | RunPhase::Ended => say::checks(),
        RunPhase::Waiting => say::waits(),
        RunPhase::Asking => say::asks_you(),
    }
}
