//! What was read of the commands of a session, so that only what is new is read again.

use super::command::CommandRead;
use super::fold::Fold;
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::model::TurnStep;

/// What was read of the commands of one session, so that only what is new is read again. Losing it costs time and
/// nothing else. It is for one [`Catalog`](super::Catalog).
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) home: Option<String>,
    pub(super) places: StepPlaces,
    /// What each step was, if it was a command.
    pub(super) steps: Followed<TurnStep, Option<CommandRead>, Fold>,
}
