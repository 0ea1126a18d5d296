//! Reads the sessions of a workspace from their records.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use super::call::WRITE_TODOS;
use super::chat::Chat;
use super::subagents;
use super::survey::is_own_copy;
use crate::agent::record::{Followed, modified_at, open_seen};
use crate::agent::subagent_records::SubagentRecords;
use crate::agent::{MAX_READ, SessionsAsk, SessionsRead};
use crate::model::{SessionObservation, SessionPlace, Timestamp};

/// How far back a todo list is searched for if the last piece has none, in bytes.
const TODO_REACH: u64 = 4 << 20;

/// State kept between two reads of a workspace's records.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<Record>,
}

#[derive(Debug)]
struct Record {
    path: PathBuf,
    followed: Followed<Chat>,
    subagents: SubagentRecords<Chat>,
}

pub(in crate::agent) fn sessions(ask: &SessionsAsk<'_>, memory: &mut Memory) -> SessionsRead {
    let places = ask.places;
    let mut read = SessionsRead { watch_targets: ask.watch_targets(), ..SessionsRead::default() };
    let moved = |place: &&SessionPlace| {
        place.record.symlink_metadata().map_or(Timestamp(i64::MIN), |found| modified_at(&found))
    };
    let mut newest: Vec<_> = places.iter().map(|place| (moved(place), *place)).collect();
    newest.sort_unstable_by(|one, other| other.cmp(one));
    read.count_unread(newest.iter().map(|(at, _)| *at));
    newest.truncate(MAX_READ);
    for (_, place) in &newest {
        read.take(&place.record, read_place(place, memory));
    }
    memory.records.retain(|record| newest.iter().any(|(_, place)| place.record == record.path));
    read
}

/// Reads one record. `None` if it is empty or not a user's session.
fn read_place(place: &SessionPlace, memory: &mut Memory) -> io::Result<Option<SessionObservation>> {
    let (file, metadata) = open_seen(&place.record)?;
    let known = memory.records.iter_mut().find(|record| record.path == place.record);
    if let Some(record) = known
        && record.followed.follow(&file, &metadata)?
    {
        return observe(record, place, &file);
    }
    memory.records.retain(|record| record.path != place.record);
    let mut followed: Followed<Chat> = Followed::open(&file)?;
    reach_for_todos(&mut followed, &file)?;
    let subagents = SubagentRecords::default();
    let mut record = Record { path: place.record.clone(), followed, subagents };
    let session = observe(&mut record, place, &file);
    memory.records.push(record);
    session
}

fn observe(record: &mut Record, place: &SessionPlace, file: &File) -> io::Result<Option<SessionObservation>> {
    let Record { path, followed, subagents } = record;
    let chat = &followed.reader;
    let is_own = chat.imported_from.as_deref().is_some_and(is_own_copy);
    if chat.is_blank() || chat.is_subagent || is_own {
        return Ok(None);
    }
    let mut session = chat.observation(&place.session_id, followed.begins_at == 0);
    session.is_partial = followed.is_cut;
    subagents::tell(path, subagents, &mut session);
    session.folder = Some(place.folder.clone());
    session.written_at = Some(modified_at(&file.metadata()?));
    Ok(Some(session))
}

/// Reads a longer piece if that one has a todo list which the last piece lacks.
fn reach_for_todos(followed: &mut Followed<Chat>, file: &File) -> io::Result<()> {
    if followed.reader.has_todos() {
        return Ok(());
    }
    let name = format!("\"name\":\"{WRITE_TODOS}\"");
    followed
        .reach_for(file, TODO_REACH, |block| block.windows(name.len()).any(|piece| piece == name.as_bytes()))
}
