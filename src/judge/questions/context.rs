//! What is known about a message besides its words: how its turn ended, what was done in it, what was asked
//! for. Everything may be unknown, and what is unknown must not change anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the turn ended whose last message is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndOfTurn {
    /// By itself: the agent had said what it wanted to say.
    #[serde(rename = "end_turn")]
    ByItself,
    /// The record's last item is a call of a tool.
    ToolCall,
    /// The person, or a signal, interrupted it.
    Interrupted,
    /// With an error, or at a limit.
    #[serde(alias = "limit")]
    Error,
}

/// What is known about a message besides its words; `None` means unknown.
#[derive(Clone, Copy, Default, Debug)]
pub struct Context<'c> {
    /// The person's last request.
    pub request: Option<&'c str>,
    /// How the turn ended.
    pub end: Option<EndOfTurn>,
    /// How many file edits the turn made.
    pub edits: Option<u32>,
    /// How many commands it ran.
    pub commands: Option<u32>,
    /// How many commits it made.
    pub commits: Option<u32>,
    /// How many entries of its own to-do list are open.
    pub todos_open: Option<u32>,
}

/// The context of a message as a line of JSON has it.
#[derive(Clone, Default, Debug, Deserialize)]
pub struct ContextRecord {
    request: Option<String>,
    /// An unknown word says nothing.
    #[serde(default)]
    end: serde_json::Value,
    did: Option<Did>,
}

/// What the turn did, as far as it is known.
#[derive(Clone, Default, Debug, Deserialize)]
struct Did {
    edits: Option<u32>,
    commands: Option<u32>,
    commits: Option<u32>,
    todos_open: Option<u32>,
}

impl ContextRecord {
    /// The record as a context.
    pub fn context(&self) -> Context<'_> {
        let did = self.did.as_ref();
        Context {
            request: self.request.as_deref(),
            end: serde_json::from_value(self.end.clone()).ok(),
            edits: did.and_then(|did| did.edits),
            commands: did.and_then(|did| did.commands),
            commits: did.and_then(|did| did.commits),
            todos_open: did.and_then(|did| did.todos_open),
        }
    }
}

impl Context<'_> {
    /// Whether the turn did anything that its record shows.
    pub(super) fn acted(&self) -> bool {
        [self.edits, self.commands, self.commits].into_iter().flatten().any(|count| count > 0)
    }
}
