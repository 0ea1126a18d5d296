//! A message and its parts as stored in the database, and the text in them. Pure.

use serde_json::Value;

use super::cell::{MessageCell, PartCell};
use crate::agent::record_text::shortened;
use crate::model::Timestamp;

/// The tool through which the agent asks the user.
pub(super) const QUESTION: &str = "question";
/// Arguments that say best what a tool was called with. The first one present is used.
const TELLING: [&str; 8] = ["command", "filePath", "path", "description", "url", "query", "pattern", "name"];

/// A message and its parts. A cell that is too long or not valid is `None`.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Untrusted.
    pub(super) id: String,
    /// When it was created, in milliseconds since the Unix epoch.
    pub(super) created_at: Option<i64>,
    /// When its row last changed, in milliseconds since the Unix epoch.
    pub(super) updated_at: Option<i64>,
    pub(super) cell: Option<MessageCell>,
    /// In order.
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Default)]
pub(super) struct Part {
    /// When its row last changed, in milliseconds since the Unix epoch.
    pub(super) updated_at: Option<i64>,
    pub(super) cell: Option<PartCell>,
}

impl Message {
    /// The parts that could be parsed.
    pub(super) fn cells(&self) -> impl Iterator<Item = &PartCell> {
        self.parts.iter().filter_map(|part| part.cell.as_ref())
    }

    /// When its row or one of its parts last changed.
    pub(super) fn moved_at(&self) -> Option<Timestamp> {
        let parts_moved = self.parts.iter().filter_map(|part| part.updated_at).max();
        self.updated_at.max(self.created_at).max(parts_moved).map(Timestamp)
    }

    /// The text written by the user or the agent themselves.
    pub(super) fn spoken(&self) -> Option<String> {
        let words = self.cells().filter_map(PartCell::spoken).collect::<Vec<_>>().join("\n\n");
        (!words.is_empty()).then_some(words)
    }
}

/// What a tool was called with, shortened: a command, a file, a question.
pub(super) fn called_with(tool: &str, input: &Value) -> Option<String> {
    if tool == QUESTION {
        return asked(input);
    }
    let words = TELLING.iter().find_map(|name| input.get(name)?.as_str());
    words.filter(|words| !words.trim().is_empty()).map(shortened)
}

/// The questions put to the user, from `{"questions":[{"question":…,"options":[{"label":…}]}]}`, with the
/// options in parentheses.
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
