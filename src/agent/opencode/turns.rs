//! The turns of a session of opencode, from its messages in their order. Pure.

use serde_json::Value;

use super::cell::{MessageCell, PartCell};
use super::conversation::{ABORTED, Message, QUESTION, REFUSALS, asked, spoken};
use crate::agent::record_text::shortened;
use crate::agent::turn_history::{Answer, HistoryBuilder, command, edit, failed, other_tool, prompt_kind};
use crate::model::{BreakCause, Deed, Exit, Prompt, Timestamp, TurnEnd};

/// Tools that only look, or keep a list.
const LOOKING: [&str; 12] = [
    "read",
    "grep",
    "glob",
    "list",
    "ls",
    "webfetch",
    "websearch",
    "codesearch",
    "todoread",
    "todowrite",
    "skill",
    "lsp",
];
/// The tool that writes the todo list.
const WRITE_TODOS: &str = "todowrite";

/// The turns of messages that are given in their order.
pub(super) fn turns<'m>(messages: impl Iterator<Item = &'m Message>) -> HistoryBuilder {
    let mut tracker = HistoryBuilder::default();
    for message in messages {
        let at = message.created_at.map(Timestamp);
        match message.cell.as_ref().map(|cell| (cell, cell.role.as_str())) {
            Some((_, "user")) => take_prompt(message, at, &mut tracker),
            Some((cell, "assistant")) => take_reply(cell, message, at, &mut tracker),
            _ => tracker.lose_track(),
        }
    }
    tracker
}

fn cells(message: &Message) -> impl Iterator<Item = &PartCell> {
    message.parts.iter().filter_map(|part| part.cell.as_ref())
}

fn take_prompt(message: &Message, at: Option<Timestamp>, tracker: &mut HistoryBuilder) {
    let text = spoken(message).unwrap_or_default();
    let has_image = cells(message).any(|cell| cell.kind == "file");
    // A message without words of a person: a compaction, what a client put in.
    if text.is_empty() && !has_image {
        return tracker.note(at);
    }
    let kind = prompt_kind(&text);
    tracker.begin(&Prompt { text, kind, at, was_queued: false, has_image });
}

fn take_reply(cell: &MessageCell, message: &Message, at: Option<Timestamp>, tracker: &mut HistoryBuilder) {
    // A compaction writes for the model.
    if cell.is_summary() {
        return tracker.note(at);
    }
    let mut was_refused = false;
    for (index, part) in cells(message).enumerate() {
        if let Some(text) = part.spoken() {
            tracker.say(text, at);
        }
        if part.kind == "tool" {
            let id = if part.call_id().is_empty() {
                format!("{} {index}", message.id)
            } else {
                part.call_id().to_owned()
            };
            was_refused |= take_call(&id, part, cell, at, tracker);
        }
    }
    let ended_at = cell.time.completed.map(Timestamp).or(message.updated_at.map(Timestamp)).or(at);
    if let Some(error) = &cell.error {
        let text = error.data.message.as_deref().filter(|text| !text.trim().is_empty());
        let end =
            if error.name == ABORTED { TurnEnd::Interrupted } else { failed(text.unwrap_or(&error.name)) };
        return tracker.end(end, ended_at);
    }
    if cell.time.completed.is_none() {
        return tracker.resume(at);
    }
    match cell.finish.as_deref() {
        Some("tool-calls" | "unknown") if was_refused => tracker.end(TurnEnd::Interrupted, ended_at),
        Some("tool-calls" | "unknown") => tracker.resume(ended_at),
        Some("length") => tracker.end(TurnEnd::BrokeOff { cause: BreakCause::TokenLimit }, ended_at),
        Some("content-filter") => tracker.end(TurnEnd::BrokeOff { cause: BreakCause::Refusal }, ended_at),
        Some(_) | None => tracker.end(TurnEnd::Finished, ended_at),
    }
}

/// Takes a call with its answer; true if the person refused it.
fn take_call(
    id: &str,
    part: &PartCell,
    cell: &MessageCell,
    at: Option<Timestamp>,
    tracker: &mut HistoryBuilder,
) -> bool {
    let state = &part.state;
    let at = state.time.start.map(Timestamp).or(at);
    tracker.call(id, deed_of(&part.tool, &state.input, cell.path.cwd.as_deref()), at);
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
        // The tool for commands notes the code; without one nobody can tell.
        (_, None) if part.tool == "bash" => Exit::Unknown,
        (_, None) => Exit::Code(0),
    };
    let output = if state.output.is_empty() { error.unwrap_or_default() } else { &state.output };
    tracker.answer(id, &Answer { exit: Some(exit), output, job: None }, at);
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
        "task" => Some(Deed::SentOff { what: shortened(text("description").unwrap_or_default()) }),
        _ => other_tool(tool),
    }
}
