//! Actions on the selected workspace: what their keys do, and how the answers are shown.
//!
//! A plan that arrives while the person does something else, or for a workspace that is not selected, opens
//! nothing: it is kept until its key is pressed with that workspace selected.

use std::sync::Arc;

use super::dialog::confirm::{Asked, ConfirmBox};
use super::dialog::leave_box::LeaveBox;
use super::dialog::mark_box::MarkBox;
use super::dialog::reply_box::{self, ReplyBox};
use super::dialog::report_box::{About, ReportBox};
use super::dialog::rescue_box::RescueBox;
use super::dialog::{Dialog, Step, Then};
use super::input::Reaction;
use super::keymap::{KeyCommand, WorkspaceCommand, key_of};
use super::selection::selected_row;
use super::state::{Page, Ready, State};
use super::{open_dialog, points, text};
use crate::model::{
    Action, ActionClass, ActionKind, ActionOutcome, AskPurpose, HeldEnd, HeldNow, HeldStep, Intent,
    JumpOutcome, OpenPoint, PointKind, RecordOrder, Response, RunningAction, UndoDirection, WorkspaceId,
    WorkspaceView, display_text,
};
use crate::present::phrases::{checks, held, left, outcome as say};
use crate::present::{action, sessions, sets};

/// Starts what a key asks for.
pub(super) fn begin(
    state: &mut State,
    views: &[WorkspaceView],
    command: WorkspaceCommand,
    reaction: &mut Reaction,
) {
    let Some(view) = selected_row(state, views).map(|position| &views[position]) else {
        state.answer =
            Some(if state.filter.text.is_empty() { say::no_row() } else { say::no_match() }.to_owned());
        return;
    };
    if let Some(ready) = take_ready(state, &view.id, command) {
        open_dialog::open(state, ready);
        return;
    }
    let want = |action| Intent::Action { workspace: view.id.clone(), action: Box::new(action) };
    match command {
        WorkspaceCommand::Reply => open_reply(state, reply_box::begin(view, None), reaction),
        WorkspaceCommand::SendBack => send_back(state, view, reaction),
        WorkspaceCommand::Rescue => {
            reaction.intents.push(want(Action::PlanRescue { message: None, order: RecordOrder::default() }));
        }
        WorkspaceCommand::Undo => reaction.intents.push(want(Action::PlanUndo { way: UndoDirection::Undo })),
        WorkspaceCommand::Redo => reaction.intents.push(want(Action::PlanUndo { way: UndoDirection::Redo })),
        WorkspaceCommand::SmartCheck => {
            reaction.intents.push(want(Action::PlanAsk {
                purpose: AskPurpose::Probe,
                session: None,
                options: Box::default(),
            }));
        }
        WorkspaceCommand::Verify => {
            reaction.intents.push(want(Action::PlanAsk {
                purpose: AskPurpose::Verify,
                session: None,
                options: Box::default(),
            }));
        }
        WorkspaceCommand::Mark => {
            let point = points::at_cursor(state, view).filter(|_| state.is_among_points());
            open_dialog::open(state, Dialog::Mark(Box::new(MarkBox::new(view, point))));
        }
        WorkspaceCommand::Checks if view.checks.is_empty() => state.answer = Some(checks::none().to_owned()),
        WorkspaceCommand::Checks => reaction.intents.push(want(Action::PlanChecks)),
        WorkspaceCommand::Report => report(state, view),
        WorkspaceCommand::Cancel => cancel(state, view, reaction),
    }
}

/// Opens the reply box with the points to send back, appended to what was written there before.
fn send_back(state: &mut State, view: &WorkspaceView, reaction: &mut Reaction) {
    let Some((session, text)) = points::to_send(state, view) else {
        let is_for_person = |point: &OpenPoint| matches!(point.kind, PointKind::Answer | PointKind::Allow);
        let asks = view.verdict.as_ref().is_some_and(|verdict| verdict.left_to_do.open().any(is_for_person));
        let to_reply = || left::answer_instead(key_of(WorkspaceCommand::Reply));
        state.answer = Some(if asks { to_reply() } else { left::none_for_agent().to_owned() });
        return;
    };
    open_reply(state, reply_box::begin_with(view, session, &text), reaction);
}

/// Opens a reply box, or says why there is none.
fn open_reply(state: &mut State, begun: Result<(ReplyBox, Vec<Intent>), String>, reaction: &mut Reaction) {
    match begun {
        Ok((reply, intents)) => {
            reaction.intents.extend(intents);
            open_dialog::open(state, Dialog::Reply(Box::new(reply)));
        }
        Err(message) => state.answer = Some(message),
    }
}

/// Leaves, after asking about anything that runs and would be cut off.
pub(super) fn leave(state: &mut State, views: &[WorkspaceView], reaction: &mut Reaction) {
    match LeaveBox::new(views) {
        Some(leave) => open_dialog::open(state, Dialog::Leave(Box::new(leave))),
        None => reaction.is_quit = true,
    }
}

/// Shows the newest report, of the closer or of a smart check.
fn report(state: &mut State, view: &WorkspaceView) {
    let verified = view.actions.verified.as_ref().map(|report| (report.at, About::Verified(report.clone())));
    let checked = view.actions.smart_check.as_ref().map(|report| (report.at, About::Smart(report.clone())));
    match verified.into_iter().chain(checked).max_by_key(|(at, _)| *at) {
        Some((_, about)) => {
            open_dialog::open(state, Dialog::Report(Box::new(ReportBox::new(view, about))));
        }
        None => state.answer = Some(say::no_report().to_owned()),
    }
}

/// Ends the running action. Asks first if it is an agent's turn, which may be in the middle of an edit.
fn cancel(state: &mut State, view: &WorkspaceView, reaction: &mut Reaction) {
    let is_open = |action: &&RunningAction| !action.is_cancelled;
    let turn = view
        .actions
        .running
        .as_deref()
        .into_iter()
        .filter(|action| action.kind == ActionKind::Reply)
        .chain(&view.actions.answering)
        .find(is_open);
    match (&view.actions.running, turn) {
        (Some(action), _) if action.kind != ActionKind::Reply => {
            reaction.intents.push(Intent::CancelAction { workspace: view.id.clone(), number: action.number });
        }
        (_, Some(turn)) => {
            let asked = Asked::EndTurn(Arc::new(turn.clone()));
            open_dialog::open(state, Dialog::Confirm(Box::new(ConfirmBox::new(view, asked))));
        }
        (Some(_), None) => state.answer = Some(say::is_ending().to_owned()),
        (None, None) if !view.actions.answering.is_empty() => {
            state.answer = Some(say::is_ending().to_owned());
        }
        (None, None) => match view.actions.held.iter().find(|held| held.claimed_at.is_none()) {
            Some(held) => {
                let step = HeldStep::Drop(HeldEnd::ByYou);
                let action = Box::new(Action::Held { reply: Box::new(held.clone()), step });
                reaction.intents.push(Intent::Action { workspace: view.id.clone(), action });
            }
            None if view.sessions.iter().any(|session| sessions::works(session)) => {
                state.answer = Some(say::agent_works(key_of(KeyCommand::Go)));
            }
            None => state.answer = Some(say::nothing_runs().to_owned()),
        },
    }
}

/// Removes and returns the dialog of this key, if one arrived when it could not be shown.
fn take_ready(state: &mut State, workspace: &WorkspaceId, command: WorkspaceCommand) -> Option<Dialog> {
    let is_meant = |ready: &Ready| ready.workspace == *workspace && ready.command == command;
    let position = state.ready.iter().position(is_meant)?;
    Some(state.ready.remove(position).dialog)
}

/// Carries out the result of an input to a dialog.
pub(super) fn take(state: &mut State, views: &[WorkspaceView], step: Step, reaction: &mut Reaction) {
    reaction.intents.extend(step.intents);
    if step.answer.is_some() {
        state.answer = step.answer;
    }
    if step.is_new_question {
        state.guard.begin();
    }
    if step.edit.is_some() {
        reaction.edit = step.edit;
    }
    reaction.is_quit |= step.is_quit;
    match step.then {
        Then::Stay => {}
        Then::Close => {
            state.dialog = None;
            // Messages that arrived meanwhile are shown now.
            let later = std::mem::take(&mut state.later);
            let answers: Vec<String> = state.answer.take().into_iter().chain(later).collect();
            state.answer = Some(answers.join("\n")).filter(|answers| !answers.is_empty());
        }
        Then::Reply(draft) => {
            let dialog = state.dialog.take();
            let view = dialog.and_then(|dialog| views.iter().find(|view| view.id == *dialog.workspace()));
            if let Some(view) = view {
                open_reply(state, reply_box::begin(view, Some(&draft)), reaction);
            }
        }
    }
}

/// Shows an answer that no dialog waits for.
pub(super) fn on_response(state: &mut State, views: &[WorkspaceView], response: Response) {
    match response {
        Response::Jump { outcome, .. } => state.answer = jump_message(&outcome),
        Response::EndsLater { workspace, kind } => {
            let view = views.iter().find(|view| view.id == workspace);
            let words = say::ends_later(sets::title(kind));
            say(state, view, &words);
        }
        Response::Action { workspace, kind, is_plan, outcome, .. } => {
            let view = views.iter().find(|view| view.id == workspace);
            state.marked = matches!(*outcome, ActionOutcome::Marked { .. }).then_some(workspace);
            match (shown(view, kind, is_plan, *outcome), view) {
                (Shown::Nothing, _) | (Shown::Box(..), None) => {}
                (Shown::Words(words), _) => say(state, view, &words),
                (Shown::Box(dialog, command), Some(view)) => show(state, view, dialog, command),
            }
        }
    }
}

enum Shown {
    Nothing,
    /// As a message; contains only cleaned text.
    Words(String),
    /// In a dialog, which this key opens if it has to wait.
    Box(Dialog, WorkspaceCommand),
}

fn shown(view: Option<&WorkspaceView>, kind: ActionKind, is_plan: bool, outcome: ActionOutcome) -> Shown {
    let Some(view) = view else { return Shown::Words(label(&outcome)) };
    let report =
        |about| Shown::Box(Dialog::Report(Box::new(ReportBox::new(view, about))), WorkspaceCommand::Report);
    let confirm =
        |asked, command| Shown::Box(Dialog::Confirm(Box::new(ConfirmBox::new(view, asked))), command);
    match outcome {
        ActionOutcome::RescuePlanned(plan) => {
            Shown::Box(Dialog::Rescue(Box::new(RescueBox::new(view, *plan))), WorkspaceCommand::Rescue)
        }
        ActionOutcome::SizeAsked(cost) => confirm(Asked::Size(cost), WorkspaceCommand::Rescue),
        ActionOutcome::BranchPlanned(plan) => {
            confirm(Asked::Branch((*plan).into()), WorkspaceCommand::Rescue)
        }
        ActionOutcome::UndoPlanned(plan) => {
            let command = match plan.way {
                UndoDirection::Undo => WorkspaceCommand::Undo,
                UndoDirection::Redo => WorkspaceCommand::Redo,
            };
            confirm(Asked::Undo((*plan).into()), command)
        }
        ActionOutcome::AskPlanned(plan) => {
            let command = match plan.purpose {
                AskPurpose::Probe => WorkspaceCommand::SmartCheck,
                AskPurpose::Verify => WorkspaceCommand::Verify,
            };
            confirm(Asked::Agent((*plan).into()), command)
        }
        ActionOutcome::ChecksPlanned(untrusted) => {
            confirm(Asked::Checks(view.checks.clone(), untrusted.map(Into::into)), WorkspaceCommand::Checks)
        }
        ActionOutcome::Checked(found) => report(About::Smart(found)),
        ActionOutcome::Verified(found) => report(About::Verified(found)),
        // Something confirmed that failed must not vanish at the next key of somebody who is typing. Whoever
        // cancelled it is waiting for its end, so a message is enough.
        ActionOutcome::Failed(problem) if !is_plan && problem.class != ActionClass::Cancelled => {
            report(About::Problem(kind, problem))
        }
        // The reply box plans replies; once it is closed, no one waits for them, nor for automatic questions.
        ActionOutcome::ReplyPlanned(_) | ActionOutcome::NotAsked(_) => Shown::Nothing,
        ActionOutcome::Recorded(_)
        | ActionOutcome::Rescued(_)
        | ActionOutcome::CommitsKept(_)
        | ActionOutcome::Undone(_)
        | ActionOutcome::Replied(_)
        | ActionOutcome::Held { .. }
        | ActionOutcome::Decided(_)
        | ActionOutcome::Marked { .. }
        | ActionOutcome::Opined(_)
        | ActionOutcome::ChecksRan(_)
        | ActionOutcome::Failed(_) => Shown::Words(label(&outcome)),
    }
}

/// Opens a dialog, or keeps it for later if it would interrupt.
fn show(state: &mut State, view: &WorkspaceView, dialog: Dialog, command: WorkspaceCommand) {
    let is_free = state.dialog.is_none() && !state.filter.is_editing && state.page == Page::None;
    if is_free && !state.is_over && state.selected.as_ref() == Some(&view.id) {
        open_dialog::open(state, dialog);
        return;
    }
    // Kept, since a plan would otherwise be lost (a report is in the detail as well). It replaces an older
    // dialog of the same key.
    state.ready.retain(|ready| ready.workspace != view.id || ready.command != command);
    let words = dialog.message().filter(|_| state.is_leaving());
    state.ready.push(Ready { workspace: view.id.clone(), command, dialog });
    let words = words.unwrap_or_else(|| say::shown_by(ready(command), key_of(command)));
    say(state, Some(view), &words);
}

/// The message that something waits for this key.
fn ready(command: WorkspaceCommand) -> &'static str {
    match command {
        WorkspaceCommand::Rescue => say::rescue_ready(),
        WorkspaceCommand::Undo => say::undo_ready(),
        WorkspaceCommand::Redo => say::redo_ready(),
        WorkspaceCommand::SmartCheck => say::smart_check_ready(),
        WorkspaceCommand::Verify => say::closer_ready(),
        WorkspaceCommand::Reply
        | WorkspaceCommand::SendBack
        | WorkspaceCommand::Checks
        | WorkspaceCommand::Report
        | WorkspaceCommand::Mark
        | WorkspaceCommand::Cancel => say::answer_ready(),
    }
}

/// Shows a message about a workspace, after the open dialog if there is one.
fn say(state: &mut State, view: Option<&WorkspaceView>, words: &str) {
    let is_selected = view.is_some_and(|view| state.selected.as_ref() == Some(&view.id));
    let named = match view {
        Some(view) if !is_selected => format!("{}: {words}", text::line(&view.name)),
        Some(_) | None => words.to_owned(),
    };
    if state.dialog.is_some() || state.is_over {
        state.later.push(named);
    } else {
        state.answer = Some(named);
    }
}

fn jump_message(outcome: &JumpOutcome) -> Option<String> {
    match outcome {
        JumpOutcome::Done => None,
        JumpOutcome::Attach { command } => Some(say::attach(display_text::line(command))),
        JumpOutcome::Refused { reason } => Some(say::no_jump(display_text::line(reason))),
    }
}

/// The outcome of an action as cleaned text, with the key that undoes or redoes it.
fn label(outcome: &ActionOutcome) -> String {
    let mut lines = vec![action::label(outcome)];
    if let ActionOutcome::Held { now: HeldNow::Kept, .. } = outcome {
        lines.push(held::cancelled_by(key_of(WorkspaceCommand::Cancel)));
    }
    if let ActionOutcome::Rescued(rescued) = outcome {
        lines.extend(rescued.can_be_undone.then(|| say::undo_key(key_of(WorkspaceCommand::Undo))));
        lines.extend(rescued.notes.iter().map(|note| text::line(note)));
    }
    if let ActionOutcome::CommitsKept(_) = outcome {
        lines.push(say::undo_key(key_of(WorkspaceCommand::Undo)));
    }
    if let ActionOutcome::Undone(plan) = outcome {
        lines.push(match plan.way {
            UndoDirection::Undo => say::redo_key(key_of(WorkspaceCommand::Redo)),
            UndoDirection::Redo => say::undo_key(key_of(WorkspaceCommand::Undo)),
        });
    }
    lines.join("\n")
}
