//! What was read from a session's commands, so that only new ones are read. Must not keep what they mean for
//! a task, except as a fold that can be redone.

use super::command::CommandRead;
use super::fold::Fold;
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::model::TurnStep;

/// What was read from one session's commands, so that only new ones are read. Losing it costs only time. It
/// is valid for one [`Catalog`](super::Catalog) only.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) home: Option<String>,
    pub(super) places: StepPlaces,
    /// What each step did, if it was a command.
    pub(super) steps: Followed<TurnStep, Option<CommandRead>, Fold>,
}
