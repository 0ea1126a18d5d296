//! What was read of the commands of a session, so that only what is new is read again.

use std::sync::Arc;

use super::fold::Fold;
use super::read::CommandFacts;
use super::run::Run;
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::model::{ActingRun, StepMoment, TurnStep};

/// What was read of the commands of one session, so that only what is new is read again. Losing it costs time and
/// nothing else. It is for one [`Catalog`](super::Catalog).
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) home: Option<String>,
    pub(super) places: StepPlaces,
    /// What each step was, if it was a command.
    pub(super) steps: Followed<TurnStep, Option<CommandRead>, Fold>,
}

/// What one command was.
#[derive(Debug)]
pub(super) struct CommandRead {
    pub(super) runs: Vec<Arc<Run>>,
    pub(super) is_edit: bool,
    pub(super) is_edit_before_runs: bool,
    pub(super) acts: Vec<Arc<ActingRun>>,
    pub(super) endless: Vec<Arc<str>>,
}

impl CommandRead {
    pub(super) fn of(facts: CommandFacts<'_>, moment: StepMoment) -> CommandRead {
        let acts = facts.acts.into_iter();
        CommandRead {
            runs: facts.runs.into_iter().map(|found| Arc::new(Run::of(found, moment))).collect(),
            is_edit: facts.is_edit,
            is_edit_before_runs: facts.is_edit_before_runs,
            acts: acts
                .map(|(act, command)| Arc::new(ActingRun { act: act.to_owned(), command, moment }))
                .collect(),
            endless: facts.endless.into_iter().map(Arc::from).collect(),
        }
    }
}
