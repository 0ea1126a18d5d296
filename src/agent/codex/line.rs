//! The lines of a rollout, as far as they are used. Unknown fields are passed over.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::moment;
use crate::model::Timestamp;

/// One line.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    /// What kind of line it is.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    timestamp: Option<String>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// The kind of a payload, or of an item in it.
#[derive(Debug, Deserialize)]
pub(super) struct Tag<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
}

/// The payload of a `turn_context` line.
#[derive(Debug, Deserialize)]
pub(super) struct Context {
    pub(super) cwd: Option<String>,
    pub(super) model: Option<String>,
}

/// Why a turn failed.
#[derive(Debug, Deserialize)]
pub(super) struct TurnError {
    #[serde(default)]
    pub(super) message: String,
}

/// What was counted.
#[derive(Debug, Deserialize)]
pub(super) struct TokenInfo {
    pub(super) last_token_usage: Option<TokenUsage>,
    pub(super) model_context_window: Option<u64>,
}

/// The tokens of one request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenUsage {
    pub(super) input_tokens: u64,
    pub(super) total_tokens: u64,
}

/// An item that has words.
#[derive(Debug, Deserialize)]
pub(super) struct TextItem {
    #[serde(default)]
    content: Vec<Part>,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

/// An item that tells of a subagent.
#[derive(Debug, Deserialize)]
pub(super) struct SubagentActivity {
    pub(super) kind: String,
    pub(super) agent_thread_id: String,
    pub(super) agent_path: Option<String>,
}

/// The call of a tool, in each of its forms.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Call {
    #[serde(rename = "call_id")]
    pub(super) id: Option<String>,
    /// The id of the line, which stands in for one of its own.
    #[serde(rename = "id")]
    pub(super) item_id: Option<String>,
    pub(super) name: Option<String>,
    /// What a function is called with: JSON as text.
    pub(super) arguments: Option<String>,
    /// What a free-form tool is called with.
    pub(super) input: Option<String>,
    /// What a local shell is called with.
    pub(super) action: Option<ShellAction>,
}

/// What a local shell is called with.
#[derive(Debug, Deserialize)]
pub(super) struct ShellAction {
    #[serde(default)]
    pub(super) command: Vec<String>,
}

/// What a tool gave back.
#[derive(Debug, Deserialize)]
pub(super) struct Output<'a> {
    pub(super) call_id: String,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// The goal of a thread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ThreadGoal {
    pub(super) objective: String,
    pub(super) status: String,
}

impl<'a> Line<'a> {
    /// The line, if it is one.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Line<'a>> {
        serde_json::from_slice(bytes).ok()
    }

    /// When it was written.
    pub(super) fn at(&self) -> Option<Timestamp> {
        moment(self.timestamp.as_deref()?)
    }

    /// The payload's text.
    pub(super) fn payload(&self) -> Option<&'a str> {
        self.payload.map(RawValue::get)
    }
}

/// A part of a line, if it has that form.
pub(super) fn parsed<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// An item by which a hook does not let the turn end.
#[derive(Debug, Deserialize)]
pub(super) struct HookPrompt {
    #[serde(default)]
    fragments: Vec<Part>,
}

impl HookPrompt {
    /// Its words.
    pub(super) fn text(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }
}

impl Output<'_> {
    /// The text, or the text of its parts.
    pub(super) fn text(&self) -> Option<String> {
        let raw = self.output?.get();
        if raw.starts_with('"') {
            return parsed(raw);
        }
        let parts: Vec<Part> = parsed(raw)?;
        Some(parts.into_iter().map(|part| part.text).collect())
    }
}

impl TextItem {
    /// The words.
    pub(super) fn text(&self) -> String {
        self.content.iter().map(|part| part.text.as_str()).collect()
    }
}
