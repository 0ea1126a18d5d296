//! One record, followed from reading to reading: its lines, and the tasks and subagents beside them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::beside;
use super::tasks::read_tasks;
use super::transcript::Transcript;
use crate::agent::record_file::{modified_at, open_record};
use crate::agent::record_tail::{Followed, fill};
use crate::model::{Names, Parts, SessionObservation, WatchTarget};

/// How far back a todo list is searched for that the last piece does not have, in bytes.
const TODO_REACH: u64 = 4 << 20;
/// It is searched in blocks of this size, with so much of the next one.
const TODO_BLOCK: usize = 64 << 10;
const TODO_OVERLAP: usize = 64;

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
        session.subagents = beside::subagents(path, &followed.reader.background);
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
        session
    }
}

/// Takes a longer piece if it holds a todo list that the last piece does not.
fn reach_for_todos(followed: &mut Followed<Transcript>, file: &File) -> io::Result<()> {
    let size = file.metadata()?.len();
    let start = size.saturating_sub(TODO_REACH);
    let todos = &followed.reader.todos;
    let Some(pattern) = TODO_CALL.as_ref().filter(|_| todos.n_changes() == 0 || todos.is_incomplete()) else {
        return Ok(());
    };
    let mut end = followed.begins_at;
    // One block for all: the memory of a new one each time costs more than the search.
    let mut block = vec![0; TODO_BLOCK + TODO_OVERLAP];
    while end > start {
        let begin = end.saturating_sub(TODO_BLOCK as u64).max(start);
        // A call that lies across two blocks is found in the overlap.
        let filled = fill(file, begin, &mut block)?;
        if pattern.is_match(&block[..filled]) {
            return followed.take_from(file, start, size);
        }
        end = begin;
    }
    Ok(())
}

/// Where the client keeps the tasks of a session.
fn tasks_folder(config_dir: &Path, id: &str) -> PathBuf {
    config_dir.join("tasks").join(id)
}
