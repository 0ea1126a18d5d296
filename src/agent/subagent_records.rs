//! The records of one session's subagents: read like the session's own from where the last look stopped, but from
//! their first line on, within limits. What cannot be read is reported as unknown.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::record::{Followed, LineReader, REACH, modified_at, open_seen};
use super::turn_tracker::{SubagentSteps, join};
use crate::model::{SessionObservation, Timestamp, Turn};

/// How many records are read, the newest first.
const MAX_READ: usize = 64;
/// How many entries of a folder are looked at.
const MAX_LISTED: usize = 4096;
/// How many bytes all of them may have together. Of the others it is only told that they exist.
const MAX_BYTES: u64 = REACH;

/// Interprets the lines of a subagent's record.
pub(super) trait SubagentReader: LineReader {
    /// A reader of such a record, before its first line.
    fn of_subagent() -> Self {
        Self::default()
    }
    /// What they tell of the subagent `id`. `is_whole` says that they are all.
    fn steps(&self, id: &str, is_whole: bool, moved_at: Timestamp) -> SubagentSteps;
}

/// A reader for which every line of a record counts: also what a subagent did first.
#[derive(Debug)]
struct OfAllLines<R>(R);

impl<R: SubagentReader> Default for OfAllLines<R> {
    fn default() -> Self {
        OfAllLines(R::of_subagent())
    }
}

impl<R: SubagentReader> LineReader for OfAllLines<R> {
    fn take(&mut self, line: &[u8]) {
        self.0.take(line);
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.0.pass_over(begin);
    }

    fn is_enough(&self) -> bool {
        false
    }
}

/// Whether this can be the id of a session or subagent: it becomes part of a file's name.
pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// A subagent's record, as it was found.
#[derive(Debug)]
pub(super) struct FoundRecord {
    /// The subagent's id.
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// In bytes.
    size: u64,
    moved_at: Timestamp,
}

impl FoundRecord {
    /// The record at `path`. `None` if there is none.
    pub(super) fn at(id: &str, path: PathBuf) -> Option<FoundRecord> {
        let metadata = path.symlink_metadata().ok()?;
        let moved_at = modified_at(&metadata);
        Some(FoundRecord { id: id.to_owned(), path, size: metadata.len(), moved_at })
    }

    /// The records in `folder`, whose names begin with `begin`, and whether these are all.
    pub(super) fn in_folder(folder: &Path, begin: &str) -> (Vec<FoundRecord>, bool) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let is_missing =
                    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                return (Vec::new(), is_missing);
            }
        };
        let mut found = Vec::new();
        for (n, entry) in entries.enumerate() {
            let Ok(entry) = entry else { return (found, false) };
            if n == MAX_LISTED {
                return (found, false);
            }
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(begin)?.strip_suffix(".jsonl"));
            found.extend(id.and_then(|id| FoundRecord::at(id, entry.path())));
        }
        (found, true)
    }

    /// Whether it may tell of anything in the turns of this session that were read.
    pub(super) fn reaches(&self, session: &SessionObservation) -> bool {
        session.history.reaches_to().is_none_or(|begin| self.moved_at >= begin)
    }
}

/// The records as far as they were read.
#[derive(Debug)]
pub(super) struct SubagentRecords<R> {
    records: Vec<Record<R>>,
    /// The turns that were made with their steps.
    joined: Vec<Arc<Turn>>,
}

#[derive(Debug)]
struct Record<R> {
    path: PathBuf,
    followed: Followed<OfAllLines<R>>,
}

impl<R> Default for SubagentRecords<R> {
    fn default() -> Self {
        SubagentRecords { records: Vec::new(), joined: Vec::new() }
    }
}

impl<R: SubagentReader> SubagentRecords<R> {
    /// Reads what is new in all of these records, and tells what they say.
    pub(super) fn read(&mut self, found: &mut [FoundRecord]) -> Vec<SubagentSteps> {
        found.sort_by(|one, other| (other.moved_at, &other.id).cmp(&(one.moved_at, &one.id)));
        self.records.retain(|record| found.iter().any(|found| found.path == record.path));
        let mut n_bytes: u64 = 0;
        let mut all = Vec::with_capacity(found.len());
        for (n, found) in found.iter().enumerate() {
            n_bytes = n_bytes.saturating_add(found.size);
            let is_within = n < MAX_READ && n_bytes <= MAX_BYTES;
            let read = is_within.then(|| self.follow(&found.path).ok()).flatten();
            all.push(match read {
                Some(followed) => {
                    let is_whole = !followed.is_cut && followed.begins_at == 0;
                    let is_whole = is_whole && followed.unfinished.is_empty();
                    followed.reader.0.steps(&found.id, is_whole, followed.written_at)
                }
                None => SubagentSteps::unread(&found.id, Some(found.moved_at)),
            });
        }
        all
    }

    /// Puts what all of them did among the steps of `session`. `is_all_found` says that there are no others.
    pub(super) fn join(
        &mut self,
        mut all: Vec<SubagentSteps>,
        is_all_found: bool,
        session: &mut SessionObservation,
    ) {
        if !is_all_found {
            all.push(SubagentSteps::unread("", None));
        }
        join(&mut session.history, &all, &mut self.joined);
    }

    /// What was read of all records, in no particular order.
    pub(super) fn readers(&self) -> impl Iterator<Item = &R> {
        self.records.iter().map(|record| &record.followed.reader.0)
    }

    /// Reads one record from where the last read stopped, or from its beginning.
    fn follow(&mut self, path: &Path) -> io::Result<&Followed<OfAllLines<R>>> {
        let (file, metadata) = open_seen(path)?;
        let known = self.records.iter().position(|record| record.path == path);
        let mut record = known.map(|at| self.records.swap_remove(at));
        let goes_on = match &mut record {
            Some(record) => record.followed.follow(&file, &metadata)?,
            None => false,
        };
        let record = match record.filter(|_| goes_on) {
            Some(record) => record,
            None => Record { path: path.to_owned(), followed: Followed::open(&file)? },
        };
        self.records.push(record);
        self.records.last().map(|record| &record.followed).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
