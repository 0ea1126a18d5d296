//! A message and its parts as stored in the database: the JSON cells as far as they are used, and the text in
//! them. Pure. Unknown fields are ignored, and a field of an unexpected type counts as absent.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

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

/// Kinds of message parts that carry nothing used here.
const SILENT_PARTS: [&str; 10] = [
    "agent", "compaction", "file", "patch", "reasoning", "retry", "snapshot", "step-finish", "step-start",
    "subtask",
];

/// A cell of the table `message`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct MessageCell {
    pub(super) role: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) time: Times,
    /// The user message that an assistant message responds to.
    #[serde(default, rename = "parentID", deserialize_with = "lenient")]
    pub(super) parent_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) finish: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<ErrorCell>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) path: PathCell,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tokens: Option<Tokens>,
    #[serde(default, rename = "providerID", deserialize_with = "lenient")]
    pub(super) provider_id: Option<String>,
    #[serde(default, rename = "modelID", deserialize_with = "lenient")]
    pub(super) model_id: Option<String>,
    /// The agent that handled the turn, such as `build`.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) agent: Option<String>,
    /// `true` for the summary that replaces a conversation; an object in a user message.
    #[serde(default)]
    summary: Value,
}

/// Times in milliseconds since the Unix epoch.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Times {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) created: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) completed: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) start: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PathCell {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) cwd: Option<String>,
}

/// The error recorded instead of a reply.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorCell {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) data: ErrorData,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorData {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "lenient")]
    input: u64,
    #[serde(default, deserialize_with = "lenient")]
    cache: CachedTokens,
}

#[derive(Debug, Default, Deserialize)]
struct CachedTokens {
    #[serde(default, deserialize_with = "lenient")]
    read: u64,
    #[serde(default, deserialize_with = "lenient")]
    write: u64,
}

/// A cell of the table `part`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PartCell {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) text: String,
    /// Set on text written by the client, not by a user: a file's content, a reminder.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) synthetic: bool,
    /// Set on text not passed to the model.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) ignored: bool,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool: String,
    #[serde(default, rename = "callID", deserialize_with = "lenient")]
    call_id: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) state: ToolState,
}

/// The state of a tool call.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolState {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) status: String,
    #[serde(default)]
    pub(super) input: Value,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<String>,
    /// The tool's result.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) output: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) metadata: ToolMetadata,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) time: Times,
}

/// What a tool records besides its output.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolMetadata {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) exit: Option<i32>,
    /// The session of the subagent that the tool started.
    #[serde(default, rename = "sessionId", deserialize_with = "lenient")]
    pub(super) session_id: Option<String>,
}

impl MessageCell {
    pub(super) fn parse(cell: &str) -> Option<MessageCell> {
        object(cell)
    }

    /// Whether this is the summary of a compaction.
    pub(super) fn is_summary(&self) -> bool {
        self.summary == Value::Bool(true)
    }

    /// The size of the request's input in tokens, cached or not. `None` if it is not recorded.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        let tokens = self.tokens.as_ref()?;
        let sum = tokens.input.saturating_add(tokens.cache.read).saturating_add(tokens.cache.write);
        (sum > 0).then_some(sum)
    }

    /// Provider and model, such as `anthropic/claude-sonnet`.
    pub(super) fn model(&self) -> Option<String> {
        let model = self.model_id.as_deref().filter(|model| !model.is_empty())?;
        Some(match self.provider_id.as_deref().filter(|provider| !provider.is_empty()) {
            Some(provider) => format!("{provider}/{model}"),
            None => model.to_owned(),
        })
    }
}

impl PartCell {
    pub(super) fn parse(cell: &str) -> Option<PartCell> {
        object(cell)
    }

    /// Whether closeout knows this kind of part.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.kind.as_str(), "text" | "tool") || SILENT_PARTS.contains(&self.kind.as_str())
    }

    /// Text written by the user or the agent themselves.
    pub(super) fn spoken(&self) -> Option<&str> {
        let is_own = self.kind == "text" && !self.synthetic && !self.ignored;
        Some(self.text.trim()).filter(|text| is_own && !text.is_empty())
    }

    /// The id of the call; empty if none is recorded.
    pub(super) fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Whether this is a tool call without a result.
    pub(super) fn is_open_call(&self) -> bool {
        self.kind == "tool" && matches!(self.state.status.as_str(), "pending" | "running")
    }
}

/// Parses an object. serde would also accept an array of the same values.
fn object<T: serde::de::DeserializeOwned>(cell: &str) -> Option<T> {
    if cell.trim_start().starts_with('{') { serde_json::from_str(cell).ok() } else { None }
}

/// The value if it has the expected type, else the default.
fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}
