//! The task list that the client keeps beside the transcript: `tasks/<session>/<n>.json`, one task a
//! file. It is the list as it is now, so it outranks what a part of the transcript tells.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::todos::{checklist, checklist_item, item_state};
use crate::agent::record_file::read_small;
use crate::model::Checklist;

/// More files than these are left out.
const MOST_FILES: usize = 500;
/// A longer task file is passed over.
const LONGEST_FILE: u64 = 256 << 10;

#[derive(Deserialize)]
struct Task {
    subject: String,
    status: String,
}

/// The tasks in `folder`, by their numbers. `None` when there are none.
pub(super) fn read_tasks(folder: &Path) -> Option<Checklist> {
    let mut numbers: Vec<u32> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json")?.parse().ok())
        .take(MOST_FILES)
        .collect();
    numbers.sort_unstable();
    let tasks = numbers.into_iter().filter_map(|number| read_task(&folder.join(format!("{number}.json"))));
    let items = tasks.filter(|task| task.status != "deleted");
    checklist(items.map(|task| checklist_item(task.subject, item_state(&task.status))).collect())
}

fn read_task(path: &Path) -> Option<Task> {
    serde_json::from_slice(&read_small(path, LONGEST_FILE).ok()?).ok()
}
