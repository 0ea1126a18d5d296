//! Which keys of actions are worth a hint for the selected workspace. It must not start anything.

use std::sync::Arc;

use super::keymap::{KeyCommand, WorkspaceCommand};
use crate::model::{GitFacts, NextAction, NextActionKind, OpenPoint, Verdict, VerdictState, WorkspaceView};
use crate::present::sessions;

/// Whether the person is likely to want this command for this workspace now; `None` for other keys.
pub(super) fn is_worth_a_hint(command: KeyCommand, view: Option<&WorkspaceView>) -> Option<bool> {
    let is = |wanted: fn(&WorkspaceView) -> bool| Some(view.is_some_and(wanted));
    let KeyCommand::Action(command) = command else { return None };
    match command {
        WorkspaceCommand::Reply => is(|view| {
            let is_asked = |verdict: &Verdict| {
                verdict.question.is_some() || verdict.next_action.kind() == NextActionKind::Answer
            };
            let asks = view.verdict.as_deref().is_some_and(is_asked);
            !view.sessions.is_empty() && (asks || sessions::names_permission(view))
        }),
        WorkspaceCommand::Rescue => is(|view| {
            let is_dirty =
                |git: &Arc<GitFacts>| git.changes.as_ref().is_some_and(|changes| changes.n_paths > 0);
            let keeps = view.verdict.as_ref().is_some_and(|verdict| !verdict.loose.is_empty());
            view.actions.running.is_none() && (keeps || view.git.as_ref().is_some_and(is_dirty))
        }),
        WorkspaceCommand::Cancel => is(|view| {
            let runs = view.actions.under_way().any(|action| !action.is_cancelled);
            runs || !view.actions.held.is_empty()
        }),
        WorkspaceCommand::SendBack => is(|view| {
            let points = view.verdict.iter().flat_map(|verdict| verdict.left_to_do.open());
            !view.sessions.is_empty() && points.filter(|point| point.weighs).any(OpenPoint::is_for_agent)
        }),
        WorkspaceCommand::SmartCheck | WorkspaceCommand::Mark => {
            let is_free = |view: &&WorkspaceView| view.actions.running.is_none();
            Some(view.filter(is_free).and_then(next_command) == Some(command))
        }
        WorkspaceCommand::Checks => is(|view| {
            let is_done =
                view.verdict.as_deref().is_some_and(|verdict| verdict.state == VerdictState::Complete);
            view.actions.running.is_none() && !view.checks.is_empty() && !is_done
        }),
        WorkspaceCommand::Undo
        | WorkspaceCommand::Redo
        | WorkspaceCommand::Report
        | WorkspaceCommand::Verify => Some(false),
    }
}

/// The command for a workspace's next action; its hint comes first.
pub(super) fn next_command(view: &WorkspaceView) -> Option<WorkspaceCommand> {
    let next = &view.verdict.as_deref()?.next_action;
    if matches!(next, NextAction::LookAtNothing | NextAction::BringBack(_) | NextAction::OwnMark { .. }) {
        return Some(WorkspaceCommand::Mark);
    }
    match next.kind() {
        NextActionKind::Answer => Some(WorkspaceCommand::Reply),
        NextActionKind::Rescue => Some(WorkspaceCommand::Rescue),
        NextActionKind::Fix => Some(WorkspaceCommand::SendBack),
        NextActionKind::Ask if view.sessions.is_empty() => Some(WorkspaceCommand::Mark),
        NextActionKind::Ask => Some(WorkspaceCommand::SmartCheck),
        NextActionKind::None | NextActionKind::Repair | NextActionKind::Wait => None,
    }
}
