//! The tool calls of a reply: which have not answered, and the todo list among them.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{FunctionCall, ToolCall};
use super::{NAME, deeds};
use crate::agent::record_text::{moment, shortened};
use crate::model::{ChecklistItem, Deed, Exit, ItemState, Timestamp};

/// The tool that writes the todo list.
pub(super) const WRITE_TODOS: &str = "write_todos";
/// More items of a list than these are left out.
const MOST_ITEMS: usize = 1000;

/// One call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// What it was called with, shortened.
    pub(super) what: Option<String>,
    pub(super) state: CallState,
    /// When it answered.
    pub(super) at: Option<Timestamp>,
    /// The todo list that it writes.
    pub(super) todos: Option<Vec<ChecklistItem>>,
    /// What it does, for the history of turns; `None` for one that only looks.
    pub(super) deed: Option<Deed>,
    /// How a command ended, and the end of what it printed.
    pub(super) exit: Option<Exit>,
    pub(super) output: String,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallState {
    /// It has not answered.
    Open,
    Done,
    Failed,
    /// The person refused it, or broke the turn off.
    Cancelled,
}

/// What tools are called with, by the names of the client's own tools.
#[derive(Default, Deserialize)]
struct What {
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    file_path: Option<String>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default)]
    dir_path: Option<String>,
}

#[derive(Deserialize)]
struct WriteTodos {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    #[serde(default)]
    description: String,
    #[serde(default)]
    status: String,
}

impl Call {
    /// A call as it is recorded.
    pub(super) fn recorded(call: ToolCall<'_>) -> Call {
        let state = match call.status.as_str() {
            "success" => CallState::Done,
            "error" => CallState::Failed,
            "cancelled" => CallState::Cancelled,
            // `validating`, `scheduled`, `executing`, `awaiting_approval`.
            _ => CallState::Open,
        };
        let at = call.timestamp.as_deref().and_then(moment);
        let (exit, output) = deeds::result_in(call.result, state);
        Call { state, at, exit, output, ..Call::new(call.id, call.name, call.args) }
    }

    /// A call in what the client wrote down again from its history.
    pub(super) fn restated(call: FunctionCall<'_>) -> Call {
        Call::new(call.id, call.name, call.args)
    }

    fn new(id: String, name: String, args: Option<&RawValue>) -> Call {
        let todos = args.filter(|_| name == WRITE_TODOS).and_then(todos);
        let what = args.and_then(what_with);
        let deed = args.and_then(|args| deeds::deed_of(&name, args));
        let output = String::new();
        Call { id, name, what, state: CallState::Open, at: None, todos, deed, exit: None, output }
    }

    /// About how many bytes it holds.
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

fn what_with(args: &RawValue) -> Option<String> {
    let what: What = serde_json::from_str(args.get()).ok()?;
    let named = [what.command, what.file_path, what.pattern, what.query, what.prompt, what.dir_path];
    named.into_iter().flatten().next().map(|text| shortened(&text))
}

fn todos(args: &RawValue) -> Option<Vec<ChecklistItem>> {
    let written: WriteTodos = serde_json::from_str(args.get()).ok()?;
    let counted = written.todos.into_iter().filter(|todo| todo.status != "cancelled").take(MOST_ITEMS);
    Some(counted.map(item).collect())
}

fn item(todo: Todo) -> ChecklistItem {
    let state = match todo.status.as_str() {
        "completed" => ItemState::Done,
        "in_progress" => ItemState::Active,
        _ => ItemState::Open,
    };
    ChecklistItem { title: todo.description, state, evidence: None }
}

/// The list as a whole; `None` when it is empty.
pub(super) fn checklist(items: &[ChecklistItem]) -> Option<crate::model::Checklist> {
    (!items.is_empty()).then(|| crate::model::Checklist { from: NAME.to_owned(), items: items.to_vec() })
}
