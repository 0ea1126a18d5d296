//! Reading the sessions of a workspace from their records.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::call::WRITE_TODOS;
use super::chat::Chat;
use super::survey::is_own_copy;
use crate::agent::SessionsRead;
use crate::agent::record::{Followed, modified_at, open_record, read_range, unreadable};
use crate::model::{Names, Parts, SessionObservation, SessionPlace, Timestamp, WatchTarget};

/// So many sessions of a workspace are read, the newest.
const MOST_READ: usize = 12;
/// How far back a todo list is searched for that the last piece does not have, in bytes.
const TODO_REACH: u64 = 4 << 20;
/// It is searched in blocks of this size, with so much of the next one.
const TODO_BLOCK: u64 = 256 << 10;
const TODO_OVERLAP: u64 = 64;

/// What is remembered of a workspace's records between readings.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<(PathBuf, Followed<Chat>)>,
}

/// Reads the sessions at `places`, the newest first.
pub(in crate::agent) fn sessions(places: &[&SessionPlace], memory: &mut Memory) -> SessionsRead {
    let mut read = SessionsRead::default();
    let mut watched: BTreeMap<&Path, Vec<&std::ffi::OsStr>> = BTreeMap::new();
    for place in places {
        if let (Some(folder), Some(name)) = (place.record.parent(), place.record.file_name()) {
            watched.entry(folder).or_default().push(name);
        }
    }
    let targets = watched.into_iter();
    read.watch_targets
        .extend(targets.map(|(folder, names)| WatchTarget::new(folder, Names::these(names), Parts::WORDS)));
    let moved = |place: &&SessionPlace| {
        place.record.symlink_metadata().map_or(Timestamp(i64::MIN), |found| modified_at(&found))
    };
    let mut newest: Vec<_> = places.iter().map(|place| (moved(place), *place)).collect();
    newest.sort_unstable_by(|one, other| other.cmp(one));
    newest.truncate(MOST_READ);
    for (_, place) in &newest {
        match read_place(place, memory) {
            Ok(Some(session)) => read.sessions.push(session),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => read.trouble.push(unreadable(&place.record, "the session's record", &error)),
        }
    }
    memory.records.retain(|(path, _)| newest.iter().any(|(_, place)| place.record == *path));
    read
}

/// Reads one record; `None` if nothing was said in it, or it is no session of a person.
fn read_place(place: &SessionPlace, memory: &mut Memory) -> io::Result<Option<SessionObservation>> {
    let file = open_record(&place.record)?;
    let known = memory.records.iter_mut().find(|(path, _)| *path == place.record);
    if let Some((_, followed)) = known
        && followed.follow(&file)?
    {
        return observe(followed, place, &file);
    }
    memory.records.retain(|(path, _)| *path != place.record);
    let mut followed: Followed<Chat> = Followed::open(&file)?;
    reach_for_todos(&mut followed, &file)?;
    let session = observe(&followed, place, &file);
    memory.records.push((place.record.clone(), followed));
    session
}

fn observe(
    followed: &Followed<Chat>,
    place: &SessionPlace,
    file: &File,
) -> io::Result<Option<SessionObservation>> {
    let chat = &followed.reader;
    let is_own = chat.imported_from.as_deref().is_some_and(is_own_copy);
    if chat.is_blank() || chat.is_subagent || is_own {
        return Ok(None);
    }
    let mut session = chat.observation(&place.session_id, followed.begins_at == 0);
    session.is_partial = followed.is_cut;
    session.folder = Some(place.folder.clone());
    session.written_at = Some(modified_at(&file.metadata()?));
    Ok(Some(session))
}

/// Takes a longer piece if it holds a todo list that the last piece does not.
fn reach_for_todos(followed: &mut Followed<Chat>, file: &File) -> io::Result<()> {
    if followed.reader.has_todos() {
        return Ok(());
    }
    let size = file.metadata()?.len();
    let start = size.saturating_sub(TODO_REACH);
    let name = format!("\"name\":\"{WRITE_TODOS}\"");
    let mut end = followed.begins_at;
    while end > start {
        let begin = end.saturating_sub(TODO_BLOCK).max(start);
        // A call that lies across two blocks is found in the overlap.
        let block = read_range(file, begin, (end + TODO_OVERLAP).min(size))?;
        if block.windows(name.len()).any(|piece| piece == name.as_bytes()) {
            return followed.take_from(file, start, size);
        }
        end = begin;
    }
    Ok(())
}
