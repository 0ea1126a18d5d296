//! The lines of a rollout, as far as they are used. Unknown fields are ignored.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::moment;
use crate::agent::turn_tracker::{TurnTracker, prompt_kind};
use crate::model::{GoalState, PromptKind, Timestamp};

#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    timestamp: Option<String>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// The type of a payload, or of an item in it.
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

/// Why a turn failed, in words for the user.
#[derive(Debug, Deserialize)]
pub(super) struct TurnError {
    #[serde(default)]
    pub(super) message: String,
}

/// What a `token_count` event reports.
#[derive(Debug, Deserialize)]
pub(super) struct TokenInfo {
    pub(super) last_token_usage: Option<TokenUsage>,
    pub(super) model_context_window: Option<u64>,
}

/// The token counts of one request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenUsage {
    pub(super) input_tokens: u64,
    pub(super) total_tokens: u64,
}

/// An item that consists of text.
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

/// An item about a subagent.
#[derive(Debug, Deserialize)]
pub(super) struct SubagentActivity {
    pub(super) kind: String,
    pub(super) agent_thread_id: String,
    pub(super) agent_path: Option<String>,
}

/// A tool call, in any of its forms.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Call {
    #[serde(rename = "call_id")]
    pub(super) id: Option<String>,
    /// The id of the line, used if the call has no id of its own.
    #[serde(rename = "id")]
    pub(super) item_id: Option<String>,
    pub(super) name: Option<String>,
    /// The arguments of a function: JSON in a string.
    pub(super) arguments: Option<String>,
    /// The input of a free-form tool.
    pub(super) input: Option<String>,
    /// The input of a local shell.
    pub(super) action: Option<ShellAction>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ShellAction {
    #[serde(default)]
    pub(super) command: Vec<String>,
}

/// A tool's result.
#[derive(Debug, Deserialize)]
pub(super) struct Output<'a> {
    pub(super) call_id: String,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ThreadGoal {
    pub(super) objective: String,
    pub(super) status: String,
}

impl<'a> Line<'a> {
    /// Parses one line. `None` if it is not JSON of this shape.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Line<'a>> {
        serde_json::from_slice(bytes).ok()
    }

    pub(super) fn at(&self) -> Option<Timestamp> {
        moment(self.timestamp.as_deref()?)
    }

    /// The payload's JSON text.
    pub(super) fn payload(&self) -> Option<&'a str> {
        self.payload.map(RawValue::get)
    }
}

/// Parses a part of a line. `None` if it has another shape.
pub(super) fn parsed<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// The item by which a hook keeps a turn open.
#[derive(Debug, Deserialize)]
pub(super) struct HookPrompt {
    #[serde(default)]
    fragments: Vec<Part>,
}

impl HookPrompt {
    pub(super) fn text(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }
}

impl Output<'_> {
    /// The text, or the joined text of its parts.
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
    /// The joined text of its parts.
    pub(super) fn text(&self) -> String {
        self.content.iter().map(|part| part.text.as_str()).collect()
    }
}

/// Prefixes of `user` messages that no user wrote.
const NO_PROMPTS: [&str; 7] = [
    "<environment_context>", "<turn_aborted>", "<hook_prompt", "<user_instructions>", "<user_shell_command>",
    "<subagent_notification>", "# AGENTS.md instructions",
];

/// Who wrote a text in the place of a user's prompt. `None` for context that the client adds.
pub(super) fn written_by(text: &str) -> Option<PromptKind> {
    let begins = |start: &str| text.starts_with(start);
    if begins("<hook_prompt") {
        Some(PromptKind::HookFeedback)
    } else if begins("<user_shell_command>") {
        Some(PromptKind::ClientCommand)
    } else if begins("<subagent_notification>") {
        Some(PromptKind::Notice)
    } else {
        (!NO_PROMPTS.iter().any(|start| begins(start))).then(|| prompt_kind(text))
    }
}

/// Takes the state of the thread's goal. `None` clears the goal.
pub(super) fn take_goal(tracker: &mut TurnTracker, goal: Option<&ThreadGoal>, at: Option<Timestamp>) {
    let Some(goal) = goal else { return tracker.set_goal(None, at) };
    let state = match goal.status.as_str() {
        "complete" | "completed" => GoalState::Reached,
        "paused" | "blocked" => GoalState::Paused,
        "budget_limited" | "budgetLimited" | "usage_limited" | "usageLimited" => GoalState::Exhausted,
        _ => GoalState::Active,
    };
    tracker.set_goal(Some((&goal.objective, state)), at);
}

/// Whether an unreadable line certainly does not belong to the conversation: it parses but is of a new
/// kind, or its start names one of `kinds`.
pub(super) fn is_quiet(line: &[u8], kinds: &[&[&str]]) -> bool {
    if Line::parse(line).is_some() {
        return true;
    }
    let begin = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let others = ["token_count", "reasoning", "turn_context"];
    let mut kinds = kinds.iter().copied().flatten().chain(&others);
    kinds.any(|kind| begin.contains(&format!("\"type\":\"{kind}\"")))
}
