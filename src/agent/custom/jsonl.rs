//! What the lines of a record of one's own say: a fold over them. Pure and total.

use serde_json::Value;

use crate::agent::record_text::{self, LONGEST_MESSAGE, end_of, shortened};
use crate::agent::turn_history::{HistoryBuilder, prompt_kind};
use crate::model::{AgentMessage, SessionObservation, Timestamp, TurnEnd, TurnState};

/// Words for the person in a field of roles.
const PERSONS: [&str; 3] = ["user", "human", "person"];
/// Words for the agent.
const AGENTS: [&str; 4] = ["assistant", "agent", "model", "ai"];
/// Numbers above this are milliseconds since 1970, others seconds: it is the year 5138 in seconds.
const MOST_SECONDS: f64 = 1e11;

/// Which fields tell what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) role: &'a str,
    pub(super) text: &'a str,
    pub(super) time: Option<&'a str>,
}

/// Adds to `session` what the lines in `bytes` say.
pub(super) fn tell(fields: Fields<'_>, bytes: &[u8], session: &mut SessionObservation) {
    let mut tracker = HistoryBuilder::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let value = serde_json::from_slice::<Value>(line).ok();
        if !value.is_some_and(|value| take(fields, &value, session, &mut tracker)) {
            tracker.lose_track();
            session.n_skipped_lines = session.n_skipped_lines.saturating_add(1);
        }
    }
    session.history = tracker.history(true, None, false);
}

/// Takes one line; false if it is no message.
fn take(
    fields: Fields<'_>,
    line: &Value,
    session: &mut SessionObservation,
    tracker: &mut HistoryBuilder,
) -> bool {
    let Some(role) = field(line, fields.role).and_then(Value::as_str) else { return false };
    let at = fields.time.and_then(|path| field(line, path)).and_then(moment);
    let text = field(line, fields.text).map(text_of).unwrap_or_default();
    let text = text.trim();
    let is_role = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(role));
    if is_role(&PERSONS) {
        if !text.is_empty() {
            tracker.prompt(prompt_kind(text), text, at);
            session.prompt = Some(shortened(text));
            session.prompted_at = at;
            let n_turns = session.usage.n_turns.unwrap_or(0);
            session.usage.n_turns = Some(n_turns.saturating_add(1));
        }
        session.turn = TurnState::Open { since: at, tool: None, what: None };
        true
    } else if is_role(&AGENTS) {
        if !text.is_empty() {
            session.last_message = Some(AgentMessage { text: end_of(text, LONGEST_MESSAGE).to_owned(), at });
        }
        tracker.say(text, at);
        tracker.end(TurnEnd::Finished, at);
        session.turn = TurnState::Ended { at };
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
    let millis = if number.abs() > MOST_SECONDS { number } else { number * 1000.0 };
    Some(Timestamp(millis as i64))
}
