//! Extracts a client's answer and its cost from what the client printed. Pure and total: it must not fail on
//! any bytes.
//!
//! Formats as observed in these versions: Claude Code 2.1.330, Codex 0.169.0, opencode 1.18.33, Gemini CLI
//! 0.61.0. Unknown lines and fields are skipped.

use serde_json::Value;

use crate::agent::AnswerPlace;
use crate::model::{AskCost, display_text};

/// How much of a client's own error message is kept, in characters.
const REASON_CHARACTERS: usize = 400;

/// Why there is no answer. The texts may be untrusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The client could not be started.
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// It exceeded the time limit, given in seconds, and was killed.
    #[error("no answer within {0} s; it was ended")]
    TimedOut(u64),
    /// A person cancelled it.
    #[error("it was ended on request")]
    Cancelled,
    /// It printed more than any answer needs and was killed.
    #[error("it printed more than 1 MiB and was ended")]
    Flooded,
    /// The client reports a failure or ended with one.
    #[error("{0}")]
    ClientError(String),
    /// It ended successfully but its output contains no answer.
    #[error("{0}")]
    Unreadable(String),
}

/// An answer in the form that the client gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A value that the client itself has validated against the schema.
    Structured(Value),
    /// Plain text. Untrusted.
    Text(String),
}

/// What was found in a client's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAnswer {
    /// The answer, or why there is none.
    pub answer: Result<Answer, NoAnswer>,
    /// The cost, as far as the client reports it.
    pub cost: AskCost,
    /// The id of the session that was asked, as reported by the client. Untrusted text.
    pub session_id: Option<String>,
}

impl FoundAnswer {
    fn failed(reason: &str) -> FoundAnswer {
        FoundAnswer { answer: Err(client_error(reason)), cost: AskCost::default(), session_id: None }
    }

    fn text(text: String) -> FoundAnswer {
        let answer = if text.trim().is_empty() {
            Err(NoAnswer::Unreadable("the answer is empty".to_owned()))
        } else {
            Ok(Answer::Text(text))
        };
        FoundAnswer { answer, cost: AskCost::default(), session_id: None }
    }

    fn nothing() -> FoundAnswer {
        let answer = Err(NoAnswer::Unreadable("there is no answer in the client's output".to_owned()));
        FoundAnswer { answer, cost: AskCost::default(), session_id: None }
    }
}

/// Extracts the answer from a client's stdout.
pub fn read_answer(place: AnswerPlace, output: &[u8]) -> FoundAnswer {
    let text = String::from_utf8_lossy(output);
    match place {
        AnswerPlace::ResultObject => objects(&text).iter().rev().find_map(result_object),
        AnswerPlace::LastAgentMessage => codex(&objects(&text)),
        AnswerPlace::TextEvents => opencode(&objects(&text)),
        AnswerPlace::ResponseField => objects(&text).iter().rev().find_map(response_object),
        AnswerPlace::Stdout => Some(FoundAnswer::text(text.into_owned())),
        AnswerPlace::None => None,
    }
    .unwrap_or_else(FoundAnswer::nothing)
}

/// The JSON objects in an output: either the whole output, or every line that is an object.
fn objects(text: &str) -> Vec<Value> {
    if let Ok(whole) = serde_json::from_str::<Value>(text.trim())
        && whole.is_object()
    {
        return vec![whole];
    }
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
    let found: Vec<Value> = lines.filter(Value::is_object).collect();
    if !found.is_empty() {
        return found;
    }
    // A multi-line object after a line that is not JSON, such as a warning printed to the wrong stream.
    let start = text.find("\n{").map(|at| at + 1).and_then(|at| text.get(at..));
    start.and_then(|rest| serde_json::from_str::<Value>(rest.trim()).ok()).into_iter().collect()
}

/// Reads the output of `claude -p --output-format json`.
fn result_object(object: &Value) -> Option<FoundAnswer> {
    if object.get("type").is_some_and(|kind| kind != "result") {
        return None;
    }
    let result = object.get("result").and_then(Value::as_str);
    let structured = object.get("structured_output").filter(|value| !value.is_null());
    let is_error = object.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    let found = if is_error {
        FoundAnswer::failed(result.unwrap_or("the client tells of an error"))
    } else if let Some(structured) = structured {
        FoundAnswer { answer: Ok(Answer::Structured(structured.clone())), ..FoundAnswer::nothing() }
    } else {
        FoundAnswer::text(result?.to_owned())
    };
    let usage = object.get("usage");
    let cost = AskCost {
        input_tokens: sum(usage, &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]),
        cached_tokens: number(usage, "cache_read_input_tokens"),
        output_tokens: number(usage, "output_tokens"),
        micro_dollars: object.get("total_cost_usd").and_then(micro_dollars),
    };
    Some(FoundAnswer { cost, session_id: text_of(object, "session_id"), ..found })
}

/// Reads the output of `codex exec --json`.
fn codex(objects: &[Value]) -> Option<FoundAnswer> {
    let mut found = None;
    let (mut cost, mut session_id) = (AskCost::default(), None);
    for object in objects {
        match object.get("type").and_then(Value::as_str)? {
            "thread.started" => session_id = text_of(object, "thread_id"),
            "item.completed" => {
                let item = object.get("item").unwrap_or(&Value::Null);
                if item.get("type").is_some_and(|kind| kind == "agent_message") {
                    found = text_of(item, "text").map(FoundAnswer::text);
                }
            }
            "turn.completed" => {
                let usage = object.get("usage");
                cost = AskCost {
                    input_tokens: number(usage, "input_tokens"),
                    cached_tokens: number(usage, "cached_input_tokens"),
                    output_tokens: number(usage, "output_tokens"),
                    micro_dollars: None,
                };
            }
            "turn.failed" => {
                let reason = object.pointer("/error/message").and_then(Value::as_str);
                found = Some(FoundAnswer::failed(reason.unwrap_or("its turn failed")));
            }
            // May be from an attempt that is retried; only `turn.failed` is final.
            "error" if found.is_none() => {
                found = object.get("message").and_then(Value::as_str).map(FoundAnswer::failed);
            }
            _ => {}
        }
    }
    found.map(|found| FoundAnswer { cost, session_id, ..found })
}

/// Reads the output of `opencode run --format json`.
fn opencode(objects: &[Value]) -> Option<FoundAnswer> {
    let (mut text, mut error) = (String::new(), None);
    let mut cost = AskCost::default();
    for object in objects {
        let part = object.get("part").unwrap_or(&Value::Null);
        match object.get("type").and_then(Value::as_str) {
            // Text before a tool call is not the answer.
            Some("tool_use") => text.clear(),
            Some("text") => text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default()),
            Some("step_finish") => {
                let tokens = part.get("tokens");
                let cached = tokens.and_then(|tokens| tokens.get("cache"));
                let input = sum(tokens, &["input"]);
                let read = number(cached, "read");
                cost.input_tokens = plus(cost.input_tokens, plus(input, read));
                cost.cached_tokens = plus(cost.cached_tokens, read);
                cost.output_tokens = plus(cost.output_tokens, number(tokens, "output"));
                cost.micro_dollars = plus(cost.micro_dollars, part.get("cost").and_then(micro_dollars));
            }
            Some("error") => {
                let words = object.pointer("/error/data/message").or_else(|| object.pointer("/error/name"));
                error =
                    Some(words.and_then(Value::as_str).unwrap_or("the client tells of an error").to_owned());
            }
            Some(_) | None => {}
        }
    }
    let mut ids: Vec<&str> =
        objects.iter().filter_map(|object| object.get("sessionID").and_then(Value::as_str)).collect();
    ids.dedup();
    // More than one session id means that events of other sessions are mixed in.
    let session_id = <[&str; 1]>::try_from(ids).ok().map(|[id]| id.to_owned());
    let found = match error {
        Some(reason) => FoundAnswer::failed(&reason),
        None if objects.is_empty() => return None,
        None => FoundAnswer::text(text),
    };
    Some(FoundAnswer { cost, session_id, ..found })
}

/// Reads the output of `gemini --output-format json`.
fn response_object(object: &Value) -> Option<FoundAnswer> {
    let found = match (object.get("response").and_then(Value::as_str), object.get("error")) {
        (Some(response), _) => FoundAnswer::text(response.to_owned()),
        (None, Some(error)) => {
            let words = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
            FoundAnswer::failed(words.unwrap_or("the client tells of an error"))
        }
        (None, None) => return None,
    };
    let models = object.pointer("/stats/models").and_then(Value::as_object);
    let mut cost = AskCost::default();
    for tokens in models.into_iter().flatten().map(|(_, model)| model.get("tokens")) {
        cost.input_tokens = plus(cost.input_tokens, number(tokens, "prompt"));
        cost.cached_tokens = plus(cost.cached_tokens, number(tokens, "cached"));
        cost.output_tokens = plus(cost.output_tokens, number(tokens, "candidates"));
    }
    Some(FoundAnswer { cost, session_id: text_of(object, "session_id"), ..found })
}

/// A client's failure in its own words, shortened to one line.
pub(super) fn client_error(words: &str) -> NoAnswer {
    let line: String = display_text::one_spaced(words).chars().take(REASON_CHARACTERS).collect();
    NoAnswer::ClientError(if line.is_empty() { "the client failed without a word".to_owned() } else { line })
}

fn text_of(object: &Value, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn number(object: Option<&Value>, key: &str) -> Option<u64> {
    object?.get(key)?.as_u64()
}

fn sum(object: Option<&Value>, keys: &[&str]) -> Option<u64> {
    keys.iter().fold(None, |total, key| plus(total, number(object, key)))
}

fn plus(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

fn micro_dollars(dollars: &Value) -> Option<u64> {
    let micro = dollars.as_f64()? * 1e6;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it was looked at: between 0 and a million dollars"
    )]
    (0.0..1e12).contains(&micro).then(|| micro.round() as u64)
}
