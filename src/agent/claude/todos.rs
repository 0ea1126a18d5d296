//! The agent's todo list, from the calls of its tools.
//!
//! `TodoWrite` gives the whole list each time. `TaskCreate` gives one task, whose id stands in the
//! tool's answer; `TaskUpdate` changes one by its id.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::NAME;
use crate::model::{Checklist, ChecklistItem, ItemState};

/// More items than these are left out.
const MOST_ITEMS: usize = 1000;

/// The list so far.
#[derive(Debug, Default)]
pub(super) struct Todos {
    items: Vec<Item>,
    /// Calls of `TaskCreate` that have not been answered: the tool call's id and the subject.
    unanswered: Vec<(String, String)>,
    /// Counts what may have changed the list.
    n_changes: u64,
    /// True when a task was changed that is not in the list: its creation is out of reach.
    is_incomplete: bool,
}

#[derive(Debug)]
struct Item {
    id: String,
    title: String,
    state: ItemState,
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
    /// A tool was called; true if it writes the list.
    pub(super) fn call(&mut self, id: &str, name: &str, input: &RawValue) -> bool {
        match name {
            "TodoWrite" => self.write(input),
            "TaskCreate" => {
                if let Ok(task) = serde_json::from_str::<TaskCreate>(input.get())
                    && self.unanswered.len() < MOST_ITEMS
                {
                    self.unanswered.push((id.to_owned(), task.subject));
                }
            }
            "TaskUpdate" => self.update(input),
            _ => return false,
        }
        true
    }

    /// A tool answered with `result`.
    pub(super) fn answer(&mut self, call_id: &str, result: Option<&RawValue>) {
        let Some(at) = self.unanswered.iter().position(|(id, _)| id == call_id) else { return };
        let (_, title) = self.unanswered.remove(at);
        let created = result.and_then(|result| serde_json::from_str::<TaskCreated>(result.get()).ok());
        self.n_changes += 1;
        if let Some(created) = created
            && self.items.len() < MOST_ITEMS
        {
            self.items.push(Item { id: created.task.id, title, state: ItemState::Open });
        }
    }

    fn write(&mut self, input: &RawValue) {
        let Ok(list) = serde_json::from_str::<TodoWrite>(input.get()) else { return };
        self.n_changes += 1;
        self.is_incomplete = false;
        self.items = list
            .todos
            .into_iter()
            .take(MOST_ITEMS)
            .map(|todo| Item { id: String::new(), title: todo.content, state: item_state(&todo.status) })
            .collect();
    }

    fn update(&mut self, input: &RawValue) {
        let Ok(update) = serde_json::from_str::<TaskUpdate>(input.get()) else { return };
        self.n_changes += 1;
        let Some(at) = self.items.iter().position(|item| item.id == update.task_id) else {
            self.is_incomplete = true;
            return;
        };
        if update.status.as_deref() == Some("deleted") {
            self.items.remove(at);
            return;
        }
        let item = &mut self.items[at];
        if let Some(status) = &update.status {
            item.state = item_state(status);
        }
        if let Some(subject) = update.subject {
            item.title = subject;
        }
    }

    /// Grows with each call that may have changed the list.
    pub(super) fn n_changes(&self) -> u64 {
        self.n_changes
    }

    /// True when tasks are missing whose creation was out of reach.
    pub(super) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The list; `None` when there is none or it is empty.
    pub(super) fn checklist(&self) -> Option<Checklist> {
        let items = self.items.iter().map(|item| checklist_item(item.title.clone(), item.state));
        checklist(items.collect())
    }
}

/// A list of the agent; `None` when it is empty.
pub(super) fn checklist(items: Vec<ChecklistItem>) -> Option<Checklist> {
    (!items.is_empty()).then(|| Checklist { from: NAME.to_owned(), items })
}

/// One item of it.
pub(super) fn checklist_item(title: String, state: ItemState) -> ChecklistItem {
    ChecklistItem { title, state, evidence: None }
}

/// The client's three words: `pending`, `in_progress`, `completed`.
pub(super) fn item_state(status: &str) -> ItemState {
    match status {
        "completed" => ItemState::Done,
        "in_progress" => ItemState::Active,
        _ => ItemState::Open,
    }
}
