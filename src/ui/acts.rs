//! Acts on the selected workspace: what their keys want, and what is shown of the answers.
//!
//! A plan that comes for a workspace that is not selected, or while a person does something else, opens
//! nothing.

use super::dialog::{self, Dialog, Step, Then, reply_box};
use super::keymap::Action;
use super::selection::selected_row;
use super::state::State;
use super::update::Reaction;
use crate::model::{ActOutcome, ActProblem, Intent, JumpOutcome, Told, WorkspaceView, display_text};

/// Begins what a key asks for.
pub(super) fn begin(state: &mut State, views: &[WorkspaceView], action: Action, reaction: &mut Reaction) {
    let Some(view) = selected_row(state, views).map(|position| &views[position]) else { return };
    match action {
        Action::Reply => match reply_box::begin(view, None) {
            Ok((reply, intents)) => {
                reaction.intents.extend(intents);
                dialog::open(state, Dialog::Reply(Box::new(reply)));
            }
            Err(words) => state.answer = Some(words),
        },
        Action::CancelAct => reaction.intents.push(Intent::CancelAct { workspace: view.id.clone() }),
        _ => {}
    }
}

/// Carries out what an input to a dialog came to.
pub(super) fn take(state: &mut State, step: Step, reaction: &mut Reaction) {
    reaction.intents.extend(step.intents);
    if step.answer.is_some() {
        state.answer = step.answer;
    }
    match step.then {
        Then::Stay => {}
        Then::Close => state.dialog = None,
        Then::Open(next) => dialog::open(state, next),
    }
}

/// Shows an answer that no dialog waits for.
pub(super) fn told(state: &mut State, told: Told) {
    state.answer = words_of(told);
}

/// The answer to something that a person wanted; `None` where they see it themselves.
fn words_of(told: Told) -> Option<String> {
    match told {
        Told::Jump { outcome: JumpOutcome::Done, .. } => None,
        Told::Jump { outcome: JumpOutcome::Attach { command }, .. } => {
            Some(format!("to see it, type in another terminal: {}", display_text::line(&command)))
        }
        Told::Jump { outcome: JumpOutcome::Refused { reason }, .. } => {
            Some(format!("no jump: {}", display_text::line(&reason)))
        }
        Told::Act { outcome, .. } => match *outcome {
            ActOutcome::Failed(problem) => Some(problem_in_words(&problem)),
            _ => None,
        },
    }
}

/// What went wrong, and below it what can be done.
fn problem_in_words(problem: &ActProblem) -> String {
    let words = display_text::line(&problem.words);
    match &problem.next {
        Some(next) => format!("{words}\n{}", display_text::line(next)),
        None => words.into_owned(),
    }
}
