//! Gemini CLI: its chats under `tmp/<project>/chats/`.
//!
//! Observed with 0.61.0. A record has one line per message. A message that grows is repeated under the same
//! id, and the lines `{"$set": …}` and `{"$rewindTo": …}` change what came before. Reading follows the
//! client's own reader (`loadConversationRecord`).
//!
//! A record omits two things. A reply that has text and calls a tool is recorded without the call until the
//! tool has a result, so while the tool waits for permission the turn looks finished; the pane's title and
//! the hooks fill that gap. And no record contains the client's version.

mod agent;
mod call;
mod chat;
mod command;
mod find;
mod input_log;
mod line;
mod messages;
mod subagents;
mod survey;

pub(super) use agent::Gemini;

/// The agent's name in evidence and on screen.
const NAME: &str = "gemini";
