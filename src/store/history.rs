//! The history: changed verdicts, iterations of runs, notices. One line each in a file that only grows; a
//! full file becomes the older half, replacing the previous one.
//!
//! Several closeouts may watch one workspace. What they all see is recorded once: for each workspace a
//! small file holds what was recorded last, which is compared under the lock.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::disk::write::{Journal, open_to_append};
use crate::model::{HistoryEntry, HistoryEvent, Proof, Timestamp, VerdictState, WorkspaceId};

use super::StoreError;
use super::folder::{Store, replace_record_soon, unreadable};
use super::line_index::{Wanted, newest_lines};
use super::workspace_files::WorkspaceFiles;
use super::written_path::WrittenPath;

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;
/// The size above which the file becomes the older half, in bytes: half a million events and more.
const LARGEST_FILE: u64 = 100 << 20;

/// How far the clock may have been set back without missing a line, in milliseconds: an hour.
pub(super) const CLOCK_MS: i64 = 3_600_000;
/// How many older lines in a row end the search for lines of the period.
pub(super) const N_BEFORE: usize = 20;

/// The part of the history that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The events, oldest first.
    pub entries: Vec<HistoryEntry>,
    /// Lines that could not be read: cut short by a crash, damaged, or written by a newer closeout.
    pub n_unread: usize,
}

/// A verdict that is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictChange {
    /// The verdict before, and since when it was known; none where nothing was.
    pub before: Option<(VerdictState, Timestamp)>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    version: u32,
    at: Timestamp,
    host: String,
    #[serde(flatten)]
    path: WrittenPath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(flatten)]
    what: HistoryEvent,
}

/// What was last recorded for a workspace.
#[derive(Serialize, Deserialize)]
struct Last {
    state: VerdictState,
    at: Timestamp,
    #[serde(default)]
    was_seen: bool,
    /// The names of the occasions the user was notified of; the newest last.
    #[serde(default)]
    notified: Vec<String>,
}

/// How many occasions are remembered per workspace.
const MAX_NOTIFIED: usize = 50;

impl Store {
    /// Adds an event.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add_history(&self, entry: &HistoryEntry) -> Result<(), StoreError> {
        let [(path, index), (older, older_index)] = self.history_halves();
        let line = Line {
            version: VERSION,
            at: entry.at,
            host: entry.workspace.host().to_owned(),
            path: WrittenPath::of(entry.workspace.path()),
            agent: entry.agent.clone(),
            what: entry.what.clone(),
        };
        let text = serde_json::to_string(&line)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        let mut file = open_to_append(&path, Some(0o600)).map_err(|error| unreadable(&path, error))?;
        // A single write, so that lines of several closeouts do not mix. The leading line feed ends a line
        // that a crash cut short.
        file.write_all(format!("\n{text}\n").as_bytes()).map_err(StoreError::io("write", &path))?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length > LARGEST_FILE {
            fs::rename(&path, older).map_err(StoreError::io("set aside", &path))?;
            // Without it the older half is read once more.
            let _ = fs::rename(index, older_index);
        }
        Ok(())
    }

    /// Passes every event to `visit`, oldest first, without holding them. Returns how many lines could not be read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn each_event(&self, visit: &mut dyn FnMut(HistoryEntry)) -> Result<usize, StoreError> {
        let mut n_unread = 0;
        for (path, _) in self.history_halves().into_iter().rev() {
            let journal: Journal<Line> = Journal::at(path.clone(), LARGEST_FILE * 2, None);
            let mut n_newer = 0;
            let read = journal.each(&mut |line| match line.entry() {
                Some(entry) => visit(entry),
                None => n_newer += 1,
            });
            n_unread += n_newer + read.map_err(|error| unreadable(&path, error))?;
        }
        Ok(n_unread)
    }

    /// The events since a time, oldest first.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn history(&self, since: Option<Timestamp>) -> Result<History, StoreError> {
        // After the clock was set back, later lines have earlier times.
        let is_before = |line: &Line| since.is_some_and(|since| line.at < since.plus_millis(-CLOCK_MS));
        let are_enough = |lines: &[Line]| lines.len() >= N_BEFORE && lines[..N_BEFORE].iter().all(is_before);
        let mut history = self.history_end(&are_enough)?;
        history.entries.retain(|entry| since.is_none_or(|since| entry.at >= since));
        Ok(history)
    }

    /// The newest `most` entries, the oldest first. Only the end of the files is read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn newest_history(&self, most: usize) -> Result<History, StoreError> {
        let mut history = self.history_end(&|lines: &[Line]| lines.len() > most)?;
        let n_over = history.entries.len().saturating_sub(most);
        history.entries.drain(..n_over);
        Ok(history)
    }

    /// The newest entries of these workspaces, the oldest first: so many of each at most, and `most` of all.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn newest_history_of(
        &self,
        workspaces: &[WorkspaceId],
        most_of_each: usize,
        most: usize,
    ) -> Result<History, StoreError> {
        let key_of = |line: &[u8]| serde_json::from_slice::<Line>(line).ok()?.workspace();
        let wanted = Wanted { workspaces, most_of_each, most };
        let mut lines = Vec::new();
        for (path, index) in self.history_halves() {
            let found = newest_lines(&path, &index, wanted, &key_of);
            lines.extend(found.map_err(|error| unreadable(&path, error))?);
        }
        let mut left: HashMap<WorkspaceId, usize> =
            workspaces.iter().map(|workspace| (workspace.clone(), most_of_each)).collect();
        let mut history = History::default();
        for line in lines {
            let entry = serde_json::from_slice::<Line>(&line).ok().and_then(Line::entry);
            let Some(entry) = entry else {
                history.n_unread += 1;
                continue;
            };
            let Some(left) = left.get_mut(&entry.workspace).filter(|left| **left > 0) else { continue };
            if history.entries.len() < most {
                *left -= 1;
                history.entries.push(entry);
            }
        }
        history.entries.reverse();
        Ok(history)
    }

    /// The end of the files, until it is enough.
    fn history_end(&self, are_enough: &dyn Fn(&[Line]) -> bool) -> Result<History, StoreError> {
        let mut history = History::default();
        for (path, _) in self.history_halves() {
            let journal: Journal<Line> = Journal::at(path.clone(), LARGEST_FILE * 2, None);
            let read = journal.read_end(are_enough).map_err(|error| unreadable(&path, error))?;
            let (lines, is_whole) = read;
            let is_over = !is_whole || are_enough(&lines.entries);
            history.n_unread += lines.n_unread();
            let n_lines = lines.entries.len();
            let mut entries: Vec<HistoryEntry> = lines.entries.into_iter().filter_map(Line::entry).collect();
            history.n_unread += n_lines - entries.len();
            entries.append(&mut history.entries);
            history.entries = entries;
            if is_over {
                break;
            }
        }
        Ok(history)
    }

    /// Writes down a verdict that is another one than what was written last; what changed, if it is.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn note_verdict(
        &self,
        workspace: &WorkspaceId,
        agent: Option<&str>,
        state: VerdictState,
        proof: Option<Proof>,
        at: Timestamp,
    ) -> Result<Option<VerdictChange>, StoreError> {
        let is_known = |last: &Option<Last>| last.as_ref().is_some_and(|last| last.state == state);
        // Usually nothing is new, and then there is no need to wait for the lock.
        if is_known(&self.last_files().one(workspace)) {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let last: Option<Last> = self.last_files().one(workspace);
        if is_known(&last) {
            return Ok(None);
        }
        let before = last.as_ref().map(|last| (last.state, last.at));
        let notified = last.map(|last| last.notified).unwrap_or_default();
        self.keep_last(workspace, &Last { state, at, was_seen: false, notified })?;
        let what = HistoryEvent::Verdict { state, before: before.map(|(state, _)| state), proof };
        let agent = agent.map(str::to_owned);
        self.add_history(&HistoryEntry { at, workspace: workspace.clone(), agent, what })?;
        Ok(Some(VerdictChange { before }))
    }

    /// Records, once, that the user has seen finished work.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn note_seen(
        &self,
        workspace: &WorkspaceId,
        agent: Option<&str>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let Some(last) = self.last_files().one::<Last>(workspace) else { return Ok(()) };
        if last.was_seen || last.state != VerdictState::Complete {
            return Ok(());
        }
        let after_ms = at.millis_since(last.at).max(0);
        self.keep_last(workspace, &Last { was_seen: true, ..last })?;
        let (workspace, agent) = (workspace.clone(), agent.map(str::to_owned));
        self.add_history(&HistoryEntry { at, workspace, agent, what: HistoryEvent::Seen { after_ms } })
    }

    /// Claims the right to notify the user of an occasion. False if it was claimed before. `why` is
    /// recorded.
    ///
    /// # Errors
    /// It cannot be recorded. To avoid a second notice, this instance sends none.
    pub fn claim_notice(
        &self,
        workspace: &WorkspaceId,
        occasion: &str,
        why: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let _lock = self.lock()?;
        let last: Option<Last> = self.last_files().one(workspace);
        let fresh = Last { state: VerdictState::NoTask, at, was_seen: false, notified: Vec::new() };
        let mut last = last.unwrap_or(fresh);
        if last.notified.iter().any(|known| known == occasion) {
            return Ok(false);
        }
        last.notified.push(occasion.to_owned());
        let n_over = last.notified.len().saturating_sub(MAX_NOTIFIED);
        last.notified.drain(..n_over);
        self.keep_last(workspace, &last)?;
        let what = HistoryEvent::Notice { why: why.to_owned() };
        self.add_history(&HistoryEntry { at, workspace: workspace.clone(), agent: None, what })?;
        Ok(true)
    }

    fn keep_last(&self, workspace: &WorkspaceId, last: &Last) -> Result<(), StoreError> {
        self.last_files().keep(workspace, last, replace_record_soon)
    }

    fn last_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), "last")
    }

    /// The two files, each with its index; the one that is written to comes first.
    fn history_halves(&self) -> [(PathBuf, PathBuf); 2] {
        ["history", "history.older"].map(|name| {
            let path = |ending| self.folder().join(format!("{name}.{ending}"));
            (path("jsonl"), path("index"))
        })
    }
}

impl Line {
    fn workspace(&self) -> Option<WorkspaceId> {
        Some(WorkspaceId::on(&self.host, self.path.clone().read().ok()?))
    }

    /// The entry; `None` if a newer closeout wrote it.
    fn entry(self) -> Option<HistoryEntry> {
        if self.version > VERSION {
            return None;
        }
        let workspace = self.workspace()?;
        Some(HistoryEntry { at: self.at, workspace, agent: self.agent, what: self.what })
    }
}
