//! Finds the sessions that left events, for agents whose records are elsewhere and for sessions that have
//! no record yet.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::attach::open;
use crate::agent::kind::{FoundSession, Memories, Survey, SurveyAsk};
use crate::agent::list::all_hooks;
use crate::agent::record::{entries, modified_at};
use crate::disk;
use crate::model::{Names, Parts, SessionId, SessionName, WatchTarget, hook_file_stem};

/// Further files of an agent are ignored.
const MAX_FILES: usize = 4096;

/// Sessions found by their events. Losing them costs only time.
#[derive(Debug, Default)]
struct Known {
    /// By file: the session's id and the folder in which it was started. `None` for a file that names no
    /// session.
    sessions: HashMap<PathBuf, Option<(SessionId, PathBuf)>>,
}

/// Adds the sessions with events in `folder` to those found through the agents' own records.
pub fn survey(folder: &Path, ask: &SurveyAsk<'_>, memory: &mut Memories, found: &mut Survey) {
    memory.with(|memory| look(folder, ask, memory, found));
}

fn look(folder: &Path, ask: &SurveyAsk<'_>, memory: &mut Known, found: &mut Survey) {
    let mut seen = HashMap::new();
    let names = found.found.iter().map(|session| session.place.session_name());
    let by_record: ByRecord = names.zip(0..).collect();
    for hooks in all_hooks() {
        let of_agent = folder.join(hooks.agent);
        let names = Names::Ending(".jsonl".to_owned());
        found.watch_targets.push(WatchTarget::new(&of_agent, names, Parts::WORDS).arrivals());
        let looked_at = disk::existing(of_agent.metadata());
        if matches!(looked_at, Ok(found) if !found.as_ref().is_some_and(Metadata::is_dir)) {
            continue;
        }
        for entry in entries(&of_agent, "the events of hooks", &mut found.problems).take(MAX_FILES) {
            let path = entry.path();
            let moved_at = entry.metadata().ok().map(|metadata| modified_at(&metadata));
            let is_events = path.extension().is_some_and(|extension| extension == "jsonl");
            if let (true, Some(moved_at)) = (is_events, moved_at.filter(|at| *at >= ask.since)) {
                let known = memory.sessions.remove(&path).flatten();
                let session = known.or_else(|| session_of(&path));
                if let Some((id, begun_in)) = &session {
                    let session = FoundSession::new(hooks.agent, id.clone(), begun_in, &path, moved_at);
                    add(session, ask, &by_record, found);
                }
                seen.insert(path, session);
            }
        }
    }
    memory.sessions = seen;
}

/// The session whose events are in the file, and the folder in which it was started.
fn session_of(path: &Path) -> Option<(SessionId, PathBuf)> {
    let fold = open(path).ok()?.reader;
    let id = fold.session_id?;
    // A file whose name belongs to another id is not the place of this session's events.
    let is_its_file = path.file_stem().is_some_and(|stem| stem == hook_file_stem(&id).as_str());
    let folder = fold.folder.filter(|folder| folder.is_absolute())?;
    is_its_file.then_some((id, folder))
}

/// The positions in a survey of the sessions that have a record. A session has only one event file, so nothing is added
/// twice.
type ByRecord = HashMap<SessionName, usize>;

fn add(session: FoundSession, ask: &SurveyAsk<'_>, by_record: &ByRecord, found: &mut Survey) {
    let known = by_record.get(&session.place.session_name());
    if let Some(known) = known.and_then(|at| found.found.get_mut(*at)) {
        known.moved_at = known.moved_at.max(session.moved_at);
    } else if ask.within.is_none_or(|within| session.place.folder.starts_with(within)) {
        found.found.push(session);
    }
}
