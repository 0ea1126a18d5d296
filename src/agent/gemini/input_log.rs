//! Tells which session a Gemini CLI screen shows, from the client's input log `tmp/<project>/logs.json`, a
//! list of what users typed. Observed with 0.61.0.
//!
//! Nothing else tells. The pane's title names only the project, and a session reached with `/clear` or
//! `/resume` is recorded at its first prompt at the earliest, so text pasted after one of these would start
//! or continue a session other than the one closeout knows. The id in an entry is the session its process
//! started with, even after `/clear`: it distinguishes the processes in a folder and nothing more.

use std::path::Path;

use serde::Deserialize;

use crate::agent::record::read_small;
use crate::agent::record_text::{moment, shortened};
use crate::model::{SessionObservation, Timestamp};

/// The longest log read, in bytes.
const LONGEST: u64 = 32 << 20;
/// The log's name, next to the folder of chats.
const LOG: &str = "logs.json";
/// Commands that leave the session on screen. `/clear`, `/new`, `/chat`, `/resume` and `/restore` do not,
/// and an unknown command may not.
const STAYS: [&str; 24] = [
    "/?", "/about", "/bug", "/compact", "/compress", "/copy", "/dir", "/directory", "/docs", "/editor",
    "/help", "/hooks", "/ide", "/mcp", "/memory", "/model", "/permissions", "/plan", "/policies",
    "/settings", "/stats", "/theme", "/tools", "/vim",
];

/// How long a prompt is logged before it is recorded, at most, in milliseconds.
const LOGGED_BEFORE: i64 = 60_000;

#[derive(Debug, Deserialize)]
struct Input {
    /// The session the process started with.
    #[serde(rename = "sessionId")]
    process: String,
    message: String,
    timestamp: String,
}

impl Input {
    /// Whether this input is the prompt with the text `words` recorded at `at`. The record may put text of
    /// the client before the user's.
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

/// Whether the screen on which the session got its last prompt still shows it. `None` if the log cannot be
/// read or lacks that prompt.
pub(in crate::agent) fn is_shown(session: &SessionObservation, record: &Path) -> Option<bool> {
    let log = record.parent()?.parent()?.join(LOG);
    let inputs: Vec<Input> = serde_json::from_slice(&read_small(&log, LONGEST).ok()?).ok()?;
    let (words, at) = (session.prompt.as_deref()?, session.prompted_at?);
    let index = inputs.iter().rposition(|input| input.is_prompt(words, at))?;
    let (prompt, later) = inputs[index..].split_first()?;
    Some(later.iter().all(|input| input.process != prompt.process || input.stays()))
}
