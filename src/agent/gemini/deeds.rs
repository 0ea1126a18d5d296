//! What a call of Gemini CLI does, and what came of it, for the history of turns. Pure.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call::CallState;
use crate::agent::record_text::end_of;
use crate::agent::turn_history::{command, edit, other_tool};
use crate::model::{Deed, Exit};

/// The longest output of a command that is kept, in bytes of its end.
const LONGEST_OUTPUT: usize = 4 << 10;
/// Tools that only look, or keep a list.
const LOOKING: [&str; 12] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
    "grep_search",
    "google_web_search",
    "web_fetch",
    "write_todos",
    "save_memory",
    "codebase_investigator",
    "get_internal_docs",
];

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    command: Option<String>,
    #[serde(default, alias = "directory")]
    dir_path: Option<String>,
    #[serde(default, alias = "absolute_path")]
    file_path: Option<String>,
    #[serde(default)]
    question: Option<String>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "functionResponse", default)]
    function_response: Option<FunctionResponse>,
}

#[derive(Deserialize)]
struct FunctionResponse {
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

/// What a call does; `None` for a tool that only looks.
pub(super) fn deed_of(tool: &str, args: &RawValue) -> Option<Deed> {
    if LOOKING.contains(&tool) {
        return None;
    }
    let read: Option<Arguments> = serde_json::from_str(args.get()).ok();
    match tool {
        "run_shell_command" => {
            let read = read?;
            Some(command(&read.command?, read.dir_path.as_deref().filter(|folder| !folder.is_empty())))
        }
        "replace" | "write_file" | "edit" => Some(edit(read.and_then(|read| read.file_path))),
        "ask_user" => {
            let words = read.and_then(|read| read.question).unwrap_or_default();
            Some(Deed::Asked { words, was_answered: false })
        }
        _ => other_tool(tool),
    }
}

/// How a call ended by its result, and the end of what a command printed.
pub(super) fn result_in(result: Option<&RawValue>, state: CallState) -> (Option<Exit>, String) {
    let parts: Vec<Part> =
        result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default();
    let responses = parts.into_iter().filter_map(|part| part.function_response?.response);
    let text: String = responses.filter_map(|response| response.output.or(response.error)).collect();
    let code = code_in(&text);
    let exit = match state {
        CallState::Open => None,
        CallState::Cancelled => Some(Exit::Stopped),
        CallState::Failed => Some(code.map_or(Exit::Failed, Exit::Code)),
        CallState::Done if text.contains("Background PIDs:") && code.is_none() => Some(Exit::Unknown),
        CallState::Done => Some(Exit::Code(code.unwrap_or(0))),
    };
    (exit, end_of(&text, LONGEST_OUTPUT).to_owned())
}

/// The client tells a code that is not 0 in a line behind the output.
fn code_in(text: &str) -> Option<i32> {
    let line = text.lines().rev().take(12).find_map(|line| line.trim().strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}
