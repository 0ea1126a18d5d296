//! One record, followed from reading to reading: its lines, and the tasks and subagents beside them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use super::background::{Background, SentOff};
use super::todos::{checklist, checklist_item, item_state};
use super::transcript::{Transcript, is_of_conversation};
use crate::agent::record::{Followed, modified_at, open_record, read_small};
use crate::agent::record_text::shortened_if_any;
use crate::model::{Checklist, Names, Parts, SessionObservation, Subagent, TurnState, WatchTarget};

/// How far back a todo list is searched for that the last piece does not have, in bytes.
const TODO_REACH: u64 = 4 << 20;

/// A call that changes the todo list, in the bytes of a transcript.
static TODO_CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""name":"(?:TodoWrite|TaskCreate|TaskUpdate)""#).ok());

/// What is remembered of one record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) path: PathBuf,
    followed: Followed<Transcript>,
}

impl Record {
    /// Reads the record at `path`: what was appended if it is among `records`, else from its end.
    pub(super) fn read(path: &Path, records: &mut Vec<Record>) -> io::Result<(Record, File)> {
        let file = open_record(path)?;
        let known = records.iter().position(|record| record.path == path);
        if let Some(mut record) = known.map(|at| records.swap_remove(at))
            && record.followed.follow(&file)?
        {
            return Ok((record, file));
        }
        let mut followed: Followed<Transcript> = Followed::open(&file)?;
        if !followed.reader.is_blank() {
            reach_for_todos(&mut followed, &file)?;
        }
        Ok((Record { path: path.to_owned(), followed }, file))
    }

    /// True when nothing was said in it: a session that was opened and not used.
    pub(super) fn is_blank(&self) -> bool {
        self.followed.begins_at == 0 && self.followed.reader.is_blank()
    }

    /// What its lines said.
    pub(super) fn transcript(&self) -> &Transcript {
        &self.followed.reader
    }

    /// Where a change of its tasks would show, if it keeps any.
    pub(super) fn tasks_target(&self, config_dir: &Path) -> Option<WatchTarget> {
        let folder = tasks_folder(config_dir, self.path.file_stem()?.to_str()?);
        let has_tasks = self.followed.reader.todos.n_changes() > 0 || folder.is_dir();
        has_tasks.then(|| WatchTarget::new(folder, Names::Ending(".json".to_owned()), Parts::WORDS))
    }

    /// What it says, with what stands beside it.
    pub(super) fn observe(&mut self, file: &File, config_dir: &Path) -> SessionObservation {
        let Record { path, followed, .. } = self;
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut session = followed.reader.observation(&id, followed.begins_at == 0);
        session.is_partial = followed.is_cut || followed.reader.todos.is_incomplete();
        session.subagents = subagents(path, &followed.reader.background);
        // Written after the line that tells of the change, so that no line says when they are up to date.
        if let Some(tasks) = read_tasks(&tasks_folder(config_dir, &id)) {
            // The list as it is now; its moment stays that of the call.
            if let Some(dated) = &mut session.history.todos {
                dated.list.clone_from(&tasks);
                dated.is_partial = false;
            }
            session.todos = Some(tasks);
            session.is_partial = followed.is_cut;
        }
        if let Ok(metadata) = file.metadata() {
            session.written_at = Some(modified_at(&metadata));
        }
        // A line of the conversation that is being written: the turn before it is not the last.
        let is_at_rest = !matches!(session.turn, TurnState::Open { .. } | TurnState::Unknown);
        let is_written = !followed.unfinished.is_empty() && is_of_conversation(&followed.unfinished);
        if is_at_rest && is_written {
            session.turn = TurnState::Open { since: session.written_at, tool: None, what: None };
        }
        session
    }
}

/// Takes a longer piece if it holds a todo list that the last piece does not.
fn reach_for_todos(followed: &mut Followed<Transcript>, file: &File) -> io::Result<()> {
    let todos = &followed.reader.todos;
    match TODO_CALL.as_ref().filter(|_| todos.n_changes() == 0 || todos.is_incomplete()) {
        Some(call) => followed.reach_for(file, TODO_REACH, |block| call.is_match(block)),
        None => Ok(()),
    }
}

/// Where the client keeps the tasks of a session.
fn tasks_folder(config_dir: &Path, id: &str) -> PathBuf {
    config_dir.join("tasks").join(id)
}

/// A longer label is passed over; real ones have less than 1 KiB. In bytes.
const LONGEST_LABEL: u64 = 64 << 10;

/// What stands beside the record of a subagent, as far as it is used.
#[derive(Deserialize)]
struct Label {
    description: String,
}

/// The subagents of the session recorded in `transcript` that have not reported.
fn subagents(transcript: &Path, background: &Background) -> Vec<Subagent> {
    let folder = transcript.with_extension("").join("subagents");
    let subagent = |sent: &SentOff| {
        let record = folder.join(format!("agent-{}.jsonl", sent.id)).symlink_metadata().ok();
        Subagent {
            id: sent.id.clone(),
            what: sent.what.clone().or_else(|| labelled(&folder, &sent.id)),
            moved_at: record.as_ref().map(modified_at).max(sent.at),
        }
    };
    background.subagents().iter().map(subagent).collect()
}

/// What the client wrote beside the record of a subagent.
fn labelled(folder: &Path, id: &str) -> Option<String> {
    let bytes = read_small(&folder.join(format!("agent-{id}.meta.json")), LONGEST_LABEL).ok()?;
    let label: Label = serde_json::from_slice(&bytes).ok()?;
    shortened_if_any(&label.description)
}

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
fn read_tasks(folder: &Path) -> Option<Checklist> {
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
