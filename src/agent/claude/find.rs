//! Finds the records of a workspace's sessions and reads them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::folder::{Listed, record_folder, records};
use super::follow::Record;
use super::head::{Head, Heads};
use super::registry::{KnownEntries, Registry};
use super::transcript::Transcript;
use crate::agent::{LONGEST_SILENCE_MS, MAX_READ, SessionsAsk, SessionsRead};
use crate::model::{Names, Parts, SessionObservation, SessionOrigin, SessionPlace, WatchTarget};

/// How many of the newest records are examined, in addition to those that the survey named.
const MAX_CANDIDATES: usize = 4 * MAX_READ;

/// State kept between two reads of a workspace's records.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<Record>,
    heads: Heads,
    entries: KnownEntries,
}

/// A record that may belong to the workspace.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    file: Listed,
    /// Whether the survey assigned it to the workspace.
    is_named: bool,
    /// Whether it is in the workspace's own folder under `projects/`.
    is_at_home: bool,
    /// Whether the registry has an entry for it.
    is_entered: bool,
}

/// Reads the sessions of the workspace, the newest first.
pub(in crate::agent) fn sessions(ask: &SessionsAsk<'_>, memory: &mut Memory) -> SessionsRead {
    let SessionsAsk { home: config_dir, workspace, places } = *ask;
    // Read first, so that anything newer in the records overrides it.
    let mut registry = Registry::read(config_dir, &mut memory.entries);
    let mut read = SessionsRead::default();
    let mut candidates = list(ask, &registry, &mut read);
    registry.refresh(|id| {
        candidates.iter().any(|candidate| candidate.file.id == id)
            || places.iter().any(|place| place.session_id == id)
    });
    let there: HashSet<PathBuf> = candidates.iter().map(|candidate| candidate.path.clone()).collect();
    memory.heads.retain(|path| there.contains(path));
    keep_own(&mut candidates, workspace, &mut memory.heads, &mut read);
    let mut known = std::mem::take(&mut memory.records);
    // Most workspaces have one session, and a record is large.
    memory.records.reserve_exact(known.len().max(1));
    read.count_unread(candidates.iter().map(|candidate| candidate.file.moved_at()));
    for candidate in to_read(&candidates) {
        let is_living = candidate.is_entered && registry.living_with(&candidate.file.id).is_some();
        match Record::read(&candidate.path, &mut known) {
            Ok(record) if record.is_blank() && !is_living => {}
            Ok(mut record) => {
                let mut session = record.observe(config_dir);
                session.origin = origin_of(candidate, &candidates, &memory.heads);
                if record.is_blank() {
                    // The session is open but empty. Without a time it does not displace one that has
                    // content.
                    session.written_at = None;
                }
                registry.tell(&mut session, record.transcript().enters_processes());
                read.watch_targets.extend(record.tasks_target(config_dir));
                read.sessions.push(session);
                memory.records.push(record);
            }
            Err(error) => read.take(&candidate.path, Err(error)),
        }
    }
    add_those_without_a_record(places, &candidates, &mut registry, &mut read);
    read.watch_targets.extend(registry.watch_targets());
    memory.entries = registry.into_known();
    read
}

fn list(ask: &SessionsAsk<'_>, registry: &Registry, read: &mut SessionsRead) -> Vec<Candidate> {
    let (home, places) = (record_folder(ask.home, ask.workspace), ask.places);
    let mut folders = vec![home.clone()];
    for folder in places.iter().filter_map(|place| place.record.parent()) {
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
    }
    let named: HashSet<&Path> = places.iter().map(|place| &*place.record).collect();
    let mut candidates = Vec::new();
    for folder in folders {
        match records(&folder) {
            Ok(files) => candidates.extend(files.into_iter().map(|file| {
                let path = file.path(&folder);
                let is_named = named.contains(&*path);
                let is_entered = registry.has_entry(&file.id);
                Candidate { path, file, is_named, is_at_home: folder == home, is_entered }
            })),
            Err(error) => read.take(&folder, Err(error)),
        }
        let every = Names::Ending(".jsonl".to_owned());
        read.watch_targets.push(WatchTarget::new(folder, every, Parts::WORDS));
    }
    candidates.sort_unstable_by(|one, other| {
        (other.file.written_at, &other.path).cmp(&(one.file.written_at, &one.path))
    });
    candidates
}

/// Keeps the candidates that belong to the workspace.
fn keep_own(candidates: &mut Vec<Candidate>, workspace: &Path, heads: &mut Heads, read: &mut SessionsRead) {
    let mut n_looked_at = 0;
    candidates.retain(|candidate| {
        n_looked_at += 1;
        if n_looked_at > MAX_CANDIDATES && !candidate.is_named && !candidate.is_entered {
            return false;
        }
        match heads.of(&candidate.path, &candidate.file) {
            Ok(head) => {
                let is_used = !head.is_blank || candidate.is_entered;
                is_used && (candidate.is_named || was_begun_in(head, workspace, candidate.is_at_home))
            }
            Err(error) => {
                read.take(&candidate.path, Err(error));
                false
            }
        }
    });
}

/// The candidates to read: those with a registry entry first, then the newest. Returned in the order of
/// `candidates`.
fn to_read(candidates: &[Candidate]) -> Vec<&Candidate> {
    let newest = candidates.first().map_or(0, |candidate| candidate.file.written_at);
    let is_near = |candidate: &&Candidate| {
        candidate.is_named
            || candidate.is_entered
            || newest.saturating_sub(candidate.file.written_at) <= LONGEST_SILENCE_MS * 1_000_000
    };
    let mut chosen: Vec<&Candidate> = candidates.iter().filter(is_near).collect();
    chosen.sort_by_key(|candidate| !candidate.is_entered);
    chosen.truncate(MAX_READ);
    chosen.sort_by_key(|candidate| std::cmp::Reverse(candidate.file.written_at));
    chosen
}

/// Whether a session was started in the workspace or below it, but not in another work tree nested in it. A
/// record that names no folder belongs to the folder it lies in.
fn was_begun_in(head: &Head, workspace: &Path, is_at_home: bool) -> bool {
    let Some(folder) = &head.cwd else { return is_at_home };
    folder.starts_with(workspace)
        && !folder
            .ancestors()
            .take_while(|above| *above != workspace)
            .any(|above| above.join(".git").exists())
}

/// How the session of `candidate` came about. A fork begins with the very line of the session it continues,
/// and its file was created later.
fn origin_of(candidate: &Candidate, all: &[Candidate], heads: &Heads) -> SessionOrigin {
    let Some(head) = heads.known(&candidate.path) else { return SessionOrigin::Unknown };
    let Some(first) = &head.first_uuid else { return head.origin.clone() };
    let twins = all.iter().filter(|other| {
        other.path != candidate.path
            && other.path.parent() == candidate.path.parent()
            && heads.known(&other.path).is_some_and(|twin| twin.first_uuid.as_ref() == Some(first))
    });
    let made_at = candidate.file.made_at;
    let is_original = |twin: &&Candidate| {
        let is_copy = heads.known(&twin.path).is_some_and(|twin| twin.is_copy);
        match (is_copy, head.is_copy) {
            (false, true) => true,
            (true, false) => false,
            _ => twin.file.made_at.zip(made_at).is_some_and(|(twin, own)| twin < own),
        }
    };
    match twins.filter(is_original).min_by_key(|twin| twin.file.made_at) {
        Some(original) => SessionOrigin::Fork { of: Some(original.file.id.as_str().into()) },
        None if head.is_copy => SessionOrigin::Fork { of: None },
        None => head.origin.clone(),
    }
}

/// Adds live sessions that have no record yet.
fn add_those_without_a_record(
    places: &[&SessionPlace],
    candidates: &[Candidate],
    registry: &mut Registry,
    read: &mut SessionsRead,
) {
    for place in places.iter().filter(|place| !candidates.iter().any(|known| known.path == place.record)) {
        if registry.living_with(&place.session_id).is_none() || place.record.exists() {
            continue;
        }
        let nothing_said = Transcript::default().observation(&place.session_id, true);
        let mut session = SessionObservation { folder: Some(place.folder.clone()), ..nothing_said };
        registry.tell(&mut session, false);
        read.sessions.push(session);
    }
}
