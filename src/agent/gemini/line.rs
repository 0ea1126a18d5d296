//! The lines of a chat, as far as they are used. Unknown fields are ignored.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::moment;
use crate::model::Timestamp;

/// One line: the head of a chat, a message, or a change to earlier lines.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    pub(super) id: Option<String>,
    pub(super) timestamp: Option<String>,
    /// The message's type: `user`, `gemini`, `info`, `error` or `warning`.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    /// What the user typed, if the model was given more.
    #[serde(borrow)]
    display_content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<&'a RawValue>,
    pub(super) tokens: Option<Tokens>,
    pub(super) model: Option<String>,
    /// A change to the chat's head.
    #[serde(rename = "$set", borrow)]
    pub(super) set: Option<&'a RawValue>,
    /// Retracts the message with this id and all later ones.
    #[serde(rename = "$rewindTo")]
    pub(super) rewind_to: Option<String>,
    /// The session's id, in a head.
    pub(super) session_id: Option<String>,
    pub(super) project_hash: Option<String>,
}

/// The head of a chat, or a change to it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head<'a> {
    pub(super) session_id: Option<String>,
    /// `main` or `subagent`.
    pub(super) kind: Option<String>,
    pub(super) summary: Option<String>,
    /// Replaces all messages.
    #[serde(borrow)]
    pub(super) messages: Option<Vec<&'a RawValue>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) input: u64,
}

/// A tool call of a reply, recorded once the tool has a result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCall<'a> {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) status: String,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
    /// The tool's result, as the API returns it.
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) timestamp: Option<String>,
}

/// A part of a message's content (`Part` in the Gemini API).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    pub(super) text: Option<String>,
    #[serde(borrow)]
    pub(super) thought: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionCall<'a>>,
    #[serde(borrow)]
    pub(super) function_response: Option<FunctionResponse<'a>>,
}

/// A tool call, in the API's form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionCall<'a> {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
}

/// A tool's result, in the API's form.
#[derive(Debug, Deserialize)]
pub(super) struct FunctionResponse<'a> {
    #[serde(default)]
    pub(super) id: String,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResponseError<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl<'a> Line<'a> {
    /// Parses one line. `None` if it is not JSON of this shape.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Line<'a>> {
        serde_json::from_slice(bytes).ok()
    }

    /// Whether this is the head of a chat. A resumed record has further heads in the middle.
    pub(super) fn is_head(&self) -> bool {
        let is_change = self.id.is_some() || self.set.is_some() || self.rewind_to.is_some();
        !is_change && self.session_id.is_some() && self.project_hash.is_some()
    }

    pub(super) fn at(&self) -> Option<Timestamp> {
        moment(self.timestamp.as_deref()?)
    }

    /// Whether the content is one string, as in a reply just received. What the client rewrites from its
    /// history consists of parts.
    pub(super) fn is_plain(&self) -> bool {
        self.content.is_some_and(|content| content.get().starts_with('"'))
    }

    pub(super) fn parts(&self) -> Vec<Part<'a>> {
        self.content.map(parts).unwrap_or_default()
    }

    /// What the user typed, if it is recorded separately.
    pub(super) fn typed(&self) -> Option<Vec<Part<'a>>> {
        self.display_content.map(parts)
    }

    pub(super) fn calls(&self) -> Vec<ToolCall<'a>> {
        self.tool_calls.and_then(|calls| serde_json::from_str(calls.get()).ok()).unwrap_or_default()
    }
}

impl FunctionResponse<'_> {
    /// Whether the tool failed or was refused.
    pub(super) fn is_error(&self) -> bool {
        let response =
            self.response.and_then(|raw| serde_json::from_str::<ResponseError<'_>>(raw.get()).ok());
        response.is_some_and(|response| response.error.is_some())
    }
}

/// The parts of a content, which is a string, a part, or a list of either.
fn parts(content: &RawValue) -> Vec<Part<'_>> {
    let raw = content.get();
    if raw.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
        return list.into_iter().filter_map(part).collect();
    }
    part(content).into_iter().collect()
}

fn part(raw: &RawValue) -> Option<Part<'_>> {
    if raw.get().starts_with('"') {
        return Some(Part { text: serde_json::from_str(raw.get()).ok(), ..Part::default() });
    }
    serde_json::from_str(raw.get()).ok()
}
