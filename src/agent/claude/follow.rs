//! Follows one record from read to read: its lines, and the tasks and subagents stored beside it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use super::NAME;
use super::background::SentOff;
use super::subagents;
use super::transcript::{Transcript, is_of_conversation};
use crate::agent::record::{Followed, modified_at, open_seen, read_small};
use crate::agent::record_text::shortened_if_any;
use crate::agent::subagent_records::SubagentRecords;
use crate::agent::turn_tracker::todo;
use crate::model::{
    Checklist, ChecklistItem, Names, Parts, SessionObservation, Subagent, TurnState, WatchTarget,
};

/// How far back from the end a todo list is searched for if the last piece has none, in bytes.
const TODO_REACH: u64 = 4 << 20;

/// Matches a call that changes the todo list, in the raw bytes of a transcript.
static TODO_CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""name":"(?:TodoWrite|TaskCreate|TaskUpdate)""#).ok());

#[derive(Debug)]
pub(super) struct Record {
    pub(super) path: PathBuf,
    followed: Followed<Transcript>,
    subagents: SubagentRecords<Transcript>,
    /// Whether the client keeps a folder of the session's tasks, as of the last look.
    has_tasks: bool,
}

impl Record {
    /// Reads the record at `path`. One that is among `records` is read from where the last read stopped,
    /// any other from its end.
    pub(super) fn read(path: &Path, records: &mut Vec<Record>) -> io::Result<Record> {
        let (file, metadata) = open_seen(path)?;
        let known = records.iter().position(|record| record.path == path);
        if let Some(mut record) = known.map(|at| records.swap_remove(at))
            && record.followed.follow(&file, &metadata)?
        {
            return Ok(record);
        }
        let mut followed: Followed<Transcript> = Followed::open(&file)?;
        if !followed.reader.is_blank() {
            reach_for_todos(&mut followed, &file)?;
        }
        let subagents = SubagentRecords::default();
        Ok(Record { path: path.to_owned(), followed, subagents, has_tasks: false })
    }

    /// Whether the session was opened but never used.
    pub(super) fn is_blank(&self) -> bool {
        self.followed.begins_at == 0 && self.followed.reader.is_blank()
    }

    pub(super) fn transcript(&self) -> &Transcript {
        &self.followed.reader
    }

    /// The folder to watch for changes to its tasks, if it had any when it was last observed.
    pub(super) fn tasks_target(&self, config_dir: &Path) -> Option<WatchTarget> {
        let folder = tasks_folder(config_dir, self.path.file_stem()?.to_str()?);
        let has_tasks = self.followed.reader.todos.n_changes > 0 || self.has_tasks;
        has_tasks.then(|| WatchTarget::new(folder, Names::Ending(".json".to_owned()), Parts::WORDS))
    }

    /// The session as its record and the files beside it describe it.
    pub(super) fn observe(&mut self, config_dir: &Path) -> SessionObservation {
        let Record { path, followed, subagents: records, has_tasks } = self;
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut session = followed.reader.observation(&id, followed.begins_at == 0);
        session.is_partial = followed.is_cut || followed.reader.todos.is_incomplete;
        let background = &followed.reader.background;
        session.subagents = subagents(path, background.subagents());
        let stopped = subagents(path, background.stopped()).into_iter().zip(background.stopped());
        session.stopped = stopped.map(|(subagent, end)| Subagent { moved_at: end.at, ..subagent }).collect();
        subagents::tell(path, records, &mut session);
        // The task files are written after the transcript line that mentions the change, so no line says
        // when they are current.
        let files = task_files(&tasks_folder(config_dir, &id));
        *has_tasks = files.is_some();
        if let Some(tasks) = files.and_then(|files| read_tasks(&files)) {
            // The list as it is now. Its time stays that of the call.
            if let Some(dated) = &mut session.history.todos {
                dated.list.clone_from(&tasks);
                dated.is_partial = false;
            }
            session.todos = Some(tasks);
            session.is_partial = followed.is_cut;
        }
        session.written_at = Some(followed.written_at);
        // A line of the conversation is half written, so the turn before it is no longer the last one.
        let is_at_rest = !matches!(session.turn, TurnState::Open { .. } | TurnState::Unknown);
        let is_written = !followed.unfinished.is_empty() && is_of_conversation(&followed.unfinished);
        if is_at_rest && is_written {
            session.turn = TurnState::Open { since: session.written_at, tool: None, what: None };
        }
        session
    }
}

/// Reads a longer piece if that one has a todo list which the last piece lacks.
fn reach_for_todos(followed: &mut Followed<Transcript>, file: &File) -> io::Result<()> {
    let todos = &followed.reader.todos;
    if followed.begins_at == 0 {
        // The whole record was read; the pattern is not even built.
        return Ok(());
    }
    match TODO_CALL.as_ref().filter(|_| todos.n_changes == 0 || todos.is_incomplete) {
        Some(call) => followed.reach_for(file, TODO_REACH, |block| call.is_match(block)),
        None => Ok(()),
    }
}

/// Where the client stores the tasks of session `id`.
fn tasks_folder(config_dir: &Path, id: &str) -> PathBuf {
    config_dir.join("tasks").join(id)
}

/// The longest label read, in bytes. Real ones are under 1 KiB.
const LONGEST_LABEL: u64 = 64 << 10;

/// The fields used of the file beside a subagent's record.
#[derive(Deserialize)]
struct Label {
    description: String,
}

/// These subagents of the session recorded in `transcript`, each with the time its own record last grew.
fn subagents(transcript: &Path, sent_off: &[SentOff]) -> Vec<Subagent> {
    let folder = subagents::folder_of(transcript);
    let subagent = |sent: &SentOff| {
        let record = folder.join(format!("agent-{}.jsonl", sent.id)).symlink_metadata().ok();
        Subagent {
            id: sent.id.clone(),
            what: sent.what.clone().or_else(|| labelled(&folder, &sent.id)),
            moved_at: record.as_ref().map(modified_at).max(sent.at),
        }
    };
    sent_off.iter().map(subagent).collect()
}

/// The description in the file the client writes beside a subagent's record.
fn labelled(folder: &Path, id: &str) -> Option<String> {
    let bytes = read_small(&folder.join(format!("agent-{id}.meta.json")), LONGEST_LABEL).ok()?;
    let label: Label = serde_json::from_slice(&bytes).ok()?;
    shortened_if_any(&label.description)
}

/// Further task files are ignored.
const MAX_FILES: usize = 500;
/// The longest task file read, in bytes.
const LONGEST_FILE: u64 = 256 << 10;

#[derive(Deserialize)]
struct Task {
    subject: String,
    status: String,
}

/// The task files in `folder`, ordered by number. `None` if there is no such folder.
fn task_files(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut numbers: Vec<u32> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json")?.parse().ok())
        .take(MAX_FILES)
        .collect();
    numbers.sort_unstable();
    Some(numbers.into_iter().map(|number| folder.join(format!("{number}.json"))).collect())
}

/// The tasks in these files. `None` if there are none.
fn read_tasks(files: &[PathBuf]) -> Option<Checklist> {
    let tasks = files.iter().filter_map(|file| read_task(file));
    let tasks = tasks.filter(|task| task.status != "deleted");
    let items: Vec<ChecklistItem> = tasks.map(|task| todo(task.subject, &task.status)).collect();
    (!items.is_empty()).then(|| Checklist { from: NAME.to_owned(), items })
}

fn read_task(path: &Path) -> Option<Task> {
    serde_json::from_slice(&read_small(path, LONGEST_FILE).ok()?).ok()
}
