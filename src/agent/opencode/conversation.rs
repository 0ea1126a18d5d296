//! What the messages of a session say: a fold over them from the newest back. Pure and total.

use serde_json::Value;

use super::cell::{MessageCell, PartCell};
use crate::agent::record_text::{LONGEST_MESSAGE, end_of, shortened};
use crate::agent::turn_history::{HistoryBuilder, is_full_prompt};
use crate::model::{AgentMessage, Timestamp, TurnState};

/// The tool by which the agent asks the person.
pub(super) const QUESTION: &str = "question";
/// The error of a turn that the person broke off.
pub(super) const ABORTED: &str = "MessageAbortedError";
/// The errors of a tool after which the client ends the turn, although the model asked for more: the
/// person refused it without a word, or closed the question.
pub(super) const REFUSALS: [&str; 2] =
    ["The user rejected permission to use this specific tool call.", "The user dismissed this question"];
/// Arguments that say best what a tool was called with, the first that is there.
const TELLING: [&str; 8] = ["command", "filePath", "path", "description", "url", "query", "pattern", "name"];

/// A message and its parts, as the database holds them. A cell that is too long or no JSON is `None`.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Untrusted text.
    pub(super) id: String,
    /// When it was made.
    pub(super) created_at: Option<i64>,
    /// When its row last changed.
    pub(super) updated_at: Option<i64>,
    pub(super) cell: Option<MessageCell>,
    /// In their order.
    pub(super) parts: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// When its row last changed.
    pub(super) updated_at: Option<i64>,
    pub(super) cell: Option<PartCell>,
}

/// What was said, as far back as it was read.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The state of the last turn, once a message was taken.
    pub(super) turn: Option<TurnState>,
    pub(super) words: Option<AgentMessage>,
    pub(super) model: Option<String>,
    /// The agent of the newest message that is the person's or an answer to one.
    pub(super) mode: Option<String>,
    pub(super) context_tokens: Option<u64>,
    pub(super) folder: Option<String>,
    /// The message that holds the last prompt, where an answer names it.
    pub(super) prompt_id: Option<String>,
    pub(super) prompt: Option<(Option<Timestamp>, String)>,
    pub(super) moved_at: Option<Timestamp>,
    pub(super) n_skipped: u32,
    /// The turns, once they are gathered.
    pub(super) turns: HistoryBuilder,
    /// True when nothing stood before the first of them.
    pub(super) is_whole: bool,
    /// True when a prompt was taken that hardly ever only continues a task.
    pub(super) has_full_prompt: bool,
}

impl Conversation {
    /// Takes the message before those that were taken.
    pub(super) fn take(&mut self, message: &Message) {
        let parts_moved = message.parts.iter().filter_map(|part| part.updated_at).max();
        let moved_at = message.updated_at.max(message.created_at).max(parts_moved).map(Timestamp);
        self.moved_at = self.moved_at.max(moved_at);
        let n_unknown =
            message.parts.iter().filter(|part| !part.cell.as_ref().is_some_and(PartCell::is_known)).count();
        self.n_skipped = self.n_skipped.saturating_add(u32::try_from(n_unknown).unwrap_or(u32::MAX));
        let is_newest = self.turn.is_none();
        let turn = match message.cell.as_ref().map(|cell| (cell, cell.role.as_str())) {
            Some((cell, "user")) => {
                self.mode = self.mode.take().or_else(|| cell.agent.clone());
                self.take_prompt(message);
                self.has_full_prompt |= spoken(message).is_some_and(|words| is_full_prompt(&words));
                TurnState::Open { since: message.created_at.map(Timestamp), tool: None, what: None }
            }
            Some((cell, "assistant")) => {
                self.take_reply(cell, message);
                turn_of(cell, message, moved_at)
            }
            _ => {
                self.n_skipped = self.n_skipped.saturating_add(1);
                TurnState::Unknown
            }
        };
        if is_newest {
            self.turn = Some(turn);
        }
    }

    /// Takes a message before those that told all that is needed but the turns.
    pub(super) fn take_earlier(&mut self, message: &Message) {
        let is_prompt = message.cell.as_ref().is_some_and(|cell| cell.role == "user");
        self.has_full_prompt |= is_prompt && spoken(message).is_some_and(|words| is_full_prompt(&words));
    }

    /// True when older messages could add nothing that is needed.
    pub(super) fn is_enough(&self) -> bool {
        self.turn.is_some()
            && self.words.is_some()
            && self.model.is_some()
            && (self.prompt_id.is_some() || self.prompt.is_some())
    }

    /// Takes a user's message for the prompt, if it holds words of the person and none was taken.
    pub(super) fn take_prompt(&mut self, message: &Message) {
        let is_prompt = message.cell.as_ref().is_some_and(|cell| cell.role == "user");
        if self.prompt.is_some() || !is_prompt {
            return;
        }
        if let Some(words) = spoken(message) {
            self.prompt = Some((message.created_at.map(Timestamp), shortened(&words)));
        }
    }

    fn take_reply(&mut self, cell: &MessageCell, message: &Message) {
        self.model = self.model.take().or_else(|| cell.model());
        // A compaction goes by an agent of its own.
        if !cell.is_summary() {
            self.mode = self.mode.take().or_else(|| cell.agent.clone());
        }
        self.context_tokens = self.context_tokens.or_else(|| cell.context_tokens());
        self.folder = self.folder.take().or_else(|| cell.path.cwd.clone());
        self.prompt_id = self.prompt_id.take().or_else(|| cell.parent_id.clone());
        // What a compaction writes is for the model.
        if self.words.is_none()
            && !cell.is_summary()
            && let Some(text) = spoken(message)
        {
            let at = cell.time.completed.or(message.updated_at).map(Timestamp);
            self.words = Some(AgentMessage { text: end_of(&text, LONGEST_MESSAGE).to_owned(), at });
        }
    }
}

/// The state of the turn whose newest message is this one of the agent.
fn turn_of(cell: &MessageCell, message: &Message, moved_at: Option<Timestamp>) -> TurnState {
    let at = cell.time.completed.map(Timestamp).or(moved_at);
    if let Some(error) = &cell.error {
        if error.name == ABORTED {
            return TurnState::Interrupted { at };
        }
        let words = error.data.message.as_deref().filter(|words| !words.trim().is_empty());
        return TurnState::Failed { at, error: shortened(words.unwrap_or(&error.name)) };
    }
    if cell.time.completed.is_none() {
        return open(message, moved_at);
    }
    match cell.finish.as_deref() {
        Some("tool-calls" | "unknown") if was_refused(message) => TurnState::Interrupted { at },
        // The next message of the turn follows.
        Some("tool-calls" | "unknown") => open(message, moved_at),
        // Without a word on how it ended: a command that the person ran.
        Some(_) | None => TurnState::Ended { at },
    }
}

fn was_refused(message: &Message) -> bool {
    let calls = message.parts.iter().filter_map(|part| part.cell.as_ref());
    let mut errors =
        calls.filter(|cell| cell.state.status == "error").filter_map(|cell| cell.state.error.as_deref());
    errors.any(|error| REFUSALS.contains(&error.strip_prefix("Error: ").unwrap_or(error)))
}

fn open(message: &Message, moved_at: Option<Timestamp>) -> TurnState {
    let calls =
        || message.parts.iter().filter_map(|part| part.cell.as_ref()).filter(|cell| cell.is_open_call());
    // What asks the person comes before what runs beside it.
    let Some(call) = calls().find(|cell| cell.tool == QUESTION).or_else(|| calls().next()) else {
        return TurnState::Open { since: moved_at, tool: None, what: None };
    };
    let since = call.state.time.start.map(Timestamp).or(moved_at);
    let what = called_with(&call.tool, &call.state.input);
    TurnState::Open { since, tool: Some(call.tool.clone()), what }
}

/// What a tool was called with, shortened: a command, a file, a question.
fn called_with(tool: &str, input: &Value) -> Option<String> {
    if tool == QUESTION {
        return asked(input);
    }
    let words = TELLING.iter().find_map(|name| input.get(name)?.as_str());
    words.filter(|words| !words.trim().is_empty()).map(shortened)
}

/// The questions that are put to the person: `{"questions":[{"question":…,"options":[{"label":…}]}]}`.
/// Options are told in brackets.
pub(super) fn asked(input: &Value) -> Option<String> {
    let questions = input.get("questions")?.as_array()?.iter().filter_map(|question| {
        let words = question.get("question")?.as_str()?;
        let options = question.get("options").and_then(Value::as_array);
        let labels = options.into_iter().flatten().filter_map(|option| option.get("label")?.as_str());
        let labels = labels.collect::<Vec<_>>().join(", ");
        Some(if labels.is_empty() { words.to_owned() } else { format!("{words} ({labels})") })
    });
    let words = questions.collect::<Vec<_>>().join(" ");
    (!words.trim().is_empty()).then(|| shortened(&words))
}

/// The words of a message that are somebody's own.
pub(super) fn spoken(message: &Message) -> Option<String> {
    let cells = message.parts.iter().filter_map(|part| part.cell.as_ref());
    let words = cells.filter_map(PartCell::spoken).collect::<Vec<_>>().join("\n\n");
    (!words.is_empty()).then_some(words)
}
