//! What was read of the commands of a session, so that only what is new is read again.

use std::sync::Arc;

use super::catalog::Catalog;
use super::read::{self, CommandFacts};
use super::run::Run;
use crate::judge::by_turn::ByTurn;
use crate::model::{ActingRun, CommandRun, Deed, StepMoment, Turn, TurnStep};

/// What was read of the commands of one session, so that only what is new is read again. Losing it costs time and
/// nothing else. It is for one [`Catalog`].
#[derive(Debug, Default)]
pub struct Memory {
    home: Option<String>,
    turns: ByTurn<Vec<CommandRead>>,
}

impl Memory {
    /// Follows the history to `turns`: each with its commands, in their order.
    pub(super) fn follow(
        &mut self,
        turns: &[Arc<Turn>],
        home: Option<&str>,
        catalog: &Catalog,
    ) -> impl Iterator<Item = (&Turn, &[CommandRead])> {
        if self.home.as_deref() != home {
            *self = Memory { home: home.map(str::to_owned), ..Memory::default() };
        }
        self.turns.follow(turns, |turn, before| read_turn(turn, before, home, catalog));
        self.turns.iter().map(|(turn, commands)| (turn, commands.as_slice()))
    }
}

/// What one command was.
#[derive(Debug)]
pub(super) struct CommandRead {
    pub(super) runs: Vec<Run>,
    pub(super) is_edit: bool,
    pub(super) is_edit_before_runs: bool,
    pub(super) acts: Vec<ActingRun>,
    pub(super) endless: Vec<String>,
}

/// Reads the commands of a turn, but for those that are as they were `before`.
fn read_turn(
    turn: &Turn,
    before: Option<(&Turn, Vec<CommandRead>)>,
    home: Option<&str>,
    catalog: &Catalog,
) -> Vec<CommandRead> {
    let (steps, known) = before.map_or((&[][..], Vec::new()), |(old, known)| (&old.steps[..], known));
    let mut known = commands_of(steps).zip(known).peekable();
    let mut read = Vec::new();
    for (step, run) in commands_of(&turn.steps) {
        while known.next_if(|((old, _), _)| old.order < step.order).is_some() {}
        let kept = known.next_if(|((old, _), _)| *old == step).map(|(_, kept)| kept);
        read.push(kept.unwrap_or_else(|| {
            let moment = StepMoment { order: step.order, at: step.at };
            CommandRead::of(read::read(run, home, catalog), moment)
        }));
    }
    read
}

fn commands_of(steps: &[Arc<TurnStep>]) -> impl Iterator<Item = (&Arc<TurnStep>, &CommandRun)> {
    steps.iter().filter_map(|step| match &step.deed {
        Deed::Command(run) => Some((step, run)),
        Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => None,
    })
}

impl CommandRead {
    fn of(facts: CommandFacts<'_>, moment: StepMoment) -> CommandRead {
        let acts = facts.acts.into_iter();
        CommandRead {
            runs: facts.runs.into_iter().map(|found| Run::of(found, moment)).collect(),
            is_edit: facts.is_edit,
            is_edit_before_runs: facts.is_edit_before_runs,
            acts: acts.map(|(act, command)| ActingRun { act: act.to_owned(), command, moment }).collect(),
            endless: facts.endless,
        }
    }
}
