//! Which session a screen of Gemini CLI shows, as far as its log of inputs tells: `tmp/<project>/logs.json`,
//! a list of what persons typed. Seen with 0.61.0.
//!
//! Nothing else tells it. The title names the project alone, and a session that `/clear` or `/resume` went on
//! to is written down by its first prompt at the earliest, so that what is pasted after one of these would
//! begin or go on with another session than the one that closeout knows. The id in an entry is the session
//! that its process began with, also after `/clear`: it tells the processes of a folder apart, no more.

use std::path::Path;

use serde::Deserialize;

use crate::agent::record::read_small;
use crate::agent::record_text::{moment, shortened};
use crate::model::{SessionObservation, Timestamp};

/// A longer log is not read, in bytes.
const LONGEST: u64 = 32 << 20;
/// The name of the log, beside the folder of the chats.
const LOG: &str = "logs.json";
/// Commands after which the same session is shown. `/clear`, `/new`, `/chat`, `/resume` and `/restore` are
/// none, and of a command that is not known it is not certain.
const STAYS: [&str; 24] = [
    "/?", "/about", "/bug", "/compact", "/compress", "/copy", "/dir", "/directory", "/docs", "/editor",
    "/help", "/hooks", "/ide", "/mcp", "/memory", "/model", "/permissions", "/plan", "/policies",
    "/settings", "/stats", "/theme", "/tools", "/vim",
];

/// So long before its place in the record a prompt is logged at most, in milliseconds.
const LOGGED_BEFORE: i64 = 60_000;

#[derive(Debug, Deserialize)]
struct Input {
    /// The session that the process began with.
    #[serde(rename = "sessionId")]
    process: String,
    message: String,
    timestamp: String,
}

impl Input {
    /// Whether this is the prompt with these words that the record has at this time. The record may have
    /// words of the client before those of the person.
    fn is_prompt(&self, words: &str, at: Timestamp) -> bool {
        let waited = moment(&self.timestamp).map(|logged_at| at.millis_since(logged_at));
        let message = shortened(&self.message);
        waited.is_some_and(|waited| (0..LOGGED_BEFORE).contains(&waited))
            && !message.is_empty()
            && words.contains(message.trim_end_matches('…'))
    }

    fn stays(&self) -> bool {
        self.message.split_whitespace().next().is_some_and(|command| STAYS.contains(&command))
    }
}

/// Whether the screen on which this session got its last prompt shows it still; `None` if the log cannot be
/// read or does not hold that prompt.
pub(in crate::agent) fn is_shown(session: &SessionObservation, record: &Path) -> Option<bool> {
    let log = record.parent()?.parent()?.join(LOG);
    let inputs: Vec<Input> = serde_json::from_slice(&read_small(&log, LONGEST).ok()?).ok()?;
    let (words, at) = (session.prompt.as_deref()?, session.prompted_at?);
    let index = inputs.iter().rposition(|input| input.is_prompt(words, at))?;
    let (prompt, later) = inputs[index..].split_first()?;
    Some(later.iter().all(|input| input.process != prompt.process || input.stays()))
}
