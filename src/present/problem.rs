//! What keeps closeout from looking at a workspace, in words, and why an agent was not asked. Cleaned.

use std::time::Duration;

use super::phrases::problem as say;
use super::sets;
use super::texts::shown;
use crate::model::{
    ActionKind, CollectProblem, Hindrance, WatchProblem, WorkspaceId, WorkspaceProblems, display_text,
};

/// All problems of a workspace; `None` if there is none.
pub fn label(problems: &WorkspaceProblems) -> Option<String> {
    let WorkspaceProblems { reading, settings, watching } = problems;
    let parts = [reading.as_ref().map(of_reading), settings.clone(), watching.as_ref().map(of_watching)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| shown(&parts.join("; ")))
}

/// Why a workspace could not be read.
pub(super) fn of_reading(problem: &CollectProblem) -> String {
    match problem {
        CollectProblem::TimedOut => say::not_answering().to_owned(),
        CollectProblem::Gone => say::gone().to_owned(),
        CollectProblem::Broke(error) => say::broke(error),
    }
}

fn of_watching(problem: &WatchProblem) -> String {
    match problem {
        WatchProblem::LimitReached => say::watch_limit().to_owned(),
        WatchProblem::Failed(error) => say::not_watched(error),
    }
}

/// Why closeout does not ask an agent on its own.
pub fn not_asked(hindrance: &Hindrance) -> String {
    shown(&say::not_asked(match hindrance {
        Hindrance::Budget(budget) => budget.to_string(),
        Hindrance::Failed(error) => error.clone(),
    }))
}

/// What a command has been waiting for: the action, or the reading if there is none, and until when.
pub fn long_wait(workspace: &WorkspaceId, action: Option<ActionKind>, limit: Duration) -> String {
    let (place, seconds) = (display_text::path(workspace.path()), limit.as_secs());
    match action {
        None => say::slow_reading(place, seconds),
        Some(action) => say::slow_action(sets::running(action), place, seconds),
    }
}
