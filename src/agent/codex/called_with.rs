//! What a tool was called with, in a few words for a person. Pure.

use serde::Deserialize;
use serde_json::Value;

use super::line::Call;
use super::turn::ASKING_TOOL;
use super::{asked, plan, script};
use crate::agent::record_text::shortened;

/// The begin of the lines by which a patch names its files.
const FILE_LINES: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
/// The arguments that tell most, in their order.
const TELLING: [&str; 9] =
    ["cmd", "command", "path", "query", "url", "task_name", "message", "chars", "prompt"];

#[derive(Deserialize)]
struct Justified {
    #[serde(default)]
    justification: Option<String>,
}

/// What it was called with, shortened; `None` where the tool's name says it all.
pub(super) fn called_with(call: &Call) -> Option<String> {
    let name = call.name.as_deref().unwrap_or_default();
    let text = match (&call.arguments, &call.input, &call.action) {
        _ if name == plan::TOOL => return None,
        (Some(arguments), ..) if name == ASKING_TOOL => asked::questions(arguments)?,
        (Some(arguments), ..) => by_arguments(arguments),
        (None, Some(input), _) => patched_files(input)
            .or_else(|| script::first_value(input, "cmd"))
            .unwrap_or_else(|| input.trim().to_owned()),
        (None, None, Some(action)) => spoken(&action.command),
        (None, None, None) => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| shortened(text))
}

/// By the arguments of a function.
fn by_arguments(arguments: &str) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(arguments) else {
        return arguments.to_owned();
    };
    let patched = fields.get("input").and_then(Value::as_str).and_then(patched_files);
    let told = TELLING.iter().find_map(|name| match fields.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            Some(spoken(&words))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    });
    let Some(text) = patched.or(told) else {
        return if fields.is_empty() { String::new() } else { arguments.to_owned() };
    };
    let justified: Option<Justified> = serde_json::from_str(arguments).ok();
    // Why the agent wants to leave its sandbox, which the person is asked for.
    match justified.and_then(|justified| justified.justification) {
        Some(why) if !why.is_empty() => format!("{} ({why})", shortened(&text)),
        _ => text,
    }
}

/// A command line; without the shell around it.
fn spoken(words: &[String]) -> String {
    match words {
        [_, option, script] if matches!(option.as_str(), "-c" | "-lc") => script.clone(),
        words => words.join(" "),
    }
}

/// The files that a patch names.
fn patched_files(input: &str) -> Option<String> {
    let names = |line: &str| FILE_LINES.iter().find_map(|begin| line.strip_prefix(begin)).map(str::to_owned);
    let files: Vec<String> = input.lines().filter_map(names).collect();
    (!files.is_empty()).then(|| files.join(", "))
}
