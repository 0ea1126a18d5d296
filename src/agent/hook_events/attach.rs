//! Reads the events of sessions, each file from its end and then whatever is appended, and adds what they report
//! to the sessions that were read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::fold::HookFold;
use crate::agent::process_stat::{BOOT_SLACK_MS, ProcessState, booted_at, process_state};
use crate::agent::record::{Followed, open_record, open_seen, read_range, take_lines};
use crate::model::{
    ActivitySource, LiveStatus, Names, Parts, SessionObservation, SessionOrigin, SessionPlace, Subagent,
    Timestamp, WatchTarget, hook_file_stem,
};

/// If a session's record grew this long after the last event, its hooks have stopped reporting, in
/// milliseconds. That the process they named is gone then says nothing about the session.
const SILENT_MS: i64 = 60_000;
/// How much of the end of the previous file is read, in bytes.
const BEFORE: u64 = 64 << 10;

/// Reads the events of a workspace's sessions and remembers its position in each file. Losing it costs only
/// time.
#[derive(Debug, Default)]
pub struct HookReader {
    files: HashMap<PathBuf, Followed<HookFold>>,
}

impl HookReader {
    /// Adds to `sessions` what the events in `folder` report, and adds the sessions at `places` that are
    /// known only by their events. Returns the watch targets of all of them, including sessions without
    /// events, which may still get some.
    pub fn tell(
        &mut self,
        folder: &Path,
        places: &[&SessionPlace],
        sessions: &mut Vec<SessionObservation>,
    ) -> Vec<WatchTarget> {
        let mut used = Vec::new();
        for session in sessions.iter_mut() {
            let path = event_file(folder, &session.agent, &session.session_id);
            if let Some(fold) = self.read(&path) {
                add(fold, session);
            }
            used.push(path);
        }
        for place in places {
            if !is_own_place(folder, place) || sessions.iter().any(|session| place.is_of(session)) {
                continue;
            }
            let path = event_file(folder, &place.agent, &place.session_id);
            if let Some(session) = self.read(&path).and_then(|fold| observation(place, fold)) {
                sessions.push(session);
            }
            used.push(path);
        }
        self.files.retain(|path, _| used.contains(path));
        sessions.sort_by_key(|session| std::cmp::Reverse(session.spoken_at()));
        watch_targets(&used)
    }

    /// The events in this file; `None` if there are none.
    fn read(&mut self, path: &Path) -> Option<&HookFold> {
        let mut known = self.files.remove(path);
        let is_known = match &mut known {
            Some(known) => {
                let (file, metadata) = open_seen(path).ok()?;
                known.follow(&file, &metadata).ok()?
            }
            None => false,
        };
        let followed = known.filter(|_| is_known).or_else(|| open(path).ok())?;
        Some(&self.files.entry(path.to_owned()).or_insert(followed).reader)
    }
}

/// Opens and reads a file with events. Links, FIFOs and other special files are errors.
pub(super) fn open(path: &Path) -> io::Result<Followed<HookFold>> {
    let file = open_record(path)?;
    let mut followed: Followed<HookFold> = Followed::open(&file)?;
    if followed.begins_at == 0 && followed.reader.is_short() {
        // The file was started recently, so earlier events are in the rotated one.
        let mut whole = before(path).unwrap_or_default();
        let size = file.metadata()?.len();
        take_lines(&mut whole, &read_range(&file, 0, size)?);
        followed.reader = whole;
    }
    Ok(followed)
}

/// The events at the end of the file that a hook rotated when it had grown too long (`store::hook_log`).
fn before(path: &Path) -> io::Result<HookFold> {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    let file = open_record(Path::new(&name))?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(BEFORE);
    let piece = read_range(&file, start, size)?;
    let first =
        if start == 0 { 0 } else { piece.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
    let mut fold = HookFold::default();
    take_lines(&mut fold, &piece[first..]);
    Ok(fold)
}

/// Whether this is the place of a session known only by its events.
pub fn is_own_place(folder: &Path, place: &SessionPlace) -> bool {
    place.record.starts_with(folder)
}

/// The file with a session's events.
fn event_file(folder: &Path, agent: &str, session_id: &str) -> PathBuf {
    folder.join(agent).join(format!("{}.jsonl", hook_file_stem(session_id)))
}

/// One watch target per agent folder.
fn watch_targets(paths: &[PathBuf]) -> Vec<WatchTarget> {
    let mut folders: Vec<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    folders.sort_unstable();
    folders.dedup();
    let targets = folders.into_iter().map(|folder| {
        let of_folder = paths.iter().filter(|path| path.parent() == Some(folder));
        let names =
            Names::these(of_folder.filter_map(|path| path.file_name().map(std::ffi::OsStr::to_owned)));
        WatchTarget::new(folder, names, Parts::WORDS)
    });
    targets.collect()
}

/// Adds what the events report to what the record says.
fn add(fold: &HookFold, session: &mut SessionObservation) {
    let process = fold.process().filter(|(_, namespace)| is_of_this_namespace(*namespace));
    let process = process.map(|(process, _)| process);
    let is_contradicted = process.is_some() && session.process.is_some() && process != session.process;
    let is_gone = match process {
        Some(process) => process_state(process) == ProcessState::Gone,
        // A server's session, or one in a container: its process cannot be inspected.
        None => fold.reported_at.is_some_and(is_before_boot),
    };
    let mut is_over = is_gone;
    if let Some(mut word) = fold.word() {
        let is_silent = session
            .written_at
            .zip(word.reported_at)
            .is_some_and(|(written_at, reported_at)| written_at.millis_since(reported_at) > SILENT_MS);
        let is_ended = word.status == LiveStatus::Ended;
        is_over |= is_ended;
        let is_kept = if is_gone && !is_ended {
            word.status = LiveStatus::Gone;
            !is_contradicted && !is_silent
        } else {
            // The end of one process does not end a session in which another process works.
            !(is_ended && is_contradicted)
        };
        if is_kept {
            session.history.was_cleared = fold.is_cleared();
            session.background = fold.background();
            session.live.push(word);
        }
    }
    if !is_contradicted {
        session.process = session.process.or(process);
        // If the session is over, another program may run in its pane.
        if session.pane.is_none() && process.is_some() && !is_over {
            session.pane.clone_from(&fold.pane);
        }
    }
    for subagent in fold.subagents() {
        add_subagent(subagent, &mut session.subagents);
    }
}

fn add_subagent(subagent: Subagent, known: &mut Vec<Subagent>) {
    match known.iter_mut().find(|known| known.id == subagent.id) {
        Some(known) => {
            known.moved_at = known.moved_at.max(subagent.moved_at);
            known.what = known.what.take().or(subagent.what);
        }
        None => known.push(subagent),
    }
}

/// Whether the machine was restarted since.
fn is_before_boot(reported_at: Timestamp) -> bool {
    booted_at().is_some_and(|boot| boot.millis_since(reported_at) > BOOT_SLACK_MS)
}

/// Whether the process is in this PID namespace. The PID of one in another namespace means a different
/// process here.
fn is_of_this_namespace(namespace: Option<&str>) -> bool {
    let Some(namespace) = namespace else { return true };
    fs::read_link("/proc/self/ns/pid").is_ok_and(|here| here == Path::new(namespace))
}

/// A session known only by its events. `None` if it ended or was never used, since there is nothing to
/// show.
fn observation(place: &SessionPlace, fold: &HookFold) -> Option<SessionObservation> {
    let word = fold.word()?;
    if word.status == LiveStatus::Ended || !fold.has_worked {
        return None;
    }
    let mut session = SessionObservation {
        written_at: fold.reported_at,
        is_partial: true,
        folder: fold.folder.clone(),
        origin: if fold.is_headless { SessionOrigin::Headless } else { SessionOrigin::Unknown },
        ..SessionObservation::named(&place.agent, &place.session_id)
    };
    add(fold, &mut session);
    let is_gone = |word: &crate::model::StatusReport| {
        word.source == ActivitySource::Hook && word.status == LiveStatus::Gone
    };
    (!session.live.iter().any(is_gone)).then_some(session)
}
