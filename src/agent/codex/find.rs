//! Reads the sessions of a workspace from their rollouts: the start of each once, then its end, then
//! whatever is appended. `rollout` interprets the lines.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use super::head::{Head, Meta, head_of, read_head};
use super::plan;
use super::rollout::Rollout;
use super::subagent_rollouts::Rollouts;
use crate::agent::record::{Followed, modified_at, open_record, open_seen, read_range, take_lines};
use crate::agent::{MAX_READ, SessionsAsk, SessionsRead};
use crate::model::{Checklist, DatedTodos, SessionObservation, Timestamp};

/// How far back a plan is searched for if the last piece has none, in bytes.
const PLAN_REACH: u64 = 4 << 20;
/// How far that search extends into the last piece, to complete the line that the piece starts in the
/// middle of, in bytes.
const PLAN_OVERLAP: u64 = 64 << 10;

/// Matches the tool's name in the raw bytes of a line.
static PLAN_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(plan::TOOL).ok());

/// State kept between two reads of a workspace's rollouts.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<Record>,
    names: ThreadNames,
}

#[derive(Debug)]
struct Record {
    path: PathBuf,
    meta: Meta,
    followed: Followed<Rollout>,
    /// The last plan before the first piece that was read.
    earlier_plan: Option<Checklist>,
    subagents: Rollouts,
}

/// Reads a whole rollout. `None` if it does not start like one. A last line without a line feed is still
/// being written and is ignored.
pub fn read_rollout(bytes: &[u8]) -> Option<SessionObservation> {
    let Head::Thread(meta) = head_of(bytes) else { return None };
    let mut rollout = Rollout::default();
    take_lines(&mut rollout, bytes);
    Some(rollout.observation(&meta, true))
}

pub(in crate::agent) fn sessions(ask: &SessionsAsk<'_>, memory: &mut Memory) -> SessionsRead {
    let SessionsAsk { home, places, .. } = *ask;
    let mut read = SessionsRead { watch_targets: ask.watch_targets(), ..SessionsRead::default() };
    if places.is_empty() {
        memory.records.clear();
        return read;
    }
    memory.names.refresh(home);
    let mut candidates: Vec<(i64, &Path)> = places
        .iter()
        .filter_map(|place| Some((changed_at(&place.record)?, place.record.as_path())))
        .collect();
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    read.count_unread(candidates.iter().map(|(at, _)| Timestamp(at.div_euclid(1_000_000))));
    let mut is_read = Vec::new();
    for (_, path) in candidates {
        if is_read.len() == MAX_READ {
            break;
        }
        let session = read_place(path, home, memory);
        if let Ok(Some(_)) = session {
            is_read.push(path);
        }
        read.take(path, session);
    }
    memory.records.retain(|record| is_read.contains(&record.path.as_path()));
    read
}

/// When a file was last modified, in nanoseconds since the Unix epoch. 0 if that cannot be read, so that
/// opening the file reports the problem. `None` if the file does not exist.
fn changed_at(path: &Path) -> Option<i64> {
    match path.symlink_metadata() {
        Ok(metadata) => {
            Some(metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(0),
    }
}

/// Reads one rollout. `None` if it is not a user's session, or is empty.
fn read_place(path: &Path, home: &Path, memory: &mut Memory) -> io::Result<Option<SessionObservation>> {
    let (file, metadata) = open_seen(path)?;
    let known = memory.records.iter().position(|record| record.path == path);
    if let Some(record) = known.and_then(|at| memory.records.get_mut(at))
        && record.followed.follow(&file, &metadata)?
    {
        return Ok(Some(observe(record, &file, home, &memory.names)));
    }
    memory.records.retain(|record| record.path != path);
    let Head::Thread(meta) = read_head(&file)? else { return Ok(None) };
    if meta.is_beside {
        return Ok(None);
    }
    let followed: Followed<Rollout> = Followed::open(&file)?;
    // Whether it is empty is unknown if its end is out of reach.
    if followed.reader.is_blank() && !followed.is_cut {
        return Ok(None);
    }
    let earlier_plan = if followed.reader.plan.is_none() && followed.begins_at > 0 {
        earlier_plan(&file, followed.begins_at)?
    } else {
        None
    };
    let mut record =
        Record { path: path.to_owned(), meta, followed, earlier_plan, subagents: Rollouts::default() };
    let session = observe(&mut record, &file, home, &memory.names);
    memory.records.push(record);
    Ok(Some(session))
}

/// The session as its rollout and the files beside it describe it.
fn observe(record: &mut Record, file: &File, home: &Path, names: &ThreadNames) -> SessionObservation {
    let Record { meta, followed, earlier_plan, subagents, .. } = record;
    let rollout = &followed.reader;
    let mut session = rollout.observation(meta, followed.begins_at == 0);
    session.is_partial = followed.is_cut;
    session.name = names.of(&meta.id);
    let sessions = home.join("sessions");
    session.subagents = subagents.look(&rollout.subagents, &sessions);
    subagents.tell(&rollout.subagents, &sessions, &mut session);
    session.stopped = rollout.subagents.failed().to_vec();
    if rollout.plan.is_none() {
        session.todos.clone_from(earlier_plan);
        // When it was written is out of reach.
        session.history.todos =
            earlier_plan.clone().map(|list| DatedTodos { list, at: None, order: 0, is_partial: false });
    }
    if let Ok(metadata) = file.metadata() {
        session.written_at = Some(modified_at(&metadata));
    }
    session
}

/// The last plan before the offset `end`.
fn earlier_plan(file: &File, end: u64) -> io::Result<Option<Checklist>> {
    let block = read_range(file, end.saturating_sub(PLAN_REACH), end.saturating_add(PLAN_OVERLAP))?;
    let mut lines = block.split(|byte| *byte == b'\n').rev().filter(|line| {
        // Few lines match, and searching for the name is cheaper than parsing.
        PLAN_NAME.as_ref().is_none_or(|name| name.is_match(line))
    });
    Ok(lines.find_map(plan::in_line).filter(|plan| !plan.items.is_empty()))
}

/// How much of the end is read, in bytes: about two thousand names.
const REACH: u64 = 256 << 10;

#[derive(Deserialize)]
struct Renamed {
    id: String,
    thread_name: String,
}

/// The names as last read.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    /// The size, change time and inode of the file at that moment.
    read_from: Option<(u64, i64, i64, u64)>,
    names: HashMap<String, String>,
}

impl ThreadNames {
    /// Reads the names again if the file changed. An unreadable file counts as empty.
    pub(super) fn refresh(&mut self, home: &Path) {
        let Ok(file) = open_record(&home.join("session_index.jsonl")) else {
            *self = ThreadNames::default();
            return;
        };
        let Ok(metadata) = file.metadata() else { return };
        let stamp = (metadata.len(), metadata.ctime(), metadata.ctime_nsec(), metadata.ino());
        if self.read_from == Some(stamp) {
            return;
        }
        let end = read_range(&file, metadata.len().saturating_sub(REACH), metadata.len());
        let lines = end.unwrap_or_default();
        let lines = lines.split(|byte| *byte == b'\n');
        let renamed = lines.filter_map(|line| serde_json::from_slice::<Renamed>(line).ok());
        self.names = renamed.map(|renamed| (renamed.id, renamed.thread_name)).collect();
        self.read_from = Some(stamp);
    }

    pub(super) fn of(&self, id: &str) -> Option<String> {
        self.names.get(id).filter(|name| !name.is_empty()).cloned()
    }
}
