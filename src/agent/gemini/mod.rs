//! Gemini CLI: its chats under `tmp/<project>/chats/`.
//!
//! Seen in real runs of 0.61.0. A record is one line a message; one that grows comes again under the same
//! id, and lines `{"$set": …}` and `{"$rewindTo": …}` change what stood before. What is read here follows
//! the client's own reader (`loadConversationRecord`).
//!
//! A record does not tell two things. A reply that has text and calls a tool is written without the call
//! until the tool has answered, so while the tool waits for a permission the turn looks ended: the title
//! of the pane and the hooks tell. And no record has the client's version.

mod agent;
mod call;
mod chat;
mod command;
mod find;
mod input_log;
mod line;
mod messages;
mod projects;
mod survey;

pub(super) use agent::Gemini;

/// The agent's name in evidence and on the screen.
const NAME: &str = "gemini";
