//! Finds the sessions under `sessions/<year>/<month>/<day>/`, and the folder in which each was started.
//!
//! A resumed session continues in the folder of its first day, so file names and times are listed in all of
//! them; only the head of a sufficiently recent rollout is read, once. `archived_sessions/` is ignored: the
//! user put those away.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::NAME;
use super::head::{Head, Meta, read_head};
use crate::agent::kind::{FoundSession, Survey, SurveyAsk};
use crate::agent::record::{entries, modified_at, note_unreadable, open_record};
use crate::model::{Names, Parts, ReadProblem, Timestamp, Unreadable, WatchTarget};

/// How many days are examined, the newest first.
const MAX_DAYS: usize = 4096;
/// Of how many older rollouts the head is read, the newest days first: only it tells the folder.
const MAX_OLDER: usize = 1_000;
/// What a reported problem says could not be read.
const RECORDS: &str = "the sessions' records";
/// The folder of the locks with which the client restricts a thread to one writer: `<id>.lock`.
const LOCKS: &str = "thread-writer-locks";

/// The heads read so far, so that each is read once.
#[derive(Debug, Default)]
pub(crate) struct SurveyMemory {
    known: HashMap<PathBuf, Known>,
}

/// A head and the file it was read from.
#[derive(Debug)]
struct Known {
    inode: u64,
    size: u64,
    head: Head,
    /// Whether the current survey saw the file. Others are dropped at its end.
    is_seen: bool,
}

pub(in crate::agent) fn survey(home: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Survey {
    let sessions = home.join("sessions");
    let mut look = Look {
        ask,
        memory,
        survey: Survey::default(),
        locked_at: locks(&home.join(LOCKS)),
        unfinished: BTreeMap::new(),
        foreign: Vec::new(),
        is_within: HashMap::new(),
        n_older: 0,
    };
    look.survey.watch_targets.push(arrivals(&sessions));
    // Opening a thread locks it, so a resumed thread shows here, whichever folder its rollout is in.
    look.survey.watch_targets.push(arrivals(&home.join(LOCKS)));
    let mut n_days = 0;
    for (at, year) in look.folders(&sessions, 4).into_iter().enumerate() {
        look.watch_newest(at, &year);
        for (at_month, month) in look.folders(&year, 2).into_iter().enumerate() {
            look.watch_newest(at + at_month, &month);
            for (at_day, day) in look.folders(&month, 2).into_iter().enumerate() {
                look.watch_newest(at + at_month + at_day, &day);
                n_days += 1;
                if n_days <= MAX_DAYS {
                    look.day(&day);
                }
            }
        }
    }
    look.finish()
}

/// The state of one survey.
struct Look<'a> {
    ask: &'a SurveyAsk<'a>,
    memory: &'a mut SurveyMemory,
    survey: Survey,
    /// When each thread was locked, by thread id.
    locked_at: HashMap<String, Timestamp>,
    /// Rollouts whose first line is still being written.
    unfinished: BTreeMap<PathBuf, Vec<OsString>>,
    /// Files named like rollouts that are not.
    foreign: Vec<PathBuf>,
    /// Caches whether a folder is covered by the request.
    is_within: HashMap<PathBuf, bool>,
    /// How many older rollouts were looked into.
    n_older: usize,
}

fn arrivals(folder: &Path) -> WatchTarget {
    WatchTarget::new(folder, Names::Any, Parts::WORDS).arrivals()
}

/// When each open thread was opened. A lock left behind by a killed client keeps its old time.
fn locks(folder: &Path) -> HashMap<String, Timestamp> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let lock = |entry: DirEntry| {
        let id = entry.file_name().to_str()?.strip_suffix(".lock")?.to_owned();
        Some((id, modified_at(&entry.metadata().ok()?)))
    };
    entries.filter_map(lock).collect()
}

/// The id in the name of a rollout, `rollout-<time>-<id>.jsonl`. The time has a fixed length.
fn id_in(name: &str) -> Option<&str> {
    let stem = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    stem.get("2026-11-22T01-37-57-".len()..)
}

impl Look<'_> {
    /// The folders in `folder` whose name is a number of `n_digits` digits, the newest first.
    fn folders(&mut self, folder: &Path, n_digits: usize) -> Vec<PathBuf> {
        let is_number = |name: &[u8]| name.len() == n_digits && name.iter().all(u8::is_ascii_digit);
        let mut found: Vec<PathBuf> = entries(folder, RECORDS, &mut self.survey.problems)
            .filter(|entry| is_number(entry.file_name().as_encoded_bytes()))
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        found
    }

    /// Watches the newest folder of each level, where new sessions show. A folder that does not exist yet
    /// shows in its parent.
    fn watch_newest(&mut self, n_newer: usize, folder: &Path) {
        if n_newer == 0 {
            self.survey.watch_targets.push(arrivals(folder));
        }
    }

    /// Adds the rollouts of one day.
    fn day(&mut self, day: &Path) {
        for entry in entries(day, RECORDS, &mut self.survey.problems) {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(id_in) else { continue };
            let Ok(metadata) = entry.metadata() else { continue };
            if !metadata.is_file() {
                continue;
            }
            let moved_at = modified_at(&metadata);
            let locked_at = self.locked_at.get(id).copied();
            let is_older = moved_at.max(locked_at.unwrap_or(moved_at)) < self.ask.since;
            if is_older && (self.ask.all_of.is_empty() || self.n_older >= MAX_OLDER) {
                self.survey.n_older += 1;
                continue;
            }
            self.n_older += usize::from(is_older);
            let path = entry.path();
            match self.head(&path, metadata.ino(), metadata.len()) {
                Ok(Head::Thread(meta)) if is_older && !self.ask.wants(&meta.folder, moved_at) => {
                    self.survey.n_older += usize::from(!meta.is_beside);
                }
                Ok(Head::Thread(meta)) => self.find(meta, path, moved_at),
                // What is old and no rollout is no news.
                Ok(Head::Unfinished | Head::Foreign) | Err(_) if is_older => self.survey.n_older += 1,
                Ok(Head::Unfinished) => self.unfinished.entry(day.to_owned()).or_default().push(name),
                Ok(Head::Foreign) => self.foreign.push(path),
                Err(error) => note_unreadable(&mut self.survey.problems, &path, RECORDS, &error),
            }
        }
    }

    /// The head of a rollout, from memory if the file is the same and has not shrunk.
    fn head(&mut self, path: &Path, inode: u64, size: u64) -> io::Result<Head> {
        if let Some(known) = self.memory.known.get_mut(path)
            && known.inode == inode
            && known.size <= size
        {
            known.size = size;
            known.is_seen = true;
            return Ok(known.head.clone());
        }
        let head = read_head(&open_record(path)?)?;
        if head != Head::Unfinished {
            let known = Known { inode, size, head: head.clone(), is_seen: true };
            self.memory.known.insert(path.to_owned(), known);
        }
        Ok(head)
    }

    fn find(&mut self, meta: Meta, record: PathBuf, moved_at: Timestamp) {
        if meta.is_beside || !self.is_asked_for(&meta.folder) {
            return;
        }
        self.survey.found.push(FoundSession::new(NAME, meta.id, meta.folder, record, moved_at));
    }

    fn is_asked_for(&mut self, folder: &Path) -> bool {
        *self.is_within.entry(folder.to_owned()).or_insert_with(|| self.ask.covers(folder))
    }

    /// Drops the heads of files that are gone, and watches the unfinished ones.
    fn finish(self) -> Survey {
        let Look { memory, mut survey, unfinished, foreign, .. } = self;
        memory.known.retain(|_, known| std::mem::replace(&mut known.is_seen, false));
        let target = |(day, names)| WatchTarget::new(day, Names::these::<OsString>(names), Parts::WORDS);
        survey.watch_targets.extend(unfinished.into_iter().map(target));
        survey.problems.extend(no_rollouts(&foreign));
        survey
    }
}

/// One problem for all files that are not rollouts, however many there are.
fn no_rollouts(foreign: &[PathBuf]) -> Option<Unreadable> {
    let first = foreign.first()?;
    let detail = match foreign.len() {
        1 => "it does not begin as a session's record".to_owned(),
        n => format!("it and {} more do not begin as a session's record", n - 1),
    };
    Some(Unreadable { name: first.display().to_string(), problem: ReadProblem::Invalid, detail })
}
