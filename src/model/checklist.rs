//! A list of tasks, whoever wrote it: an agent's todos, a plan file, a closer's report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A checklist of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checklist {
    /// Who wrote it, for the user: a file name, or the agent's name.
    pub from: String,
    /// The items in the order of the list.
    pub items: Vec<ChecklistItem>,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistItem {
    /// What is to be done. Untrusted text.
    pub title: String,
    /// How far it is.
    pub state: ItemState,
    /// What the list itself gives as proof. Untrusted text.
    pub evidence: Option<String>,
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Done.
    Done,
    /// Being worked on.
    Active,
    /// Not begun, or any word that is not "done".
    Open,
}

impl Checklist {
    /// How many items are done.
    pub fn n_done(&self) -> usize {
        self.items.iter().filter(|item| item.state == ItemState::Done).count()
    }
}
