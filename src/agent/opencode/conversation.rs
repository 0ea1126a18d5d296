//! What the messages of a session say: a fold over them, in order. Pure and total.

use super::cell::{MessageCell, PartCell};
use super::message::{Message, Part};
use super::turns;
use crate::agent::turn_tracker::{TurnTracker, is_full_prompt};
use crate::model::Timestamp;

/// This many full prompts are taken to reach the start of the current task, even if the newest ask
/// something beside it.
const ENOUGH_PROMPTS: u32 = 3;

/// Which of the facts needed have been found, reading messages from the newest back.
#[derive(Debug, Default)]
pub(super) struct Found {
    words: bool,
    model: bool,
    prompt: bool,
    n_full_prompts: u32,
    /// When the messages read until everything was found last changed.
    pub(super) moved_at: Option<Timestamp>,
}

impl Found {
    /// Takes the next older message.
    pub(super) fn take(&mut self, message: &Message) {
        if !self.is_enough() {
            self.moved_at = self.moved_at.max(message.moved_at());
        }
        let Some(cell) = &message.cell else { return };
        let spoken = message.spoken();
        if cell.role == "user" {
            self.prompt |= spoken.is_some();
            self.n_full_prompts += u32::from(spoken.is_some_and(|words| is_full_prompt(&words)));
        } else if cell.role == "assistant" {
            self.model |= cell.model().is_some();
            self.prompt |= cell.parent_id.is_some();
            self.words |= spoken.is_some() && !cell.is_summary();
        }
    }

    /// Whether older messages can add only turns.
    pub(super) fn is_enough(&self) -> bool {
        self.words && self.model && self.prompt
    }

    /// Whether older turns are rarely needed either.
    pub(super) fn has_task(&self) -> bool {
        self.n_full_prompts >= ENOUGH_PROMPTS
    }
}

/// The state of the fold. It starts with the oldest message that was read.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) model: Option<String>,
    /// The agent used by the newest message, ignoring summaries.
    pub(super) mode: Option<String>,
    pub(super) context_tokens: Option<u64>,
    pub(super) folder: Option<String>,
    /// The id of the message with the last prompt, as the reply names it.
    pub(super) prompt_id: Option<String>,
    /// That prompt and its time, if it precedes the messages that were read.
    pub(super) earlier_prompt: Option<(Option<Timestamp>, String)>,
    pub(super) n_skipped: u32,
    pub(super) turns: TurnTracker,
    /// Whether no message precedes the first one.
    pub(super) is_whole: bool,
    /// Whether something needed may precede the first message.
    pub(super) is_cut: bool,
    /// When the newest messages last changed.
    pub(super) moved_at: Option<Timestamp>,
}

impl Conversation {
    pub(super) fn take(&mut self, message: &Message) {
        let is_unknown = |part: &&Part| !part.cell.as_ref().is_some_and(PartCell::is_known);
        let n_unknown = message.parts.iter().filter(is_unknown).count();
        self.n_skipped = self.n_skipped.saturating_add(u32::try_from(n_unknown).unwrap_or(u32::MAX));
        match message.cell.as_ref().map(|cell| (cell, cell.role.as_str())) {
            Some((cell, "user")) => {
                self.mode = cell.agent.clone().or(self.mode.take());
                turns::take_prompt(message, &mut self.turns);
            }
            Some((cell, "assistant")) => {
                self.take_reply(cell);
                turns::take_reply(cell, message, message.moved_at(), &mut self.turns);
            }
            _ => {
                self.n_skipped = self.n_skipped.saturating_add(1);
                self.turns.lose_track();
            }
        }
    }

    fn take_reply(&mut self, cell: &MessageCell) {
        self.model = cell.model().or(self.model.take());
        // A compaction runs under an agent of its own.
        if !cell.is_summary() {
            self.mode = cell.agent.clone().or(self.mode.take());
        }
        self.context_tokens = cell.context_tokens().or(self.context_tokens);
        self.folder = cell.path.cwd.clone().or(self.folder.take());
        self.prompt_id = cell.parent_id.clone().or(self.prompt_id.take());
    }
}
