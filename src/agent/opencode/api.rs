//! What the answers of opencode's HTTP interface say of a session. Pure: bytes in, words out; nothing
//! here opens a connection.
//!
//! A TUI that was started with `--port`, and `opencode serve`, listen on loopback. `GET /session/status`
//! says which sessions are at work, and counts those that wait; `GET /permission` and `GET /question` say
//! what is waited for. Unknown paths answer with HTML.

use std::collections::BTreeMap;

use serde_json::Value;

use super::conversation::asked;
use crate::agent::record_text::shortened;
use crate::model::{ActivitySource, LiveStatus, LiveWord, WaitsOn};

/// The bodies of the three answers, as they came; `None` for one that did not come.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApiAnswers<'a> {
    /// Of `GET /session/status`.
    pub status: Option<&'a [u8]>,
    /// Of `GET /permission`.
    pub permission: Option<&'a [u8]>,
    /// Of `GET /question`.
    pub question: Option<&'a [u8]>,
}

/// What the answers tell of each session, by its id: what it waits for, else that it is at work. A
/// session that is not in an answer is idle only if the interface is known to be its own, which the
/// answers do not tell, so it is left out. What is no answer of that path tells nothing.
pub fn read_api_answers(answers: &ApiAnswers<'_>) -> BTreeMap<String, LiveWord> {
    let mut words = BTreeMap::new();
    let status = answers.status.and_then(parse);
    for (id, status) in status.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let what = status.get("message").and_then(Value::as_str).map(shortened);
        match status.get("type").and_then(Value::as_str) {
            Some("busy" | "retry") => words.insert(id.clone(), word(LiveStatus::Busy, what)),
            Some("idle") => words.insert(id.clone(), word(LiveStatus::Idle, None)),
            Some(_) | None => None,
        };
    }
    for asks in entries(answers.permission) {
        if let Some(id) = asks.get("sessionID").and_then(Value::as_str) {
            let waiting = LiveStatus::Waiting { on: WaitsOn::Permission };
            words.insert(id.to_owned(), word(waiting, permission(&asks)));
        }
    }
    for asks in entries(answers.question) {
        if let Some(id) = asks.get("sessionID").and_then(Value::as_str) {
            words.insert(id.to_owned(), word(LiveStatus::Waiting { on: WaitsOn::Input }, self::asked(&asks)));
        }
    }
    words
}

fn word(status: LiveStatus, what: Option<String>) -> LiveWord {
    LiveWord { source: ActivitySource::Api, status, since: None, told_at: None, what }
}

fn parse(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

fn entries(body: Option<&[u8]>) -> Vec<Value> {
    match body.and_then(parse) {
        Some(Value::Array(entries)) => entries,
        Some(_) | None => Vec::new(),
    }
}

/// The permission and what for, like `bash: touch installed.txt`.
fn permission(asks: &Value) -> Option<String> {
    let tool = asks.get("permission")?.as_str()?;
    let patterns = asks.get("patterns").and_then(Value::as_array);
    let patterns = patterns.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    Some(shortened(&if patterns.is_empty() { tool.to_owned() } else { format!("{tool}: {patterns}") }))
}
