//! The tool calls of a reply: what each does, which have no result yet, how the others ended, and the todo
//! list they write. Pure.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{FunctionCall, ToolCall};
use crate::agent::fields::Fields;
use crate::agent::record_text::{end_of, moment, shortened};
use crate::agent::turn_tracker::{command, edit, other_tool, todo};
use crate::model::{ChecklistItem, Deed, Exit, Timestamp};

pub(super) const WRITE_TODOS: &str = "write_todos";
/// Further items of a list are ignored.
const MAX_ITEMS: usize = 1000;

/// How much of the end of a command's output is kept, in bytes.
const LONGEST_OUTPUT: usize = 4 << 10;
/// Tools that only read or maintain a list.
const LOOKING: [&str; 12] = [
    "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search",
    "google_web_search", "web_fetch", "write_todos", "save_memory", "codebase_investigator",
    "get_internal_docs",
];

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// Its arguments, shortened for display.
    pub(super) what: Option<String>,
    pub(super) state: CallState,
    /// When its result arrived.
    pub(super) at: Option<Timestamp>,
    /// The todo list it writes.
    pub(super) todos: Option<Vec<ChecklistItem>>,
    /// What it does, for the turn history. `None` for a tool that only reads.
    pub(super) deed: Option<Deed>,
    pub(super) exit: Option<Exit>,
    pub(super) output: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallState {
    /// It has no result yet.
    Open,
    Done,
    Failed,
    /// The user refused it, or interrupted the turn.
    Cancelled,
}

/// The arguments of the client's own tools that say best what a call does, the most informative first.
const TELLING: [&str; 6] = ["command", "file_path", "pattern", "query", "prompt", "dir_path"];

#[derive(Deserialize)]
struct WriteTodos {
    todos: Vec<Todo>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Todo {
    description: String,
    status: String,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "functionResponse")]
    function_response: Option<FunctionResponse>,
}

#[derive(Deserialize)]
struct FunctionResponse {
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    output: Option<String>,
    error: Option<String>,
}

impl Call {
    /// A call as recorded with its result.
    pub(super) fn recorded(call: ToolCall<'_>) -> Call {
        let state = match call.status.as_str() {
            "success" => CallState::Done,
            "error" => CallState::Failed,
            "cancelled" => CallState::Cancelled,
            // `validating`, `scheduled`, `executing`, `awaiting_approval`.
            _ => CallState::Open,
        };
        let at = call.timestamp.as_deref().and_then(moment);
        let (exit, output) = result_in(call.result, state);
        Call { state, at, exit, output, ..Call::new(call.id, call.name, call.args) }
    }

    /// A call as the client rewrote it from its history, without the result.
    pub(super) fn restated(call: FunctionCall<'_>) -> Call {
        Call::new(call.id, call.name, call.args)
    }

    fn new(id: String, name: String, args: Option<&RawValue>) -> Call {
        let todos = args.filter(|_| name == WRITE_TODOS).and_then(todos);
        let fields = args.map(|args| Fields::read(args.get().as_bytes())).unwrap_or_default();
        let what = fields.first_text(&TELLING).map(|text| shortened(&text));
        let deed = args.and_then(|_| deed_of(&name, &fields));
        let output = String::new();
        Call { id, name, what, state: CallState::Open, at: None, todos, deed, exit: None, output }
    }

    /// Its approximate size in memory, in bytes.
    pub(super) fn size(&self) -> usize {
        let todos: usize = self.todos.iter().flatten().map(|item| item.title.len() + 64).sum();
        self.id.len()
            + self.name.len()
            + self.what.as_ref().map_or(0, String::len)
            + self.output.len()
            + todos
            + 128
    }
}

fn todos(args: &RawValue) -> Option<Vec<ChecklistItem>> {
    let written: WriteTodos = serde_json::from_str(args.get()).ok()?;
    let counted = written.todos.into_iter().filter(|todo| todo.status != "cancelled").take(MAX_ITEMS);
    Some(counted.map(|written| todo(written.description, &written.status)).collect())
}

/// What a call does; `None` for a tool that only reads.
fn deed_of(tool: &str, args: &Fields<'_>) -> Option<Deed> {
    if LOOKING.contains(&tool) {
        return None;
    }
    match tool {
        "run_shell_command" => {
            Some(command(&args.text("command")?, args.first_text(&["dir_path", "directory"]).as_deref()))
        }
        "replace" | "write_file" | "edit" => Some(edit(args.first_text(&["file_path", "absolute_path"]))),
        "ask_user" => {
            let words = args.text("question").unwrap_or_default();
            Some(Deed::Asked { words, was_answered: false })
        }
        _ => other_tool(tool),
    }
}

/// How a call ended, and the end of what a command printed.
fn result_in(result: Option<&RawValue>, state: CallState) -> (Option<Exit>, String) {
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
    (exit, end_of(printed(&text), LONGEST_OUTPUT).to_owned())
}

/// The output of a command without the text that the client wraps around it for the model.
fn printed(text: &str) -> &str {
    let text = text.trim_start();
    let text = text.strip_prefix("<untrusted_context>").map_or(text, str::trim_start);
    let text = text.strip_prefix("Output: ").unwrap_or(text);
    text.strip_suffix("</untrusted_context>").unwrap_or(text)
}

/// The exit code of a command. The client writes a nonzero one on a line after the output.
fn code_in(text: &str) -> Option<i32> {
    let line = text.lines().rev().take(12).find_map(|line| line.trim().strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}
