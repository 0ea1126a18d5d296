//! Acts on the selected workspace: what their keys want, and what is shown of the answers.
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
use super::keymap::{Action, Wish, key_of};
use super::selection::selected_row;
use super::state::{Page, Ready, State};
use super::update::Reaction;
use super::{act_words, reports, text};
use crate::model::{
    Act, ActClass, ActKind, ActOutcome, ActProblem, AskPurpose, Intent, JumpOutcome, RecordOrder, Rescued,
    RunningAct, Told, UndoPlan, UndoWay, WorkspaceId, WorkspaceView, display_text, quantity,
};

/// Begins what a key asks for.
pub(super) fn begin(state: &mut State, views: &[WorkspaceView], wish: Wish, reaction: &mut Reaction) {
    let Some(view) = selected_row(state, views).map(|position| &views[position]) else { return };
    if let Some(ready) = take_ready(state, &view.id, wish) {
        dialog::open(state, ready);
        return;
    }
    let want = |act| Intent::Act { workspace: view.id.clone(), act: Box::new(act) };
    match wish {
        Wish::Reply => match reply_box::begin(view, None) {
            Ok((reply, intents)) => {
                reaction.intents.extend(intents);
                dialog::open(state, Dialog::Reply(Box::new(reply)));
            }
            Err(words) => state.answer = Some(words),
        },
        Wish::Rescue => {
            reaction.intents.push(want(Act::PlanRescue { message: None, order: RecordOrder::default() }));
        }
        Wish::Undo => reaction.intents.push(want(Act::PlanUndo { way: UndoWay::Undo })),
        Wish::Redo => reaction.intents.push(want(Act::PlanUndo { way: UndoWay::Redo })),
        Wish::SmartCheck => {
            reaction.intents.push(want(Act::PlanAsk { purpose: AskPurpose::Probe, session: None }));
        }
        Wish::Verify => {
            reaction.intents.push(want(Act::PlanAsk { purpose: AskPurpose::Verify, session: None }));
        }
        Wish::Decide => dialog::open(state, Dialog::Decide(Box::new(DecideBox::new(view)))),
        Wish::Report => report(state, view),
        Wish::Cancel => cancel(state, view, reaction),
    }
}

/// Whether a key of acts is what a person would want now of this workspace; `None` for the other keys.
pub(super) fn is_worth_a_hint(action: Action, view: Option<&WorkspaceView>) -> Option<bool> {
    let is = |wanted: fn(&WorkspaceView) -> bool| Some(view.is_some_and(wanted));
    let Action::Act(wish) = action else { return None };
    match wish {
        Wish::Reply => is(|view| {
            !view.sessions.is_empty()
                && view.verdict.as_ref().is_some_and(|verdict| verdict.question.is_some())
        }),
        Wish::Rescue => is(|view| {
            let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
            view.act.is_none() && changes.is_some_and(|changes| changes.n_paths > 0)
        }),
        Wish::Cancel => is(|view| view.act.iter().chain(&view.answering).any(|act| !act.is_cancelled)),
        Wish::Report => {
            is(|view| view.verified.as_ref().is_some_and(|report| !report.pending_actions.is_empty()))
        }
        Wish::Undo | Wish::Redo | Wish::SmartCheck | Wish::Verify | Wish::Decide => Some(false),
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
    let is_open = |act: &&RunningAct| !act.is_cancelled;
    let turn = view.act.iter().filter(|act| act.kind == ActKind::Reply).chain(&view.answering).find(is_open);
    match (&view.act, turn) {
        (Some(act), _) if act.kind != ActKind::Reply => {
            reaction.intents.push(Intent::CancelAct { workspace: view.id.clone(), number: act.number });
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
fn take_ready(state: &mut State, workspace: &WorkspaceId, wish: Wish) -> Option<Dialog> {
    let is_meant = |ready: &Ready| ready.workspace == *workspace && ready.wish == wish;
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
pub(super) fn told(state: &mut State, views: &[WorkspaceView], told: Told) {
    match told {
        Told::Jump { outcome, .. } => state.answer = jump_in_words(&outcome),
        Told::EndsLater { workspace, kind } => {
            let view = views.iter().find(|view| view.id == workspace);
            let words = format!(
                "{}: what it is moving at this moment is finished first; it ends by itself",
                act_words::title(kind)
            );
            say(state, view, &words);
        }
        Told::Act { workspace, kind, is_plan, outcome, .. } => {
            let view = views.iter().find(|view| view.id == workspace);
            match (shown(view, kind, is_plan, *outcome), view) {
                (Shown::Nothing, _) | (Shown::Box(..), None) => {}
                (Shown::Words(words), _) => say(state, view, &words),
                (Shown::Box(dialog, wish), Some(view)) => show(state, view, dialog, wish),
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
    Box(Dialog, Wish),
}

fn shown(view: Option<&WorkspaceView>, kind: ActKind, is_plan: bool, outcome: ActOutcome) -> Shown {
    let Some(view) = view else { return Shown::Words(in_words(&outcome)) };
    let report = |about| Shown::Box(Dialog::Report(Box::new(ReportBox::new(view, about))), Wish::Report);
    let confirm = |asked, wish| Shown::Box(Dialog::Confirm(Box::new(ConfirmBox::new(view, asked))), wish);
    match outcome {
        ActOutcome::RescuePlanned(plan) => {
            Shown::Box(Dialog::Rescue(Box::new(RescueBox::new(view, *plan))), Wish::Rescue)
        }
        ActOutcome::SizeAsked(cost) => confirm(Asked::Size(cost), Wish::Rescue),
        ActOutcome::UndoPlanned(plan) => {
            let wish = match plan.way {
                UndoWay::Undo => Wish::Undo,
                UndoWay::Redo => Wish::Redo,
            };
            confirm(Asked::Undo((*plan).into()), wish)
        }
        ActOutcome::AskPlanned(plan) => {
            let wish = match plan.purpose {
                AskPurpose::Probe => Wish::SmartCheck,
                AskPurpose::Verify => Wish::Verify,
            };
            confirm(Asked::Agent((*plan).into()), wish)
        }
        ActOutcome::Checked(found) => report(About::Smart(found)),
        ActOutcome::Verified(found) => report(About::Verified(found)),
        // What was confirmed and not done must not be gone with the next key of somebody who types; who ended it
        // waits for its end.
        ActOutcome::Failed(problem) if !is_plan && problem.class != ActClass::Cancelled => {
            report(About::Problem(kind, problem))
        }
        // The reply box plans replies; without one nobody waits for it. Nor for what closeout does by itself.
        ActOutcome::ReplyPlanned(_) | ActOutcome::NotAsked(_) => Shown::Nothing,
        ActOutcome::Recorded(_)
        | ActOutcome::Rescued(_)
        | ActOutcome::Undone(_)
        | ActOutcome::Replied(_)
        | ActOutcome::Decided(_)
        | ActOutcome::Failed(_) => Shown::Words(in_words(&outcome)),
    }
}

/// Opens a dialog, or keeps it where it would come in between.
fn show(state: &mut State, view: &WorkspaceView, dialog: Dialog, wish: Wish) {
    let is_free = state.dialog.is_none() && !state.filter.is_editing && state.page == Page::None;
    if is_free && state.selected.as_ref() == Some(&view.id) {
        dialog::open(state, dialog);
        return;
    }
    // Reports stand in the detail as well; the rest would be lost.
    state.ready.retain(|ready| ready.workspace != view.id || ready.wish != wish);
    state.ready.push(Ready { workspace: view.id.clone(), wish, dialog });
    let words = format!("{}: {} shows what came", act_words::ready(wish), key_of(Action::Act(wish)));
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

/// What came of an act, and what can be done next. Cleaned.
fn in_words(outcome: &ActOutcome) -> String {
    match outcome {
        ActOutcome::Rescued(rescued) => rescued_in_words(rescued),
        ActOutcome::Recorded(record) => {
            let files = quantity::counted(record.n_files, "file", "files");
            let size = quantity::size(record.n_bytes);
            format!("recorded {files}, {size}, as {}", text::line(&record.reference))
        }
        ActOutcome::Undone(plan) => undone_in_words(plan),
        ActOutcome::Replied(receipt) => {
            let state = act_words::receipt(receipt.state);
            let words = receipt.words.as_deref().map(|words| format!(": {}", text::line(words)));
            format!("reply to {} {state}{}", text::line(&receipt.session.agent), words.unwrap_or_default())
        }
        ActOutcome::Decided(file) => {
            let word = if file.is_complete { "COMPLETE" } else { "INCOMPLETE" };
            format!("{word} is written to {}", display_text::path(&file.path))
        }
        ActOutcome::Failed(problem) => problem_in_words(problem),
        ActOutcome::Checked(report) => act_words::smart(report).to_owned(),
        ActOutcome::NotAsked(_) => "the agent was not asked".to_owned(),
        ActOutcome::Verified(report) => {
            reports::open_points(report).unwrap_or_else(|| "the closer has answered".to_owned())
        }
        ActOutcome::RescuePlanned(_)
        | ActOutcome::SizeAsked(_)
        | ActOutcome::UndoPlanned(_)
        | ActOutcome::ReplyPlanned(_)
        | ActOutcome::AskPlanned(_) => "a plan came for a workspace that is gone".to_owned(),
    }
}

fn rescued_in_words(rescued: &Rescued) -> String {
    let files = quantity::counted(rescued.n_paths, "file", "files");
    let ids: Vec<String> = rescued.commits.iter().take(3).map(|commit| act_words::short(commit)).collect();
    let more = rescued.commits.len().saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let ids = format!("{}{more}", ids.join(", "));
    let mut lines = vec![format!("committed {files} to {} as {ids}", act_words::branch(&rescued.branch))];
    if rescued.can_be_undone {
        lines.push(format!("{} undoes it", key_of(Action::Act(Wish::Undo))));
    }
    lines.extend(rescued.notes.iter().map(|note| text::line(note)));
    lines.join("\n")
}

fn undone_in_words(plan: &UndoPlan) -> String {
    let commits = quantity::counted(plan.commits.len(), "commit", "commits");
    let branch = act_words::branch(&plan.branch);
    match plan.way {
        UndoWay::Undo => {
            format!(
                "took {commits} back from {branch}; the files are as they were\n{} redoes it",
                key_of(Action::Act(Wish::Redo))
            )
        }
        UndoWay::Redo => {
            format!("put {commits} on {branch} again\n{} undoes it", key_of(Action::Act(Wish::Undo)))
        }
    }
}

/// What went wrong, and below it what can be done.
fn problem_in_words(problem: &ActProblem) -> String {
    let words = text::line(&problem.words);
    match &problem.next {
        Some(next) => format!("{words}\n{}", text::line(next)),
        None => words,
    }
}
