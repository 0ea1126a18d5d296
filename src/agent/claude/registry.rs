//! The client's registry of running sessions: `sessions/<pid>.json`, one process a file. It tells what a
//! transcript cannot: whether an open tool call runs or waits for the person, and whether the process
//! lives at all. A file is left behind when its process is killed, so an entry counts only if the process
//! was compared with it. The `.key` file beside an entry is a secret and is never opened.
//!
//! A look goes over the whole folder, since the same process takes a new session with `/clear` and one
//! session can have several processes. An entry is made some 0.2 s before its process first writes to a
//! transcript, written in place, and removed when the process ends (seen in 2.1.330). Only the entries of
//! the sessions found are watched: the folder is shared by all workspaces.

use std::collections::HashMap;
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::entry::{Entry, Process, lives, pid_of, read_entry};
use super::jobs;
use crate::agent::record_text::shortened_if_any;
use crate::model::{
    ActivitySource, LiveStatus, Names, Parts, SessionObservation, StatusReport, Timestamp, WatchTarget,
};

/// More entries than these are left out.
const MOST_ENTRIES: usize = 512;

/// The entries of other workspaces' sessions, as they were read: a look at a workspace need not read
/// them again while their files are the same. Entries that were asked for are always read, since two
/// changes in one tick of the file system's clock leave no trace in a time.
#[derive(Debug, Default)]
pub(super) struct KnownEntries {
    entries: HashMap<u32, (Stamp, Entry)>,
}

/// What tells that a file is the same: its number, its size and when it was last written.
type Stamp = (u64, u64, i64, i64);

/// The registry as it was at one moment, and which of its entries were asked for.
#[derive(Debug)]
pub(super) struct Registry {
    folder: PathBuf,
    jobs: PathBuf,
    /// Each with what its file was when it was listed, before it was read.
    entries: Vec<(Option<Stamp>, Entry)>,
    /// Living processes whose entry could not be read: it is being written, or is broken.
    unclear: Vec<u32>,
    /// Whether all entries were looked at.
    is_whole: bool,
    used: Vec<u32>,
    used_jobs: Vec<PathBuf>,
    /// Whether a session was said to have no process, so that a new entry would matter.
    is_missing_any: bool,
}

impl Registry {
    /// Reads it, but for what is in `known` and did not change. What cannot be read is not there.
    pub(super) fn read(config_dir: &Path, known: &mut KnownEntries) -> Registry {
        let folder = config_dir.join("sessions");
        let listing = fs::read_dir(&folder);
        let is_there = listing.is_ok();
        let files = listing.into_iter().flatten().filter_map(Result::ok);
        let mut files: Vec<(u32, Option<Stamp>)> = files
            .filter_map(|file| Some((pid_of(file.file_name().to_str()?)?, stamp(&file))))
            .take(MOST_ENTRIES + 1)
            .collect();
        let is_whole = is_there && files.len() <= MOST_ENTRIES;
        files.truncate(MOST_ENTRIES);
        let mut known = std::mem::take(&mut known.entries);
        let mut registry = Registry {
            jobs: config_dir.join("jobs"),
            is_whole,
            folder,
            entries: Vec::new(),
            unclear: Vec::new(),
            used: Vec::new(),
            used_jobs: Vec::new(),
            is_missing_any: false,
        };
        for (pid, stamp) in files {
            let same = known.remove(&pid).filter(|(known, _)| stamp == Some(*known)).map(|(_, entry)| entry);
            match same.or_else(|| read_entry(&registry.folder, pid)) {
                Some(entry) => registry.entries.push((stamp, entry)),
                None if lives(pid) => registry.unclear.push(pid),
                None => {}
            }
        }
        registry
    }

    /// Gives back what need not be read again.
    pub(super) fn into_known(self) -> KnownEntries {
        let Registry { entries, used, .. } = self;
        let others = entries.into_iter().filter(|(_, entry)| !used.contains(&entry.pid));
        let known = others.filter_map(|(stamp, entry)| Some((entry.pid, (stamp?, entry))));
        KnownEntries { entries: known.collect() }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    /// The entries of processes that live, but for closeout's own looks into a session.
    pub(super) fn living(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| is_living(entry))
    }

    /// Whether any process, living or not, is entered with this session.
    pub(super) fn has_entry(&self, session_id: &str) -> bool {
        self.entries().any(|entry| entry.session_id == session_id)
    }

    /// The entry of a living process that has this session now.
    pub(super) fn living_with(&self, session_id: &str) -> Option<&Entry> {
        self.entries().find(|entry| entry.session_id == session_id && is_living(entry))
    }

    /// Adds what it tells of a session. Of several processes one that lives outranks one that is gone,
    /// one with a screen a headless one, and then the one whose status changed last. `is_entered` if the
    /// client of the session enters its processes, so that no entry is an answer too.
    pub(super) fn tell(&mut self, session: &mut SessionObservation, is_entered: bool) {
        let of_session = self.entries.iter().map(|(_, entry)| entry);
        let of_session = of_session.filter(|entry| entry.session_id == session.session_id);
        let seen: Vec<(&Entry, Process)> =
            of_session.map(|entry| (entry, entry.process())).filter(is_shown).collect();
        if seen.is_empty() && is_entered && self.is_whole && self.unclear.is_empty() {
            session.live.push(no_process());
            self.is_missing_any = true;
            return;
        }
        // A change of any of them can make another one speak.
        self.used.extend(seen.iter().filter(|(_, process)| is_alive(*process)).map(|(entry, _)| entry.pid));
        let counts = seen.into_iter().filter(|(_, process)| *process != Process::Unknown);
        let best = counts
            .max_by_key(|(entry, process)| (is_alive(*process), entry.has_screen(), entry.status_updated_at));
        let Some((entry, process)) = best else { return };
        session.process = entry.process_id();
        if is_alive(process) {
            session.pane = entry.pane();
            add_name(entry, session);
        }
        let word = status_word(entry, process);
        let is_idle = word.as_ref().is_some_and(|word| word.status == LiveStatus::Idle);
        let job = entry.job().filter(|_| is_idle).map(|job| self.jobs.join(job));
        let told = job.as_ref().and_then(|folder| jobs::word(folder, &session.session_id));
        session.live.extend(told.or(word));
        self.used_jobs.extend(job);
    }

    /// Where a change of what was looked up would show.
    pub(super) fn watch_targets(&self) -> Vec<WatchTarget> {
        let mut targets = Vec::new();
        let files = self.used.iter().chain(&self.unclear).map(|pid| format!("{pid}.json"));
        let names = Names::these(files);
        if names != Names::these::<String>([]) {
            targets.push(WatchTarget::new(&self.folder, names, Parts::WORDS));
        }
        if self.is_missing_any {
            targets.push(self.arrivals());
        }
        let jobs = self.used_jobs.iter();
        targets.extend(jobs.map(|job| WatchTarget::new(job, Names::these([jobs::STATE_FILE]), Parts::WORDS)));
        targets
    }

    /// Where a new process would show.
    pub(super) fn arrivals(&self) -> WatchTarget {
        WatchTarget::new(&self.folder, Names::Ending(".json".to_owned()), Parts::WORDS).arrivals()
    }

    /// Where the entries would show that could not be read yet.
    pub(super) fn unclear_target(&self) -> Option<WatchTarget> {
        let names = Names::these(self.unclear.iter().map(|pid| format!("{pid}.json")));
        (!self.unclear.is_empty()).then(|| WatchTarget::new(&self.folder, names, Parts::WORDS))
    }
}

fn stamp(file: &DirEntry) -> Option<Stamp> {
    let metadata = file.metadata().ok()?;
    Some((metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

fn is_living(entry: &Entry) -> bool {
    let process = entry.process();
    is_alive(process) && is_shown(&(entry, process))
}

fn is_alive(process: Process) -> bool {
    matches!(process, Process::Alive { .. })
}

/// Whether a process counts for what is shown: a look of closeout's own into the session does not.
fn is_shown((entry, process): &(&Entry, Process)) -> bool {
    entry.has_screen() || *process != Process::Alive { is_look: true }
}

/// A name that a person gave counts before one in the record, and one that a model made after it.
fn add_name(entry: &Entry, session: &mut SessionObservation) {
    let short = |name: &str| shortened_if_any(name);
    let given = entry.given_name().and_then(short);
    session.name = given.or(session.name.take()).or_else(|| entry.made_name().and_then(short));
}

/// What is told of a session that has no entry. It tells of now, as far as the record does not go on.
fn no_process() -> StatusReport {
    let source = ActivitySource::Registry;
    StatusReport { source, status: LiveStatus::Ended, since: None, reported_at: None, what: None }
}

/// What an entry tells, if that is known here.
fn status_word(entry: &Entry, process: Process) -> Option<StatusReport> {
    let status = match process {
        Process::Unknown => return None,
        Process::Gone => LiveStatus::Gone,
        Process::Alive { .. } => match entry.status.as_deref()? {
            "busy" => LiveStatus::Busy,
            "idle" => LiveStatus::Idle,
            "waiting" => LiveStatus::Waiting { on: entry.waits_on() },
            _ => return None,
        },
    };
    let since = entry.status_updated_at.map(Timestamp);
    Some(StatusReport { source: ActivitySource::Registry, status, since, reported_at: since, what: None })
}
