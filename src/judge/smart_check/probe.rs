//! Rules 3 and 6: what an answer to a probe says.
//!
//! Must not follow the answer. It is a claim by the agent; `should_continue` and `commits_made` decide nothing.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::judge::closer::is_none_word;
use crate::judge::json_answer;
use crate::model::{ProbeDetails, ProbeFailure, ProbeReading, ProbeWord};

/// How many objects before the answer are compared with it.
const MAX_DRAFTS: usize = 8;

/// How many names of a list are kept, and how many characters of each.
const MAX_NAMES: usize = 50;
const MAX_CHARACTERS: usize = 500;

/// An answer, with the parts worth showing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProbeReport {
    /// What it says.
    pub reading: ProbeReading,
    /// The agent's message. Untrusted.
    pub message: Option<String>,
    /// What else it says.
    #[serde(flatten)]
    pub said: ProbeDetails,
}

impl From<ProbeFailure> for ProbeReport {
    fn from(failure: ProbeFailure) -> Self {
        Self { reading: ProbeReading::Failed(failure), message: None, said: ProbeDetails::default() }
    }
}

/// Rule 6: of several answers in one text, the last one is read. Total, and linear in its input.
pub fn read_probe_text(text: &str) -> ProbeReport {
    json_answer::find(text, "status").map_or(ProbeFailure::Unreadable.into(), |value| read_probe(&value))
}

/// Reads a text as the answer of an agent that closeout itself asked. Two different
/// answers in it count as none, since it is unknown which of them the agent stands by,
/// and so does a "complete" in the middle of a sentence.
pub fn read_probe_doubting(text: &str) -> ProbeReport {
    let report = read_probe_text(text);
    let is_other = |value: &Value| {
        let reading = read_probe(value).reading;
        matches!(reading, ProbeReading::Answered(_)) && reading != report.reading
    };
    let is_mentioned = report.reading == ProbeReading::Answered(ProbeWord::Complete)
        && json_answer::is_in_prose(text, "status");
    if is_mentioned || json_answer::find_before(text, "status", MAX_DRAFTS).iter().any(is_other) {
        return ProbeReport { reading: ProbeReading::Failed(ProbeFailure::UnknownStatus), ..report };
    }
    report
}

/// Reads an answer that the client already parsed.
pub fn read_probe(value: &Value) -> ProbeReport {
    let Some(object) = value.as_object() else { return ProbeFailure::Unreadable.into() };
    let reading = match object.get("status") {
        None => ProbeReading::Failed(ProbeFailure::Unreadable),
        Some(status) => word(status, object)
            .map_or(ProbeReading::Failed(ProbeFailure::UnknownStatus), ProbeReading::Answered),
    };
    ProbeReport {
        reading,
        message: object.get("message").and_then(Value::as_str).map(str::to_owned),
        said: ProbeDetails {
            agents_active: names(object.get("agents_active")),
            tasks_pending: names(object.get("tasks_pending")),
            tasks_completed: names(object.get("tasks_completed")),
            commits_made: object.get("commits_made").and_then(Value::as_u64),
            next_action: object.get("next_action").and_then(Value::as_str).and_then(kept),
            should_continue: object.get("should_continue").and_then(Value::as_bool),
        },
    }
}

/// Rule 2: "complete" with active agents means waiting; with pending tasks it means working.
fn word(status: &Value, object: &Map<String, Value>) -> Option<ProbeWord> {
    let says_something = |key: &str| object.get(key).is_some_and(says_something);
    match status.as_str()?.trim().to_lowercase().as_str() {
        "complete" if says_something("agents_active") => Some(ProbeWord::Waiting),
        "complete" if says_something("tasks_pending") => Some(ProbeWord::Working),
        "complete" => Some(ProbeWord::Complete),
        "waiting" => Some(ProbeWord::Waiting),
        "working" => Some(ProbeWord::Working),
        _ => None,
    }
}

/// Whether the value says anything but "no" or "none", in whatever type. In doubt something is active: a lost
/// round costs a wait, but a wrong "complete" costs the work.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            !is_none_word(text) && !["false", "no", "0"].contains(&text.trim().to_lowercase().as_str())
        }
        Value::Array(list) => list.iter().any(is_entry),
        Value::Object(object) => !object.is_empty(),
    }
}

fn is_entry(entry: &Value) -> bool {
    !entry.is_null() && !entry.as_str().is_some_and(is_none_word)
}

/// The names in a list. An object is named by its first text, with the others after it:
/// `{"name": "a1", "doing": "docs"}`.
fn names(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(name).filter_map(|name| kept(&name)).take(MAX_NAMES).collect()
}

fn name(entry: &Value) -> Option<String> {
    if let Some(text) = entry.as_str() {
        return Some(text.to_owned());
    }
    let object = entry.as_object()?;
    let texts: Vec<&str> = object.values().filter_map(Value::as_str).collect();
    let named = ["name", "title", "task", "id"].iter().find_map(|key| object.get(*key)?.as_str());
    let first = named.or(texts.first().copied())?;
    let rest: Vec<&str> = texts.into_iter().filter(|text| *text != first).collect();
    Some(if rest.is_empty() { first.to_owned() } else { format!("{first} ({})", rest.join(", ")) })
}

/// A text that says something, shortened; `None` if it says nothing.
fn kept(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(MAX_CHARACTERS).collect();
    (!is_none_word(&text)).then_some(text)
}
