//! The client's registry of running sessions: `sessions/<pid>.json`, one file per process. It says what a
//! transcript cannot: whether an open tool call is running or waiting for the user, and whether the process
//! is alive at all. A killed process leaves its file behind, so an entry counts only after comparison with
//! the process. The `.key` file beside an entry is a secret and is never opened.
//!
//! Every read covers the whole folder, because `/clear` gives a process a new session and one session can
//! have several processes. An entry is created about 0.2 s before its process first writes to a transcript,
//! rewritten in place, and removed when the process ends (observed with 2.1.330). Only the entries of the
//! sessions found are watched, since all workspaces share the folder.

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::entry::{self, Entry, Process, lives, pid_of, read_entry};
use crate::agent::record_text::shortened_if_any;
use crate::model::{
    ActivitySource, LiveStatus, Names, Parts, SessionObservation, StatusReport, Timestamp, WatchTarget,
};

/// Further entries are ignored.
const MAX_ENTRIES: usize = 512;

/// Entries of other workspaces' sessions, kept so that they need not be read again while their files are
/// unchanged. Entries of this workspace are always read again: two changes within one tick of the file
/// system's clock leave the same time stamp.
#[derive(Debug, Default)]
pub(super) struct KnownEntries {
    entries: HashMap<u32, (Stamp, Entry)>,
}

/// Identifies the state of a file: inode, size in bytes, and modification time in seconds and nanoseconds.
type Stamp = (u64, u64, i64, i64);

/// The registry at one moment, and which of its entries were used.
#[derive(Debug, Default)]
pub(super) struct Registry {
    folder: PathBuf,
    jobs: PathBuf,
    /// Each with its file's stamp when listed, which is before it was read.
    entries: Vec<(Option<Stamp>, Entry)>,
    /// The processes whose entries were read before.
    old: HashSet<u32>,
    /// Live processes whose entry could not be read: it is being written, or is damaged.
    unclear: Vec<u32>,
    /// Whether all entries were examined.
    is_whole: bool,
    used: Vec<u32>,
    used_jobs: Vec<PathBuf>,
    /// Whether a session was reported to have no process, so that a new entry would matter.
    is_missing_any: bool,
}

impl Registry {
    /// Reads the registry, reusing unchanged entries of `known`. Unreadable entries are skipped.
    pub(super) fn read(config_dir: &Path, known: &mut KnownEntries) -> Registry {
        let folder = config_dir.join("sessions");
        let listing = fs::read_dir(&folder);
        let is_there = listing.is_ok();
        let files = listing.into_iter().flatten().filter_map(Result::ok);
        let mut files: Vec<(u32, Option<Stamp>)> = files
            .filter_map(|file| Some((pid_of(file.file_name().to_str()?)?, stamp(&file))))
            .take(MAX_ENTRIES + 1)
            .collect();
        let is_whole = is_there && files.len() <= MAX_ENTRIES;
        files.truncate(MAX_ENTRIES);
        let mut known = std::mem::take(&mut known.entries);
        let jobs = config_dir.join("jobs");
        let mut registry = Registry { folder, jobs, is_whole, ..Registry::default() };
        for (pid, stamp) in files {
            let same = known.remove(&pid).filter(|(known, _)| stamp == Some(*known)).map(|(_, entry)| entry);
            registry.old.extend(same.as_ref().map(|entry| entry.pid));
            match same.or_else(|| read_entry(&registry.folder, pid)) {
                Some(entry) => registry.entries.push((stamp, entry)),
                None if lives(pid) => registry.unclear.push(pid),
                None => {}
            }
        }
        registry
    }

    /// Reads the entries of these sessions now, unless this look has read them.
    pub(super) fn refresh(&mut self, is_of: impl Fn(&str) -> bool) {
        let Registry { folder, entries, old, .. } = self;
        entries.retain_mut(|(_, entry)| {
            if !is_of(&entry.session_id) || !old.remove(&entry.pid) {
                return true;
            }
            let again = read_entry(folder, entry.pid);
            let is_there = again.is_some();
            match again {
                Some(again) => *entry = again,
                None => self.unclear.extend(Some(entry.pid).filter(|pid| lives(*pid))),
            }
            is_there
        });
    }

    /// The entries that need not be read again while unchanged.
    pub(super) fn into_known(self) -> KnownEntries {
        let Registry { entries, used, .. } = self;
        let others = entries.into_iter().filter(|(_, entry)| !used.contains(&entry.pid));
        let known = others.filter_map(|(stamp, entry)| Some((entry.pid, (stamp?, entry))));
        KnownEntries { entries: known.collect() }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    /// The entries of live processes, except closeout's own probes.
    pub(super) fn living(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| is_living(entry))
    }

    /// Whether any process, alive or not, is registered with this session.
    pub(super) fn has_entry(&self, session_id: &str) -> bool {
        self.entries().any(|entry| entry.session_id == session_id)
    }

    /// The entry of a live process that has this session now.
    pub(super) fn living_with(&self, session_id: &str) -> Option<&Entry> {
        self.entries().find(|entry| entry.session_id == session_id && is_living(entry))
    }

    /// Adds to `session` what the registry says about it. Among several processes a live one wins over an
    /// ended one, then one with a screen over a headless one, then the one whose status changed last.
    /// `is_entered` says that the session's client registers its processes, so that a missing entry means
    /// the session has no process.
    pub(super) fn tell(&mut self, session: &mut SessionObservation, is_entered: bool) {
        let of_session = self.entries.iter().map(|(_, entry)| entry);
        let of_session = of_session.filter(|entry| session.session_id == *entry.session_id);
        let seen: Vec<(&Entry, Process)> =
            of_session.map(|entry| (entry, entry.process())).filter(is_shown).collect();
        if seen.is_empty() && is_entered && self.is_whole && self.unclear.is_empty() {
            session.live.push(no_process());
            self.is_missing_any = true;
            return;
        }
        // A change in any of these can alter which one wins.
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
        let told = job.as_ref().and_then(|folder| entry::job_report(folder, &session.session_id));
        session.live.extend(told.or(word));
        self.used_jobs.extend(job);
    }

    /// Where changes to the entries used would show.
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
        targets
            .extend(jobs.map(|job| WatchTarget::new(job, Names::these([entry::STATE_FILE]), Parts::WORDS)));
        targets
    }

    /// Where a new process would show.
    pub(super) fn arrivals(&self) -> WatchTarget {
        WatchTarget::new(&self.folder, Names::Ending(".json".to_owned()), Parts::WORDS).arrivals()
    }

    /// Where the entries that could not be read yet would change.
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

/// Whether a process represents a session on screen. closeout's own probes do not.
fn is_shown((entry, process): &(&Entry, Process)) -> bool {
    entry.has_screen() || *process != Process::Alive { is_probe: true }
}

/// A name given by the user takes precedence over the record's name, which takes precedence over a
/// generated one.
fn add_name(entry: &Entry, session: &mut SessionObservation) {
    let short = |name: &str| shortened_if_any(name);
    let given = entry.given_name().and_then(short);
    session.name = given.or(session.name.take()).or_else(|| entry.made_name().and_then(short));
}

/// The report on a session without an entry. It holds for now, unless the record continues.
fn no_process() -> StatusReport {
    let source = ActivitySource::Registry;
    StatusReport { source, status: LiveStatus::Ended, since: None, reported_at: None, what: None }
}

/// The report in an entry. `None` for an unknown status.
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
