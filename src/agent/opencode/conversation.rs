//! What the messages of a session say: a fold over them, in order, into turns. Pure and total.

use serde_json::Value;

use super::message::{Message, MessageCell, Part, PartCell, QUESTION, asked, called_with};
use crate::agent::turn_tracker::{
    Answer, ENOUGH_PROMPTS, ToolCall, TurnTracker, command, edit, failed, is_full_prompt, other_tool,
    prompt_kind, sent_off,
};
use crate::model::{BreakCause, Deed, Exit, Prompt, Timestamp, TurnEnd};

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
    /// Whether a part of a message cannot be read, so that it may have been a call.
    pub(super) has_unreadable: bool,
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
        self.has_unreadable |= message.parts.iter().any(|part| part.cell.is_none());
        let n_unknown = message.parts.iter().filter(is_unknown).count();
        self.n_skipped = self.n_skipped.saturating_add(u32::try_from(n_unknown).unwrap_or(u32::MAX));
        match message.cell.as_ref().map(|cell| (cell, cell.role.as_str())) {
            Some((cell, "user")) => {
                self.mode = cell.agent.clone().or(self.mode.take());
                take_prompt(message, &mut self.turns);
            }
            Some((cell, "assistant")) => {
                self.take_reply(cell);
                take_turn(cell, message, message.moved_at(), &mut self.turns);
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

/// Tools that only read or maintain a list.
const LOOKING: [&str; 12] = [
    "read", "grep", "glob", "list", "ls", "webfetch", "websearch", "codesearch", "todoread", "todowrite",
    "skill", "lsp",
];
const WRITE_TODOS: &str = "todowrite";
/// The tool that starts a subagent, which works in a session of its own.
const TASK: &str = "task";

/// The error of a turn that the user interrupted.
const ABORTED: &str = "MessageAbortedError";
/// Tool errors after which the client ends the turn although the model asked for more: the user refused
/// without comment, or closed the question.
const REFUSALS: [&str; 2] =
    ["The user rejected permission to use this specific tool call.", "The user dismissed this question"];

/// Takes a message in the place of a user's prompt.
fn take_prompt(message: &Message, tracker: &mut TurnTracker) {
    let at = message.created_at.map(Timestamp);
    let text = message.spoken().unwrap_or_default();
    let has_image = message.cells().any(|cell| cell.kind == "file");
    // No text from a user: a compaction, or something the client inserted.
    if text.is_empty() && !has_image {
        return tracker.start(at);
    }
    let kind = prompt_kind(&text);
    tracker.begin(&Prompt { text, kind, at, was_queued: false, has_image });
}

/// Takes a message of the agent. `moved_at` is when any part of it was last written.
fn take_turn(cell: &MessageCell, message: &Message, moved_at: Option<Timestamp>, tracker: &mut TurnTracker) {
    let at = message.created_at.map(Timestamp);
    // A compaction writes for the model, during a turn or after one.
    if cell.is_summary() {
        return match cell.time.completed {
            None => tracker.resume(moved_at),
            Some(_) if tracker.is_started() || !tracker.is_open() => tracker.close(moved_at),
            Some(_) => tracker.end(TurnEnd::BrokeOff { cause: BreakCause::TokenLimit }, moved_at),
        };
    }
    let said_at = cell.time.completed.or(message.updated_at).map(Timestamp);
    let mut was_refused = false;
    for (index, part) in message.cells().enumerate() {
        if let Some(text) = part.spoken() {
            tracker.say(Some(&message.id), text, said_at);
        }
        if part.kind == "tool" {
            let id = match part.call_id() {
                "" => format!("{} {index}", message.id),
                id => id.to_owned(),
            };
            was_refused |= take_call(&id, part, cell, at, tracker);
        }
    }
    let ended_at = cell.time.completed.map(Timestamp).or(moved_at);
    if let Some(error) = &cell.error {
        let text = error.data.message.as_deref().filter(|text| !text.trim().is_empty());
        let end =
            if error.name == ABORTED { TurnEnd::Interrupted } else { failed(text.unwrap_or(&error.name)) };
        return tracker.end(end, ended_at);
    }
    if cell.time.completed.is_none() {
        // An open call says when it started.
        let has_call = message.cells().any(|part| part.is_open_call() && part.state.time.start.is_some());
        return tracker.resume(moved_at.filter(|_| !has_call));
    }
    match cell.finish.as_deref() {
        Some("tool-calls" | "unknown") if was_refused => tracker.end(TurnEnd::Interrupted, ended_at),
        // Another message of the turn follows.
        Some("tool-calls" | "unknown") => tracker.resume(moved_at),
        Some("length") => tracker.end(TurnEnd::BrokeOff { cause: BreakCause::TokenLimit }, ended_at),
        Some("content-filter") => tracker.end(TurnEnd::BrokeOff { cause: BreakCause::Refusal }, ended_at),
        // A message that does not say how it ended is a command that the user ran.
        Some(_) | None => tracker.end(TurnEnd::Finished, ended_at),
    }
}

/// Takes a call and its result. Returns whether the user refused it.
fn take_call(
    id: &str,
    part: &PartCell,
    cell: &MessageCell,
    at: Option<Timestamp>,
    tracker: &mut TurnTracker,
) -> bool {
    let state = &part.state;
    let at = state.time.start.map(Timestamp).or(at);
    tracker.call(
        ToolCall {
            id: id.to_owned(),
            tool: part.tool.clone(),
            what: called_with(&part.tool, &state.input),
            deed: deed_of(&part.tool, &state.input, cell.path.cwd.as_deref()),
            ..ToolCall::default()
        },
        at,
    );
    if part.is_open_call() {
        return false;
    }
    if part.tool == WRITE_TODOS && state.status == "completed" {
        tracker.todos_written(at);
    }
    let error = state.error.as_deref().map(|error| error.strip_prefix("Error: ").unwrap_or(error));
    let is_refused = error.is_some_and(|error| REFUSALS.contains(&error));
    let exit = match (state.status.as_str(), state.metadata.exit) {
        _ if is_refused || error.is_some_and(|error| error.contains("rejected permission")) => Exit::Refused,
        (_, Some(code)) => Exit::Code(code),
        ("error", None) if error.is_some_and(|error| error.contains("aborted")) => Exit::Stopped,
        ("error", None) => Exit::Failed,
        // The command tool records the exit code; without one the outcome is unknown.
        (_, None) if part.tool == "bash" => Exit::Unknown,
        (_, None) => Exit::Code(0),
    };
    let output = if state.output.is_empty() { error.unwrap_or_default() } else { &state.output };
    let job = state.metadata.session_id.as_deref().filter(|_| part.tool == TASK);
    tracker.answer(id, &Answer { exit: Some(exit), output, job }, at);
    is_refused
}

fn deed_of(tool: &str, input: &Value, folder: Option<&str>) -> Option<Deed> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    match tool {
        _ if LOOKING.contains(&tool) => None,
        "bash" | "shell" => Some(command(text("command")?, text("workdir").or(folder))),
        "edit" | "write" | "multiedit" => Some(edit(text("filePath").map(str::to_owned))),
        "patch" | "apply_patch" => Some(edit(None)),
        QUESTION => Some(Deed::Asked { words: asked(input).unwrap_or_default(), was_answered: false }),
        TASK => Some(sent_off(text("description").unwrap_or_default(), None)),
        _ => other_tool(tool),
    }
}
