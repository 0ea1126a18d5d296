//! The agent's todo list, as its tool calls describe it.
//!
//! `TodoWrite` passes the whole list each time. `TaskCreate` adds one task, whose id is in the tool's
//! result; `TaskUpdate` changes a task by its id.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::turn_tracker::{todo, todo_state};
use crate::model::ChecklistItem;

/// Further items are ignored.
const MAX_ITEMS: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Todos {
    /// Each with its id.
    items: Vec<(String, ChecklistItem)>,
    /// Pending `TaskCreate` calls: the id of the call and the subject.
    unanswered: Vec<(String, String)>,
    /// Counts the calls that may have changed the list.
    pub(super) n_changes: u64,
    /// Whether a task was changed that is not in the list: it was created before the part that was read.
    pub(super) is_incomplete: bool,
}

#[derive(Deserialize)]
struct TodoWrite {
    todos: Vec<WrittenTodo>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenTodo {
    content: String,
    status: String,
}

#[derive(Deserialize)]
struct TaskCreate {
    subject: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskUpdate {
    task_id: String,
    status: Option<String>,
    subject: Option<String>,
}

#[derive(Deserialize)]
struct TaskCreated {
    task: CreatedTask,
}

#[derive(Deserialize)]
struct CreatedTask {
    id: String,
}

impl Todos {
    /// Takes a tool call. Returns whether the call writes the list.
    pub(super) fn call(&mut self, id: &str, name: &str, input: &RawValue) -> bool {
        match name {
            "TodoWrite" => self.write(input),
            "TaskCreate" => {
                if let Ok(task) = serde_json::from_str::<TaskCreate>(input.get())
                    && self.unanswered.len() < MAX_ITEMS
                {
                    self.unanswered.push((id.to_owned(), task.subject));
                }
            }
            "TaskUpdate" => self.update(input),
            _ => return false,
        }
        true
    }

    /// Takes the result of a tool call.
    pub(super) fn answer(&mut self, call_id: &str, result: Option<&RawValue>) {
        let Some(at) = self.unanswered.iter().position(|(id, _)| id == call_id) else { return };
        let (_, title) = self.unanswered.remove(at);
        let created = result.and_then(|result| serde_json::from_str::<TaskCreated>(result.get()).ok());
        self.n_changes += 1;
        if let Some(created) = created
            && self.items.len() < MAX_ITEMS
        {
            self.items.push((created.task.id, todo(title, "pending")));
        }
    }

    fn write(&mut self, input: &RawValue) {
        let Ok(list) = serde_json::from_str::<TodoWrite>(input.get()) else { return };
        self.n_changes += 1;
        self.is_incomplete = false;
        let written = list.todos.into_iter().take(MAX_ITEMS);
        self.items = written.map(|item| (String::new(), todo(item.content, &item.status))).collect();
    }

    fn update(&mut self, input: &RawValue) {
        let Ok(update) = serde_json::from_str::<TaskUpdate>(input.get()) else { return };
        self.n_changes += 1;
        let Some(at) = self.items.iter().position(|(id, _)| *id == update.task_id) else {
            self.is_incomplete = true;
            return;
        };
        if update.status.as_deref() == Some("deleted") {
            self.items.remove(at);
            return;
        }
        let (_, item) = &mut self.items[at];
        if let Some(status) = &update.status {
            item.state = todo_state(status);
        }
        if let Some(subject) = update.subject {
            item.title = subject;
        }
    }

    pub(super) fn items(&self) -> Vec<ChecklistItem> {
        self.items.iter().map(|(_, item)| item.clone()).collect()
    }
}
