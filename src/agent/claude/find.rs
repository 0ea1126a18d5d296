//! Which transcript is the newest one of a workspace, and reading it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::beside;
use super::registry::Registry;
use super::tasks::read_tasks;
use super::transcript::Transcript;
use crate::agent::SessionsRead;
use crate::agent::record_tail::{Followed, read_range, take_lines};
use crate::model::{
    Checklist, Names, Parts, ReadProblem, SessionObservation, SessionPlace, Unreadable, WatchTarget,
};

/// The client cuts a longer name here and adds `-` and a hash.
const LONGEST_NAME: usize = 200;
/// So many of the newest transcripts are tried at most.
const MOST_CANDIDATES: usize = 16;
/// So many of them are read.
const MOST_READ: usize = 8;
/// One that was silent for so long before the newest one moved is not looked at: the longest silence
/// that can be configured, in nanoseconds.
const LONGEST_SILENCE: i64 = 24 * 3_600 * 1_000_000_000;
/// How much of the begin of a transcript is searched for the folder it was begun in, in bytes.
const HEAD: u64 = 64 << 10;
/// How far back a todo list is searched for that the last piece does not have, in bytes.
const TODO_REACH: u64 = 4 << 20;
/// It is searched in blocks of this size, with so much of the next one.
const TODO_BLOCK: u64 = 256 << 10;
const TODO_OVERLAP: u64 = 64;

/// A call that changes the todo list, in the bytes of a transcript.
static TODO_CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""name":"(?:TodoWrite|TaskCreate|TaskUpdate)""#).ok());

/// What is remembered of a workspace's transcripts between readings.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<Record>,
}

/// What is remembered of one transcript.
#[derive(Debug)]
struct Record {
    path: PathBuf,
    followed: Followed<Transcript>,
    /// The tasks as they were after so many changes.
    tasks: Option<(u64, Option<Checklist>)>,
}

/// The name of a workspace's folder under `projects/`: every UTF-16 unit of the path but ASCII letters
/// and digits turned into `-`. Longer than 200 it is only the begin of the name. Two workspaces can have
/// the same name.
pub fn folder_name(workspace: &Path) -> String {
    let units = workspace.to_string_lossy();
    let name = units.encode_utf16().map(|unit| {
        let byte = u8::try_from(unit).unwrap_or(b'-');
        if byte.is_ascii_alphanumeric() { char::from(byte) } else { '-' }
    });
    name.collect()
}

/// The folder of a workspace's transcripts. It need not exist.
fn transcript_folder(config_dir: &Path, workspace: &Path) -> PathBuf {
    let projects = config_dir.join("projects");
    let name = folder_name(workspace);
    let cut = (name.len() > LONGEST_NAME).then(|| cut_folder(&projects, &name[..LONGEST_NAME])).flatten();
    cut.unwrap_or_else(|| projects.join(name))
}

/// Reads the sessions of `workspace`, the newest first.
pub(in crate::agent) fn sessions(
    config_dir: &Path,
    workspace: &Path,
    places: &[&SessionPlace],
    memory: &mut Memory,
) -> SessionsRead {
    let mut folders = vec![transcript_folder(config_dir, workspace)];
    for folder in places.iter().filter_map(|place| place.record.parent()) {
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
    }
    let mut read = SessionsRead::default();
    let mut candidates = Vec::new();
    for folder in folders {
        match transcripts(&folder) {
            Ok(found) => candidates.extend(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => read.trouble.push(unreadable(&folder, &error)),
        }
        let names = Names::Ending(".jsonl".to_owned());
        read.watch_targets.push(WatchTarget::new(folder, names, Parts::WORDS));
    }
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    read_candidates(&candidates, config_dir, workspace, memory, &mut read);
    read
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    let problem = if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        ReadProblem::Link
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        ReadProblem::Refused
    } else if error.kind() == io::ErrorKind::InvalidInput {
        ReadProblem::NotAFile
    } else {
        ReadProblem::Io
    };
    let detail = format!("the session's record cannot be read: {error}");
    Unreadable { name: path.display().to_string(), problem, detail }
}

/// The folder whose long name was cut and hashed.
fn cut_folder(projects: &Path, begin: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(projects)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let hash = name.to_str().and_then(|name| name.strip_prefix(begin)?.strip_prefix('-'));
            hash.is_some_and(|hash| hash.len() == 6)
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders.pop()
}

/// The transcripts in a folder, the newest first.
fn transcripts(folder: &Path) -> io::Result<Vec<(i64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
        let name = entry.file_name();
        // Versions around 2.0 kept the transcripts of subagents here, as `agent-<id>.jsonl`.
        let is_session = Path::new(&name).extension().is_some_and(|extension| extension == "jsonl")
            && !name.as_encoded_bytes().starts_with(b"agent-");
        if let (true, Ok(metadata)) = (is_session, entry.metadata()) {
            let nanos = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
            found.push((nanos, entry.path()));
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    Ok(found)
}

/// Reads those of these that belong to the workspace and in which anything was said.
fn read_candidates(
    candidates: &[(i64, PathBuf)],
    config_dir: &Path,
    workspace: &Path,
    memory: &mut Memory,
    read: &mut SessionsRead,
) {
    // Before the transcripts: what they tell beyond it is newer.
    let mut registry = Registry::read(config_dir);
    let mut newest_at = None;
    let mut is_read = Vec::new();
    for (written_at, path) in candidates.iter().take(MOST_CANDIDATES) {
        let is_far =
            newest_at.is_some_and(|newest: i64| newest.saturating_sub(*written_at) > LONGEST_SILENCE);
        if is_far || is_read.len() == MOST_READ {
            break;
        }
        match read_candidate(path, config_dir, workspace, memory) {
            Ok(Some(mut session)) => {
                newest_at.get_or_insert(*written_at);
                is_read.push(path);
                registry.tell(&mut session);
                read.sessions.push(session);
            }
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => read.trouble.push(unreadable(path, &error)),
        }
    }
    memory.records.retain(|record| is_read.contains(&&record.path));
    read.watch_targets.extend(registry.watch_target());
}

/// Reads one transcript; `None` if it is another workspace's or nothing was said in it.
fn read_candidate(
    path: &Path,
    config_dir: &Path,
    workspace: &Path,
    memory: &mut Memory,
) -> io::Result<Option<SessionObservation>> {
    let file = open_record(path)?;
    let known = memory.records.iter().position(|record| record.path == path);
    if let Some(record) = known.and_then(|at| memory.records.get_mut(at))
        && record.followed.follow(&file)?
    {
        return Ok(Some(observe(record, &file, config_dir)));
    }
    memory.records.retain(|record| record.path != path);
    let mut followed: Followed<Transcript> = Followed::open(&file)?;
    if followed.reader.is_blank() || !belongs_to(&followed, &file, workspace)? {
        return Ok(None);
    }
    reach_for_todos(&mut followed, &file)?;
    let mut record = Record { path: path.to_owned(), followed, tasks: None };
    let session = observe(&mut record, &file, config_dir);
    memory.records.push(record);
    Ok(Some(session))
}

/// What the followed transcript says, with what stands beside it.
fn observe(record: &mut Record, file: &File, config_dir: &Path) -> SessionObservation {
    let Record { path, followed, tasks } = record;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut session = followed.reader.observation(&id);
    session.is_partial = followed.is_cut || followed.reader.todos.is_incomplete();
    session.subagents = beside::subagents(path, &followed.reader.background);
    let n_changes = followed.reader.todos.n_changes();
    let is_current = tasks.as_ref().is_some_and(|(n, _)| *n == n_changes);
    if !is_current {
        *tasks = Some((n_changes, read_tasks(&config_dir.join("tasks").join(&id))));
    }
    if let Some((_, Some(tasks))) = tasks {
        session.todos = Some(tasks.clone());
        session.is_partial = followed.is_cut;
    }
    if let Some(at) = file.metadata().ok().as_ref().and_then(beside::modified_at) {
        session.written_at = Some(at);
    }
    session
}

/// Whether the session was begun in the workspace or below it, or works there now. A record that names
/// no folder belongs where it lies.
fn belongs_to(followed: &Followed<Transcript>, file: &File, workspace: &Path) -> io::Result<bool> {
    let (first, last) = followed.reader.folders();
    let is_ours = |folder: &str| Path::new(folder).starts_with(workspace);
    if first.is_some_and(is_ours) || last.is_some_and(is_ours) {
        return Ok(true);
    }
    if followed.begins_at == 0 {
        return Ok(first.is_none());
    }
    let mut head = Transcript::default();
    take_lines(&mut head, &read_range(file, 0, HEAD)?);
    Ok(head.folders().0.map_or(first.is_none(), is_ours))
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
    while end > start {
        let begin = end.saturating_sub(TODO_BLOCK).max(start);
        // A call that lies across two blocks is found in the overlap.
        let block = read_range(file, begin, (end + TODO_OVERLAP).min(size))?;
        if pattern.is_match(&block) {
            return followed.take_from(file, start, size);
        }
        end = begin;
    }
    Ok(())
}

/// Opens a file of the client: a regular one, not through a link in its own name, and without waiting.
pub(super) fn open_record(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}
