//! Actions on the selected workspace: what their keys want, and what is shown of the answers.
//!
//! A plan that comes while a person does something else, or for a workspace that is not selected, opens
//! nothing: it is kept, and its key shows it (the workspace is then the one that is looked at).

use std::sync::Arc;

use super::dialog::confirm::{Asked, ConfirmBox};
use super::dialog::decide_box::DecideBox;
use super::dialog::leave_box::LeaveBox;
use super::dialog::report_box::{About, ReportBox};
use super::dialog::rescue_box::RescueBox;
use super::dialog::{self, Dialog, Step, Then, reply_box};
use super::keymap::{KeyCommand, WorkspaceCommand, key_of};
use super::selection::selected_row;
use super::state::{Page, Ready, State};
use super::update::Reaction;
use super::{action_words, reports, text};
use crate::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, AskPurpose, Intent, JumpOutcome,
    RecordOrder, Rescued, Response, RunningAction, UndoDirection, UndoPlan, WorkspaceId, WorkspaceView,
    display_text, quantity,
};

/// Begins what a key asks for.
pub(super) fn begin(
    state: &mut State,
    views: &[WorkspaceView],
    command: WorkspaceCommand,
    reaction: &mut Reaction,
) {
    let Some(view) = selected_row(state, views).map(|position| &views[position]) else { return };
    if let Some(ready) = take_ready(state, &view.id, command) {
        dialog::open(state, ready);
        return;
    }
    let want = |action| Intent::Action { workspace: view.id.clone(), action: Box::new(action) };
    match command {
        WorkspaceCommand::Reply => match reply_box::begin(view, None) {
            Ok((reply, intents)) => {
                reaction.intents.extend(intents);
                dialog::open(state, Dialog::Reply(Box::new(reply)));
            }
            Err(words) => state.answer = Some(words),
        },
        WorkspaceCommand::Rescue => {
            reaction.intents.push(want(Action::PlanRescue { message: None, order: RecordOrder::default() }));
        }
        WorkspaceCommand::Undo => reaction.intents.push(want(Action::PlanUndo { way: UndoDirection::Undo })),
        WorkspaceCommand::Redo => reaction.intents.push(want(Action::PlanUndo { way: UndoDirection::Redo })),
        WorkspaceCommand::SmartCheck => {
            reaction.intents.push(want(Action::PlanAsk { purpose: AskPurpose::Probe, session: None }));
        }
        WorkspaceCommand::Verify => {
            reaction.intents.push(want(Action::PlanAsk { purpose: AskPurpose::Verify, session: None }));
        }
        WorkspaceCommand::Decide => dialog::open(state, Dialog::Decide(Box::new(DecideBox::new(view)))),
        WorkspaceCommand::Report => report(state, view),
        WorkspaceCommand::Cancel => cancel(state, view, reaction),
    }
}

/// Whether a key of actions is what a person would want now of this workspace; `None` for the other keys.
pub(super) fn is_worth_a_hint(action: KeyCommand, view: Option<&WorkspaceView>) -> Option<bool> {
    let is = |wanted: fn(&WorkspaceView) -> bool| Some(view.is_some_and(wanted));
    let KeyCommand::Action(command) = action else { return None };
    match command {
        WorkspaceCommand::Reply => is(|view| {
            !view.sessions.is_empty()
                && view.verdict.as_ref().is_some_and(|verdict| verdict.question.is_some())
        }),
        WorkspaceCommand::Rescue => is(|view| {
            let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
            view.action.is_none() && changes.is_some_and(|changes| changes.n_paths > 0)
        }),
        WorkspaceCommand::Cancel => {
            is(|view| view.action.iter().chain(&view.answering).any(|action| !action.is_cancelled))
        }
        WorkspaceCommand::Report => {
            is(|view| view.verified.as_ref().is_some_and(|report| !report.pending_actions.is_empty()))
        }
        WorkspaceCommand::Undo
        | WorkspaceCommand::Redo
        | WorkspaceCommand::SmartCheck
        | WorkspaceCommand::Verify
        | WorkspaceCommand::Decide => Some(false),
    }
}

/// A person wants to leave. What runs and would be cut off is asked about first.
pub(super) fn leave(state: &mut State, views: &[WorkspaceView], reaction: &mut Reaction) {
    match LeaveBox::new(views) {
        Some(leave) => dialog::open(state, Dialog::Leave(Box::new(leave))),
        None => reaction.is_quit = true,
    }
}

/// Shows what the closer, or else a smart check, found last.
fn report(state: &mut State, view: &WorkspaceView) {
    let verified =
        view.verified.as_ref().map(|report| (report.at, About::Verified(Box::new(report.clone()))));
    let checked = view.smart_check.as_ref().map(|report| (report.at, About::Smart(Box::new(report.clone()))));
    match verified.into_iter().chain(checked).max_by_key(|(at, _)| *at) {
        Some((_, about)) => {
            dialog::open(state, Dialog::Report(Box::new(ReportBox::new(view, about))));
        }
        None => state.answer = Some("neither the closer nor a smart check has been asked here".to_owned()),
    }
}

/// Ends what runs. The turn of an agent is asked about first: it may be in the middle of an edit.
fn cancel(state: &mut State, view: &WorkspaceView, reaction: &mut Reaction) {
    let is_open = |action: &&RunningAction| !action.is_cancelled;
    let turn = view
        .action
        .iter()
        .filter(|action| action.kind == ActionKind::Reply)
        .chain(&view.answering)
        .find(is_open);
    match (&view.action, turn) {
        (Some(action), _) if action.kind != ActionKind::Reply => {
            reaction.intents.push(Intent::CancelAction { workspace: view.id.clone(), number: action.number });
        }
        (_, Some(turn)) => {
            let asked = Asked::EndTurn(Arc::new(turn.clone()));
            dialog::open(state, Dialog::Confirm(Box::new(ConfirmBox::new(view, asked))));
        }
        (Some(_), None) => state.answer = Some("it is being ended".to_owned()),
        (None, None) if !view.answering.is_empty() => state.answer = Some("it is being ended".to_owned()),
        (None, None) => state.answer = Some("nothing runs here".to_owned()),
    }
}

/// The plan that this key asks for, if it came while it could not be shown.
fn take_ready(state: &mut State, workspace: &WorkspaceId, command: WorkspaceCommand) -> Option<Dialog> {
    let is_meant = |ready: &Ready| ready.workspace == *workspace && ready.command == command;
    let position = state.ready.iter().position(is_meant)?;
    Some(state.ready.remove(position).dialog)
}

/// Carries out what an input to a dialog came to.
pub(super) fn take(state: &mut State, step: Step, reaction: &mut Reaction) {
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
            // What came meanwhile is read now.
            let later = std::mem::take(&mut state.later);
            let answers: Vec<String> = state.answer.take().into_iter().chain(later).collect();
            state.answer = Some(answers.join("\n")).filter(|answers| !answers.is_empty());
        }
        Then::Open(next) => dialog::open(state, next),
    }
}

/// Shows an answer that no dialog waits for.
pub(super) fn told(state: &mut State, views: &[WorkspaceView], told: Response) {
    match told {
        Response::Jump { outcome, .. } => state.answer = jump_in_words(&outcome),
        Response::EndsLater { workspace, kind } => {
            let view = views.iter().find(|view| view.id == workspace);
            let words = format!(
                "{}: what it is moving at this moment is finished first; it ends by itself",
                action_words::title(kind)
            );
            say(state, view, &words);
        }
        Response::Action { workspace, kind, is_plan, outcome, .. } => {
            let view = views.iter().find(|view| view.id == workspace);
            match (shown(view, kind, is_plan, *outcome), view) {
                (Shown::Nothing, _) | (Shown::Box(..), None) => {}
                (Shown::Words(words), _) => say(state, view, &words),
                (Shown::Box(dialog, command), Some(view)) => show(state, view, dialog, command),
            }
        }
    }
}

/// How an outcome is shown.
enum Shown {
    Nothing,
    /// As words, which may hold cleaned text only.
    Words(String),
    /// In a dialog, which this key shows if it has to wait.
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
        ActionOutcome::Checked(found) => report(About::Smart(found)),
        ActionOutcome::Verified(found) => report(About::Verified(found)),
        // What was confirmed and not done must not be gone with the next key of somebody who types; who ended it
        // waits for its end.
        ActionOutcome::Failed(problem) if !is_plan && problem.class != ActionClass::Cancelled => {
            report(About::Problem(kind, problem))
        }
        // The reply box plans replies; without one nobody waits for it. Nor for what closeout does by itself.
        ActionOutcome::ReplyPlanned(_) | ActionOutcome::NotAsked(_) => Shown::Nothing,
        ActionOutcome::Recorded(_)
        | ActionOutcome::Rescued(_)
        | ActionOutcome::Undone(_)
        | ActionOutcome::Replied(_)
        | ActionOutcome::Decided(_)
        | ActionOutcome::Marked { .. }
        | ActionOutcome::Failed(_) => Shown::Words(label(&outcome)),
    }
}

/// Opens a dialog, or keeps it where it would come in between.
fn show(state: &mut State, view: &WorkspaceView, dialog: Dialog, command: WorkspaceCommand) {
    let is_free = state.dialog.is_none() && !state.filter.is_editing && state.page == Page::None;
    if is_free && state.selected.as_ref() == Some(&view.id) {
        dialog::open(state, dialog);
        return;
    }
    // Reports stand in the detail as well; the rest would be lost.
    state.ready.retain(|ready| ready.workspace != view.id || ready.command != command);
    state.ready.push(Ready { workspace: view.id.clone(), command, dialog });
    let words =
        format!("{}: {} shows what came", action_words::ready(command), key_of(KeyCommand::Action(command)));
    say(state, Some(view), &words);
}

/// Says something of a workspace; after the open dialog, if there is one.
fn say(state: &mut State, view: Option<&WorkspaceView>, words: &str) {
    let is_selected = view.is_some_and(|view| state.selected.as_ref() == Some(&view.id));
    let named = match view {
        Some(view) if !is_selected => format!("{}: {words}", text::line(&view.name)),
        Some(_) | None => words.to_owned(),
    };
    if state.dialog.is_some() {
        state.later.push(named);
    } else {
        state.answer = Some(named);
    }
}

fn jump_in_words(outcome: &JumpOutcome) -> Option<String> {
    match outcome {
        JumpOutcome::Done => None,
        JumpOutcome::Attach { command } => {
            Some(format!("to see it, type in another terminal: {}", display_text::line(command)))
        }
        JumpOutcome::Refused { reason } => Some(format!("no jump: {}", display_text::line(reason))),
    }
}

/// What came of an action, and what can be done next. Cleaned.
fn label(outcome: &ActionOutcome) -> String {
    match outcome {
        ActionOutcome::Rescued(rescued) => rescued_in_words(rescued),
        ActionOutcome::Recorded(record) => {
            let files = quantity::counted(record.n_files, "file", "files");
            let size = quantity::size(record.n_bytes);
            format!("recorded {files}, {size}, as {}", text::line(&record.reference))
        }
        ActionOutcome::Undone(plan) => undone_in_words(plan),
        ActionOutcome::Replied(receipt) => {
            let state = action_words::receipt(receipt.state);
            let words = receipt.detail.as_deref().map(|words| format!(": {}", text::line(words)));
            format!("reply to {} {state}{}", text::line(&receipt.session.agent), words.unwrap_or_default())
        }
        ActionOutcome::Decided(file) => {
            let word = if file.is_complete { "COMPLETE" } else { "INCOMPLETE" };
            format!("{word} is written to {}", display_text::path(&file.path))
        }
        ActionOutcome::Marked { order, .. } => format!("marked: {}", order.name()),
        ActionOutcome::Failed(problem) => problem_in_words(problem),
        ActionOutcome::Checked(report) => action_words::smart(report).to_owned(),
        ActionOutcome::NotAsked(_) => "the agent was not asked".to_owned(),
        ActionOutcome::Verified(report) => {
            reports::open_points(report).unwrap_or_else(|| "the closer has answered".to_owned())
        }
        ActionOutcome::RescuePlanned(_)
        | ActionOutcome::SizeAsked(_)
        | ActionOutcome::UndoPlanned(_)
        | ActionOutcome::ReplyPlanned(_)
        | ActionOutcome::AskPlanned(_) => "a plan came for a workspace that is gone".to_owned(),
    }
}

fn rescued_in_words(rescued: &Rescued) -> String {
    let files = quantity::counted(rescued.n_paths, "file", "files");
    let ids: Vec<String> = rescued.commits.iter().take(3).map(|commit| action_words::short(commit)).collect();
    let more = rescued.commits.len().saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let ids = format!("{}{more}", ids.join(", "));
    let mut lines = vec![format!("committed {files} to {} as {ids}", action_words::branch(&rescued.branch))];
    if rescued.can_be_undone {
        lines.push(format!("{} undoes it", key_of(KeyCommand::Action(WorkspaceCommand::Undo))));
    }
    lines.extend(rescued.notes.iter().map(|note| text::line(note)));
    lines.join("\n")
}

fn undone_in_words(plan: &UndoPlan) -> String {
    let commits = quantity::counted(plan.commits.len(), "commit", "commits");
    let branch = action_words::branch(&plan.branch);
    match plan.way {
        UndoDirection::Undo => {
            format!(
                "took {commits} back from {branch}; the files are as they were\n{} redoes it",
                key_of(KeyCommand::Action(WorkspaceCommand::Redo))
            )
        }
        UndoDirection::Redo => {
            format!(
                "put {commits} on {branch} again\n{} undoes it",
                key_of(KeyCommand::Action(WorkspaceCommand::Undo))
            )
        }
    }
}

/// What went wrong, and below it what can be done.
fn problem_in_words(problem: &ActionProblem) -> String {
    let words = text::line(&problem.message);
    match &problem.next {
        Some(next) => format!("{words}\n{}", text::line(next)),
        None => words,
    }
}
