//! What one command did, as it is kept beside its step. Must not say what it means for the task.

use std::sync::Arc;

use super::read::CommandFacts;
use super::run::Run;
use crate::model::{ActingRun, StepMoment};

#[derive(Debug)]
pub(super) struct CommandRead {
    pub(super) runs: Vec<Arc<Run>>,
    pub(super) is_edit: bool,
    pub(super) is_edit_before_runs: bool,
    pub(super) acts: Vec<Arc<ActingRun>>,
    pub(super) likely_acts: Vec<Arc<ActingRun>>,
    pub(super) failed_act: Option<Arc<ActingRun>>,
    pub(super) endless: Vec<Arc<str>>,
    /// The files that it removed, as it names them.
    pub(super) removed: Vec<String>,
}

impl CommandRead {
    pub(super) fn of(facts: CommandFacts<'_>, moment: StepMoment) -> CommandRead {
        let act =
            |(act, command): (&str, String)| Arc::new(ActingRun { act: act.to_owned(), command, moment });
        CommandRead {
            runs: facts.runs.into_iter().map(|found| Arc::new(Run::of(found, moment))).collect(),
            is_edit: facts.is_edit,
            is_edit_before_runs: facts.is_edit_before_runs,
            acts: facts.acts.done.into_iter().map(act).collect(),
            likely_acts: facts.acts.likely.into_iter().map(act).collect(),
            failed_act: facts.acts.failed.map(act),
            endless: facts.endless.into_iter().map(Arc::from).collect(),
            removed: facts.removed,
        }
    }
}
