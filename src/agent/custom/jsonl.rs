//! What the lines of a record in a configured JSON Lines format say: a fold over them. Pure and total.

use serde_json::Value;

use crate::agent::record_text;
use crate::agent::turn_tracker::{TurnTracker, prompt_kind};
use crate::model::{SessionObservation, Timestamp, TurnEnd};

/// Values of the role field that mean the user.
const PERSONS: [&str; 3] = ["user", "human", "person"];
/// Values of the role field that mean the agent.
const AGENTS: [&str; 4] = ["assistant", "agent", "model", "ai"];
/// Numbers above this are milliseconds since the Unix epoch, others seconds. As seconds it is in the year
/// 5138.
const MAX_SECONDS: f64 = 1e11;

/// The dotted paths of the fields used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) role: &'a str,
    pub(super) text: &'a str,
    pub(super) time: Option<&'a str>,
}

/// Adds what the lines in `bytes` say to `session`.
pub(super) fn tell(fields: Fields<'_>, bytes: &[u8], session: &mut SessionObservation) {
    let mut tracker = TurnTracker::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let value = serde_json::from_slice::<Value>(line).ok();
        if value.is_none() {
            tracker.lose_track();
        }
        // A line of another kind says nothing about the conversation.
        if !value.is_some_and(|value| take(fields, &value, &mut tracker)) {
            session.n_skipped_lines = session.n_skipped_lines.saturating_add(1);
        }
    }
    tracker.tell(true, session);
    // Its lines have a role and a text: what was run or written is nowhere told.
    session.history.tells_steps = false;
}

/// Takes one line. False if it is not a message.
fn take(fields: Fields<'_>, line: &Value, tracker: &mut TurnTracker) -> bool {
    let Some(role) = field(line, fields.role).and_then(Value::as_str) else { return false };
    let at = fields.time.and_then(|path| field(line, path)).and_then(moment);
    let text = field(line, fields.text).map(text_of).unwrap_or_default();
    let text = text.trim();
    let is_role = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(role));
    if is_role(&PERSONS) {
        if text.is_empty() {
            // The prompt has no text; perhaps it was an image.
            tracker.start(at);
        } else {
            tracker.prompt(prompt_kind(text), text, at);
        }
        true
    } else if is_role(&AGENTS) {
        tracker.say(None, text, at);
        tracker.end(TurnEnd::Finished, at);
        true
    } else {
        false
    }
}

/// The field at a dotted path.
fn field<'v>(line: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(line, |value, name| value.get(name))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            texts.collect::<Vec<_>>().join("\n\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a moment that is no number of milliseconds saturates")]
fn moment(value: &Value) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        return record_text::moment(text);
    }
    let number = value.as_f64()?;
    let millis = if number.abs() > MAX_SECONDS { number } else { number * 1000.0 };
    Some(Timestamp(millis as i64))
}
