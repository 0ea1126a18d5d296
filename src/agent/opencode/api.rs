//! opencode's HTTP API as data: the requests, and what the responses say about a session. Pure: nothing
//! here opens a connection.
//!
//! Observed with 1.18.33. A TUI started with `--port` listens on loopback in its own process; one without
//! it does not listen at all (no socket in `/proc/PID/fd` is in the kernel's table), and neither does
//! `run`. Every server of a user knows all of the user's sessions, including those of other folders and
//! processes, so a response about a session does not make it that server's session: only the process does.
//! `GET /session/status` lists the sessions at work, and counts waiting ones among them; `GET /permission`
//! and `GET /question` say what they wait for. `POST /session/ID/prompt_async` responds with 204
//! immediately; if the session is working, the text is queued (`QUEUED` on the screen) until the turn is
//! over. Without an `agent` in the request the text goes to `build`, whichever agent the session was using.
//! Unknown paths respond with 200 and HTML.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::is_session_id;
use super::message::asked;
use crate::agent::record_text::shortened;
use crate::agent::server::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
use crate::model::{ActivitySource, LiveStatus, PermissionOption, SessionObservation, StatusReport, WaitsOn};

pub(super) struct Server;

/// The status of each session that the responses mention, by id: what it waits for, else that it is
/// working. A session that is not mentioned is idle only if this server is known to be its own, which the
/// responses do not say, so it is left out. A response that is not from the expected path says nothing.
fn reports(answers: &ApiAnswers<'_>) -> BTreeMap<String, StatusReport> {
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
            words.insert(id.to_owned(), word(waiting, permission(&asks).as_deref().map(shortened)));
        }
    }
    for asks in entries(answers.question) {
        if let Some(id) = asks.get("sessionID").and_then(Value::as_str) {
            words.insert(id.to_owned(), word(LiveStatus::Waiting { on: WaitsOn::Input }, self::asked(&asks)));
        }
    }
    words
}

fn word(status: LiveStatus, what: Option<String>) -> StatusReport {
    StatusReport { source: ActivitySource::Api, status, since: None, reported_at: None, what }
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

/// The permission and its subject, such as `bash: touch installed.txt`; whole, since a person approves what they read.
fn permission(asks: &Value) -> Option<String> {
    let tool = asks.get("permission")?.as_str()?;
    let command = asks.get("metadata").and_then(|metadata| metadata.get("command")?.as_str());
    // For a command line, the patterns are only the single commands in it.
    let patterns = || {
        let patterns = asks.get("patterns").and_then(Value::as_array);
        patterns.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    let what = command.map_or_else(patterns, str::to_owned);
    Some(if what.is_empty() { tool.to_owned() } else { format!("{tool}: {what}") })
}

/// The request that asks `ask` of the server of the session's process. `None` if an id or answer is not one
/// of opencode's.
fn request(session: &SessionObservation, ask: &ApiAsk<'_>) -> Option<ApiRequest> {
    let id = session.session_id.as_str();
    if !is_session_id(id) {
        return None;
    }
    let get = |path: &str| ApiRequest { path: path.to_owned(), body: None };
    let post = |path: String, body: &Value| ApiRequest { path, body: Some(body.to_string()) };
    Some(match ask {
        ApiAsk::Session => get(&format!("/session/{id}")),
        ApiAsk::Status => get("/session/status"),
        ApiAsk::Permissions => get("/permission"),
        ApiAsk::Questions => get("/question"),
        ApiAsk::Prompt { text } => {
            let mut body = json!({"parts": [{"type": "text", "text": text}]});
            if let Some(agent) = &session.mode {
                body["agent"] = agent.as_str().into();
            }
            if let Some((provider, model)) = session.model.as_deref().and_then(|model| model.split_once('/'))
            {
                body["model"] = json!({"providerID": provider, "modelID": model});
            }
            post(format!("/session/{id}/prompt_async"), &body)
        }
        ApiAsk::Answer { request, answer } => {
            let is_answer = permission_options().iter().any(|option| option.answer == *answer);
            if !is_request_id(request) || !is_answer {
                return None;
            }
            post(format!("/permission/{request}/reply"), &json!({"reply": answer}))
        }
    })
}

impl AgentServer for Server {
    fn request(&self, session: &SessionObservation, ask: &ApiAsk<'_>) -> Option<ApiRequest> {
        request(session, ask)
    }

    fn is_about(&self, session: &SessionObservation, answer: &[u8]) -> bool {
        parse(answer).is_some_and(|told| told.get("id").and_then(Value::as_str) == Some(&session.session_id))
    }

    fn reports(&self, answers: &ApiAnswers<'_>) -> BTreeMap<String, StatusReport> {
        reports(answers)
    }

    fn waits_for(&self, session: &SessionObservation, answer: &[u8]) -> Option<(String, String)> {
        let asks = entries(Some(answer));
        let of_session =
            |asks: &&Value| asks.get("sessionID").and_then(Value::as_str) == Some(&session.session_id);
        let asks = asks.iter().find(of_session)?;
        let request = asks.get("id").and_then(Value::as_str).filter(|id| is_request_id(id))?;
        Some((request.to_owned(), permission(asks)?))
    }

    fn permission_options(&self) -> Vec<PermissionOption> {
        permission_options()
    }
}

fn permission_options() -> Vec<PermissionOption> {
    let option =
        |label: &str, answer: &str| PermissionOption { label: label.to_owned(), answer: answer.to_owned() };
    vec![option("allow once", "once"), option("deny, and end the turn", "reject")]
}

fn is_request_id(id: &str) -> bool {
    id.strip_prefix("per_").is_some_and(|rest| {
        (1..=64).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
