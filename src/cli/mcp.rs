//! `closeout mcp`: a server of the Model Context Protocol on standard input and output, through which an
//! agent asks what is left of its work and decides. One JSON object per line (JSON-RPC 2.0), until the input
//! ends.
//!
//! It must not let an agent do more than `closeout check` and `closeout decide` would: marks, rescues and
//! trust are for a person.

use std::io::{self, BufRead, Read as _, Write as _};

use serde_json::{Value, json};

use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::target_workspace::{TargetWorkspace, engine_config};
use crate::model::{Action, OpenPoint, display_text};
use crate::present::{json as forms, verdict};

/// The newest supported version of the protocol. A client that names another gets its own in the answer.
const PROTOCOL: &str = "2025-06-18";
/// The longest request line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// Answers requests until the input ends.
pub(super) fn run(environment: &Environment) -> Ended {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let failed = |what: &str, source| Failure::Stream { what: what.to_owned(), source };
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.map_err(|source| failed("cannot read the input", source))? == 0 {
            return Ok(Outcome::Done);
        }
        if let Some(answer) = answer(environment, &line) {
            let mut output = io::stdout().lock();
            let written = writeln!(output, "{}", forms::line(&answer)).and_then(|()| output.flush());
            written.map_err(|source| failed("cannot write the answer", source))?;
        }
    }
}

/// The answer to one line; `None` for a notification or a blank line.
fn answer(environment: &Environment, line: &[u8]) -> Option<Value> {
    let error = |id: &Value, code: i32, message: &str| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    if line.trim_ascii().is_empty() {
        return None;
    }
    let Ok(request) = serde_json::from_slice::<Value>(line) else {
        return Some(error(&Value::Null, -32700, "the line is not JSON"));
    };
    let id = request.get("id")?;
    let parameters = &request["params"];
    let result = match request["method"].as_str() {
        Some("initialize") => {
            let version = parameters["protocolVersion"].as_str().unwrap_or(PROTOCOL);
            let server = json!({"name": "closeout", "version": env!("CARGO_PKG_VERSION")});
            json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server})
        }
        Some("ping") => json!({}),
        Some("tools/list") => json!({"tools": tools()}),
        Some("tools/call") => match call(environment, parameters) {
            Some(Ok(text)) => json!({"content": [{"type": "text", "text": text}]}),
            Some(Err(text)) => json!({"content": [{"type": "text", "text": text}], "isError": true}),
            None => return Some(error(id, -32602, "there is no such tool")),
        },
        Some(_) => return Some(error(id, -32601, "there is no such method")),
        None => return Some(error(id, -32600, "there is no method")),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn tools() -> Value {
    json!([
        {
            "name": "check_my_work",
            "description": "Says whether the work in this folder is finished by the evidence (commits, plan, tests, checks), \
                            and lists everything that is left to do. Ask before you end your work.",
            "inputSchema": {"type": "object", "properties": {}}
        },
        {
            "name": "decide",
            "description": "Writes your decision: the work is complete, or it is not, and why.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "decision": {"type": "string", "enum": ["complete", "incomplete"]},
                    "reason": {"type": "string"}
                },
                "required": ["decision"]
            }
        }
    ])
}

/// The text that a tool answers, or why it failed. `None` if there is no such tool.
fn call(environment: &Environment, parameters: &Value) -> Option<Result<String, String>> {
    let arguments = &parameters["arguments"];
    match parameters["name"].as_str()? {
        "check_my_work" => Some(check_my_work(environment)),
        "decide" => {
            let is_complete = match arguments["decision"].as_str() {
                Some("complete") => true,
                Some("incomplete") => false,
                Some(_) | None => {
                    return Some(Err("`decision` is \"complete\" or \"incomplete\"".to_owned()));
                }
            };
            // Models know the decision file, too, where the reasons are a list.
            let listed = arguments["reasons"].as_array().into_iter().flatten();
            let given: Vec<&str> = listed.chain([&arguments["reason"]]).filter_map(Value::as_str).collect();
            let reason = (!given.is_empty()).then(|| given.join("; "));
            Some(decide(environment, is_complete, reason))
        }
        _ => None,
    }
}

fn check_my_work(environment: &Environment) -> Result<String, String> {
    let config = engine_config(environment, &environment.here).map_err(|failure| failure.to_string())?;
    let target = TargetWorkspace::judge(&config).map_err(|failure| failure.to_string())?;
    let verdict = target.view().verdict.as_deref().ok_or("there is no verdict")?;
    let line = |point: &OpenPoint| format!("{}: {}", point.source.title(), display_text::line(&point.text));
    let left: Vec<String> = verdict.left_to_do.open().map(line).collect();
    let answer = json!({
        "verdict": verdict.state,
        "proof": verdict.proof,
        "why": verdict::why(verdict),
        "next_action": verdict::next_action(verdict),
        "left_to_do": left,
    });
    Ok(answer.to_string())
}

fn decide(environment: &Environment, is_complete: bool, reason: Option<String>) -> Result<String, String> {
    let config = engine_config(environment, &environment.here).map_err(|failure| failure.to_string())?;
    let mut target = TargetWorkspace::judge(&config).map_err(|failure| failure.to_string())?;
    let written = target.action(Action::decide(is_complete, reason)).map_err(|problem| problem.message)?;
    Ok(format!("written to {}", display_text::path(&written.path)))
}
