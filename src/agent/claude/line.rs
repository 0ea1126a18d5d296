//! The lines of a transcript, as far as they are used. Unknown fields are ignored.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::{moment, shortened_if_any};
use crate::model::Timestamp;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the transcript")]
pub(super) struct Line<'a> {
    /// The line's type.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    /// The subtype of a `system` line.
    pub(super) subtype: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) version: Option<String>,
    /// The line's own id. Bookkeeping lines have none.
    pub(super) uuid: Option<String>,
    /// How the client was started: `cli` with a screen, `sdk-cli` without.
    pub(super) entrypoint: Option<String>,
    /// Set on a subagent's line.
    #[serde(default)]
    pub(super) is_sidechain: bool,
    /// Set on a line written by the client, not by a user.
    #[serde(default)]
    pub(super) is_meta: bool,
    /// Set on the summary that replaces a conversation after compaction.
    #[serde(default)]
    pub(super) is_compact_summary: bool,
    /// Set on a model error recorded as a reply.
    #[serde(default)]
    pub(super) is_api_error_message: bool,
    pub(super) prompt_source: Option<String>,
    pub(super) origin: Option<Origin>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) attachment: Option<&'a RawValue>,
    /// The tool's structured result, beside the text shown to the model.
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    /// What a `queue-operation` line does.
    pub(super) operation: Option<String>,
    /// The text of a `system` or `queue-operation` line.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) hook_errors: Vec<String>,
    /// Indexes into `hook_errors` of hooks that failed themselves and therefore block nothing.
    #[serde(default)]
    pub(super) failed_hook_error_indexes: Vec<usize>,
    #[serde(default)]
    pub(super) hook_additional_context: Vec<String>,
    #[serde(default)]
    pub(super) prevented_continuation: bool,
    #[serde(default)]
    pub(super) prevent_continuation: bool,
    /// The name the user gave the session.
    #[serde(borrow)]
    pub(super) custom_title: Option<&'a RawValue>,
    /// The name a model generated for the session.
    #[serde(borrow)]
    pub(super) ai_title: Option<&'a RawValue>,
    /// The generated name in old versions.
    #[serde(borrow)]
    pub(super) summary: Option<&'a RawValue>,
}

/// Where a `user` line comes from.
#[derive(Debug, Deserialize)]
pub(super) struct Origin {
    #[serde(default)]
    pub(super) kind: String,
}

/// The message of a `user` or `assistant` line.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Message<'a> {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) stop_reason: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// The token counts of one request, as far as they are used.
#[derive(Debug, Default, Deserialize)]
struct Usage {
    #[serde(default, rename = "input_tokens")]
    input: u64,
    #[serde(default, rename = "cache_creation_input_tokens")]
    put_into_cache: u64,
    #[serde(default, rename = "cache_read_input_tokens")]
    read_from_cache: u64,
    #[serde(default, rename = "output_tokens")]
    output: u64,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) tool_use_id: Option<String>,
    /// A tool's result: a string, or a list of blocks.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    /// Whether the tool failed, so `content` is an error.
    #[serde(default, deserialize_with = "flag")]
    pub(super) is_error: bool,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
}

/// A context attachment, as far as it is used.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Attachment<'a> {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    /// The prompt typed while the agent was working: a string, or a list of blocks.
    #[serde(borrow)]
    pub(super) prompt: Option<&'a RawValue>,
    /// The session's goal, if the attachment names it.
    #[serde(borrow)]
    pub(super) condition: Option<&'a RawValue>,
    /// Whether the goal has been reached.
    #[serde(borrow)]
    pub(super) met: Option<&'a RawValue>,
}

impl<'a> Line<'a> {
    /// Parses one line. `None` if it is not JSON of this shape.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Line<'a>> {
        serde_json::from_slice(bytes).ok()
    }

    pub(super) fn at(&self) -> Option<Timestamp> {
        moment(self.timestamp.as_deref()?)
    }

    /// The message, if there is one and it parses.
    pub(super) fn message(&self) -> Option<Message<'a>> {
        serde_json::from_str(self.message?.get()).ok()
    }

    /// The text of a `system` or `queue-operation` line.
    pub(super) fn content_text(&self) -> Option<String> {
        text_of(self.content)
    }

    /// The prompt that a hook blocked, if this line reports that.
    pub(super) fn blocked_prompt(&self) -> Option<String> {
        let text =
            self.content_text().filter(|text| text.starts_with("UserPromptSubmit operation blocked"))?;
        text.split_once("\n\nOriginal prompt: ").map(|(_, prompt)| prompt.to_owned())
    }
}

/// Reads a flag that old versions write as `null`.
fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(deserializer)?.unwrap_or_default())
}

/// The text in a field that may hold another type.
pub(super) fn text_of(field: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(field?.get()).ok()
}

impl<'a> Message<'a> {
    /// The size of the conversation after this message, in tokens: the input, whether cached or not, and
    /// the output.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        let usage: Usage = serde_json::from_str(self.usage?.get()).ok()?;
        let parts = [usage.input, usage.put_into_cache, usage.read_from_cache, usage.output];
        Some(parts.into_iter().fold(0, u64::saturating_add)).filter(|tokens| *tokens > 0)
    }

    /// The content blocks. A plain string becomes one text block.
    pub(super) fn blocks(&self) -> Option<Vec<Block<'a>>> {
        let content = self.content?.get();
        if content.starts_with('"') {
            let text = serde_json::from_str(content).ok()?;
            return Some(vec![Block { kind: "text".to_owned(), text: Some(text), ..Block::default() }]);
        }
        serde_json::from_str(content).ok()
    }
}

#[derive(Debug, Default)]
pub(super) struct Titles {
    /// By the user.
    given: Option<String>,
    /// By a model.
    made: Option<String>,
}

impl Titles {
    /// Takes a bookkeeping line. An empty name from the user removes the previous one.
    pub(super) fn take(&mut self, line: &Line<'_>) {
        let name = |text: String| shortened_if_any(&text);
        match &*line.kind {
            "custom-title" => {
                if let Some(title) = text_of(line.custom_title) {
                    self.given = name(title);
                }
            }
            "ai-title" => self.made = text_of(line.ai_title).and_then(name).or(self.made.take()),
            "summary" => self.made = text_of(line.summary).and_then(name).or(self.made.take()),
            _ => {}
        }
    }

    /// The session's name: the user's, else the generated one.
    pub(super) fn name(&self) -> Option<String> {
        self.given.clone().or_else(|| self.made.clone())
    }
}
