//! The turns that are kept, and their steps, within limits.

use std::collections::VecDeque;
use std::sync::Arc;

use super::kept::bounded;
use crate::agent::record_text::end_of;
use crate::model::{Deed, Exit, Timestamp, Turn, TurnStep};

/// How many turns are kept.
pub(super) const MAX_TURNS: usize = 1_000;
/// How many steps are kept over all turns.
pub(super) const MAX_STEPS: usize = 1_500;
/// How far the orders of two entries lie apart.
pub(super) const APART: u64 = 1 << 20;
/// How much of the end of an output is kept, in bytes.
const LONGEST_OUTPUT: usize = 4 << 10;

/// A tool's result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::agent) struct Answer<'a> {
    /// How a command ended; for any other tool, whether it failed.
    pub(in crate::agent) exit: Option<Exit>,
    /// What a command printed.
    pub(in crate::agent) output: &'a str,
    /// The name of the job in which a command continues to run; of a subagent, its id.
    pub(in crate::agent) job: Option<&'a str>,
}

/// The turns, the oldest first. Turns that no longer change are shared with every history handed out.
#[derive(Debug, Default)]
pub(super) struct KeptTurns {
    turns: VecDeque<Arc<Turn>>,
    n_steps: usize,
    /// Whether older ones were dropped.
    pub(super) is_cut: bool,
    /// The order of the last entry.
    order: u64,
}

impl KeptTurns {
    /// The order of the next entry. What subagents did finds room between two of them.
    pub(super) fn next_order(&mut self) -> u64 {
        self.order += APART;
        self.order
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Turn>> {
        self.turns.iter()
    }

    pub(super) fn last(&self) -> Option<&Turn> {
        self.turns.back().map(AsRef::as_ref)
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Turn> {
        self.turns.back_mut().map(Arc::make_mut)
    }

    pub(super) fn push(&mut self, turn: Turn) {
        if self.turns.len() == MAX_TURNS
            && let Some(oldest) = self.turns.pop_front()
        {
            self.n_steps -= oldest.steps.len();
            self.is_cut = true;
        }
        self.turns.push_back(Arc::new(turn));
    }

    /// Adds a step to the last turn and returns its order.
    pub(super) fn add_step(&mut self, deed: Deed, at: Option<Timestamp>) -> u64 {
        let order = self.next_order();
        let step = Arc::new(TurnStep { order, at, deed: bounded(deed) });
        if let Some(turn) = self.last_mut() {
            turn.steps.push(step);
            self.n_steps += 1;
        }
        if self.n_steps > MAX_STEPS {
            self.drop_steps();
        }
        order
    }

    /// Drops the older half of the steps.
    fn drop_steps(&mut self) {
        let mut n_left = self.n_steps - MAX_STEPS / 2;
        for turn in &mut self.turns {
            if n_left == 0 {
                break;
            }
            let n_gone = n_left.min(turn.steps.len());
            if n_gone > 0 {
                let turn = Arc::make_mut(turn);
                turn.steps.drain(..n_gone);
                turn.is_missing_steps = true;
                n_left -= n_gone;
                self.n_steps -= n_gone;
            }
        }
    }

    pub(super) fn settle(&mut self, order: u64, answer: &Answer<'_>) {
        let is_of = |turn: &&mut Arc<Turn>| turn.order < order;
        let Some(turn) = self.turns.iter_mut().rev().find(is_of) else { return };
        let Ok(at) = turn.steps.binary_search_by_key(&order, |step| step.order) else { return };
        match &mut Arc::make_mut(&mut Arc::make_mut(turn).steps[at]).deed {
            Deed::Command(run) => {
                run.exit =
                    if answer.job.is_some() { Exit::Running } else { answer.exit.unwrap_or(Exit::Unknown) };
                if !answer.output.is_empty() {
                    let end = end_of(answer.output, LONGEST_OUTPUT);
                    run.is_output_cut |= end.len() < answer.output.len();
                    end.clone_into(&mut run.output);
                }
            }
            Deed::Edit { was_done, .. } => {
                *was_done = !matches!(answer.exit, Some(Exit::Failed | Exit::Refused | Exit::Stopped));
            }
            Deed::Asked { was_answered, .. } => *was_answered = !matches!(answer.exit, Some(Exit::Stopped)),
            Deed::SentOff { id, .. } => *id = answer.job.map(str::to_owned).or(id.take()),
            Deed::Other { .. } => {}
        }
    }
}
