//! What the messages of a session say: a fold over them in their order. Pure and total.

use super::cell::{MessageCell, PartCell};
use super::message::{Message, Part};
use super::turns;
use crate::agent::turn_tracker::{TurnTracker, is_full_prompt};
use crate::model::Timestamp;

/// So many full prompts hold the begin of the task that goes on, also where the newest ask beside it.
const ENOUGH_PROMPTS: u32 = 3;

/// Which of the things that are looked for the messages hold that were read, from the newest back.
#[derive(Debug, Default)]
pub(super) struct Found {
    words: bool,
    model: bool,
    prompt: bool,
    n_full_prompts: u32,
    /// When the messages that were looked for last moved.
    pub(super) moved_at: Option<Timestamp>,
}

impl Found {
    /// Takes the message before those that were taken.
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

    /// True when older messages could add nothing that is needed but turns.
    pub(super) fn is_enough(&self) -> bool {
        self.words && self.model && self.prompt
    }

    /// True when older turns are seldom needed either.
    pub(super) fn has_task(&self) -> bool {
        self.n_full_prompts >= ENOUGH_PROMPTS
    }
}

/// What was said, as far back as it was read: a fold over messages in their order.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) model: Option<String>,
    /// The agent of the newest message that is the person's or an answer to one.
    pub(super) mode: Option<String>,
    pub(super) context_tokens: Option<u64>,
    pub(super) folder: Option<String>,
    /// The message that holds the last prompt, where an answer names it.
    pub(super) prompt_id: Option<String>,
    /// That prompt with its moment, where it stands before the messages that were read.
    pub(super) earlier_prompt: Option<(Option<Timestamp>, String)>,
    pub(super) n_skipped: u32,
    pub(super) turns: TurnTracker,
    /// True when nothing stood before the first message.
    pub(super) is_whole: bool,
    /// True when something that is looked for may stand before it.
    pub(super) is_cut: bool,
    /// When the newest messages last moved.
    pub(super) moved_at: Option<Timestamp>,
}

impl Conversation {
    /// Takes the next message.
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
        // A compaction goes by an agent of its own.
        if !cell.is_summary() {
            self.mode = cell.agent.clone().or(self.mode.take());
        }
        self.context_tokens = cell.context_tokens().or(self.context_tokens);
        self.folder = cell.path.cwd.clone().or(self.folder.take());
        self.prompt_id = cell.parent_id.clone().or(self.prompt_id.take());
    }
}
