//! One small file per workspace in a common folder, replaced as a whole, so that damage to one affects no
//! other. The owner of the files decides what they contain ([`Store::keep_drafts`], [`Store::keep_reports`]).

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::folder::{Store, own_folder, read_up_to, remove, replace_record_soon};
use super::written_path::WrittenPath;
use crate::model::{Draft, KeptReports, Marks, Rounds, Timestamp, WorkspaceId, stable_hash};

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;
/// The largest file, in bytes.
const MAX_FILE: u64 = 4 << 20;
/// The folder with the reports.
const REPORTS: &str = "reports";

#[derive(Serialize, Deserialize)]
struct Form<T> {
    version: u32,
    host: String,
    #[serde(flatten)]
    path: WrittenPath,
    content: T,
}

/// A folder of the state folder with a file for each workspace.
pub(super) struct WorkspaceFiles<'s> {
    state: &'s Path,
    name: &'static str,
}

impl<'s> WorkspaceFiles<'s> {
    pub(super) fn new(state: &'s Path, name: &'static str) -> WorkspaceFiles<'s> {
        WorkspaceFiles { state, name }
    }

    fn folder(&self) -> PathBuf {
        self.state.join(self.name)
    }

    /// Replaces the file of a workspace; `write` is given its path and its content.
    pub(super) fn keep<T: Serialize>(
        &self,
        workspace: &WorkspaceId,
        content: T,
        write: impl FnOnce(&Path, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        own_folder(self.state, self.name)?;
        let place = self.place(workspace);
        let form = Form {
            version: VERSION,
            host: workspace.host().to_owned(),
            path: WrittenPath::of(workspace.path()),
            content,
        };
        let json = serde_json::to_vec(&form)
            .map_err(|source| StoreError::Unwritable { path: place.clone(), source })?;
        write(&place, &json)
    }

    /// The content of a workspace's file; `None` if there is none, or it cannot be read.
    pub(super) fn one<T: DeserializeOwned>(&self, workspace: &WorkspaceId) -> Option<T> {
        let json = read_up_to(&self.place(workspace), MAX_FILE).ok().flatten()?;
        parse(&json).filter(|(known, _)| known == workspace).map(|(_, content)| content)
    }

    /// Deletes the file of a workspace, if there is one.
    pub(super) fn delete(&self, workspace: &WorkspaceId) -> Result<(), StoreError> {
        remove(&self.place(workspace))
    }

    /// The contents of these workspaces' files, and the number of unreadable ones, which stay where they
    /// are. No other file is read.
    pub(super) fn of<T: DeserializeOwned>(
        &self,
        workspaces: &[WorkspaceId],
    ) -> (BTreeMap<WorkspaceId, T>, usize) {
        let mut read = BTreeMap::new();
        let mut n_unread = 0;
        if !self.folder().is_dir() {
            return (read, n_unread);
        }
        for workspace in workspaces {
            let json = read_up_to(&self.place(workspace), MAX_FILE);
            match json.map(|json| json.map(|json| parse(&json))) {
                Ok(None) => {}
                Ok(Some(Some((named, content)))) if named == *workspace => drop(read.insert(named, content)),
                Ok(Some(_)) | Err(_) => n_unread += 1,
            }
        }
        (read, n_unread)
    }

    /// The contents of all workspaces' files. Unreadable ones stay where they are.
    pub(super) fn all<T: DeserializeOwned>(&self) -> Result<BTreeMap<WorkspaceId, T>, StoreError> {
        let read = |path: PathBuf| read_up_to(&path, MAX_FILE).ok().flatten().and_then(|json| parse(&json));
        Ok(json_files(&self.folder())?.into_iter().filter_map(read).collect())
    }

    pub(super) fn place(&self, workspace: &WorkspaceId) -> PathBuf {
        self.folder().join(file_name(workspace.path()))
    }
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> Option<(WorkspaceId, T)> {
    let form: Form<T> = serde_json::from_slice(json).ok()?;
    if form.version > VERSION {
        return None;
    }
    Some((WorkspaceId::on(&form.host, form.path.read().ok()?), form.content))
}

/// The files of `folder` that end in `.json`, sorted for a stable order. Empty if there is no such folder.
pub(super) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(StoreError::Io { what: "read", path: folder.to_owned(), source }),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(StoreError::io("read", folder))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The name of a workspace's file: a hash of its path, which must never change.
pub(super) fn file_name(workspace: &Path) -> String {
    format!("{:032x}.json", stable_hash(workspace.as_os_str().as_bytes()))
}

impl Store {
    /// Replaces the drafts of a workspace; an empty list deletes them. They survive the end of the program
    /// immediately and a power failure after some seconds, because a draft is written on every key press.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_drafts(&self, workspace: &WorkspaceId, drafts: &[Draft]) -> Result<(), StoreError> {
        if drafts.is_empty() {
            return self.draft_files().delete(workspace);
        }
        self.draft_files().keep(workspace, drafts, replace_record_soon)
    }

    /// The drafts of these workspaces, and the number of unreadable files, which stay where they are.
    pub fn drafts_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, Vec<Draft>>, usize) {
        self.draft_files().of(workspaces)
    }

    fn draft_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), "drafts")
    }
}

/// Rounds of so many check ids are kept of each workspace, the latest ones.
const MAX_ROUNDS: usize = 100;

/// The files as they were last read, or written by this closeout alone.
#[derive(Debug, Default)]
pub struct ReportStamps(HashMap<WorkspaceId, Stamp>);

/// A file's inode and the time of its last change.
type Stamp = (u64, i64, i64);

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(file).ok()?;
    Some((metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
}

impl Store {
    /// Replaces the reports of a workspace. They are on disk when this returns. The marks that are kept stay
    /// ([`Store::keep_marks`]), and so do rounds that another closeout has counted since.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_reports(&self, workspace: &WorkspaceId, reports: &KeptReports) -> Result<(), StoreError> {
        self.change_reports(workspace, |known| over(reports, known)).map(drop)
    }

    /// As [`Store::keep_reports`], for a closeout that reads what others change: where none has changed anything, what is
    /// kept now counts as read.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_own_reports(
        &self,
        workspace: &WorkspaceId,
        reports: &KeptReports,
        stamps: &Mutex<ReportStamps>,
    ) -> Result<(), StoreError> {
        let (kept, stamp) = self.change_reports(workspace, |known| over(reports, known))?;
        if let Some(stamp) = stamp.filter(|_| kept == *reports) {
            lock(stamps).0.insert(workspace.clone(), stamp);
        }
        Ok(())
    }

    /// Changes the marks of a workspace as they were changed from `before` to `after`. Those that another closeout
    /// has kept meanwhile stay. They are on disk when this returns.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_marks(
        &self,
        workspace: &WorkspaceId,
        before: &Marks,
        after: &Marks,
    ) -> Result<(), StoreError> {
        self.change_reports(workspace, |known| match known {
            Some(known) => KeptReports { marks: known.marks.with_change(before, after), ..known },
            None => KeptReports { marks: after.clone(), ..KeptReports::default() },
        })
        .map(drop)
    }

    /// Lets the rounds of a check id begin anew, whatever another closeout knows of them.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn reset_rounds(
        &self,
        workspace: &WorkspaceId,
        check_id: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.change_reports(workspace, |known| {
            let mut reports = known.unwrap_or_default();
            let before = reports.rounds.get(check_id).and_then(|rounds| rounds.changed_at);
            let begun = Rounds { changed_at: Some(now.newer_than(before)), ..Rounds::default() };
            reports.rounds.insert(check_id.to_owned(), begun);
            reports
        })
        .map(drop)
    }

    /// Replaces the reports of a workspace by what `change` makes of those that are kept; no other closeout writes them
    /// in between. Returns what is kept now, and the stamp of its file.
    fn change_reports(
        &self,
        workspace: &WorkspaceId,
        change: impl FnOnce(Option<KeptReports>) -> KeptReports,
    ) -> Result<(KeptReports, Option<Stamp>), StoreError> {
        let _lock = self.lock()?;
        let mut reports = change(self.report_files().one(workspace));
        // Each call of a loop may have a check id of its own.
        while reports.rounds.len() > MAX_ROUNDS {
            let oldest = reports.rounds.iter().min_by_key(|(_, rounds)| rounds.changed_at);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else { break };
            reports.rounds.remove(&id);
        }
        let files = self.report_files();
        files.keep(workspace, &reports, |path, json| self.replace(path, json))?;
        Ok((reports, stamp(&files.place(workspace))))
    }

    /// The reports of these workspaces, and the number of unreadable files, which stay where they are.
    pub fn reports_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, KeptReports>, usize) {
        self.report_files().of(workspaces)
    }

    /// The reports whose files changed since `stamps` were taken, which are renewed. Unreadable ones are left
    /// out.
    pub fn changed_reports(
        &self,
        workspaces: &[WorkspaceId],
        stamps: &Mutex<ReportStamps>,
    ) -> Vec<(WorkspaceId, KeptReports)> {
        let files = self.report_files();
        let is_changed = |workspace: &&WorkspaceId| {
            stamp(&files.place(workspace))
                .is_some_and(|now| lock(stamps).0.insert((*workspace).clone(), now) != Some(now))
        };
        let changed = workspaces.iter().filter(is_changed);
        changed.filter_map(|workspace| Some((workspace.clone(), files.one(workspace)?))).collect()
    }

    /// Where reports are kept, a file for each workspace.
    pub fn reports_folder(&self) -> PathBuf {
        self.folder().join(REPORTS)
    }

    fn report_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), REPORTS)
    }
}

fn over(reports: &KeptReports, known: Option<KeptReports>) -> KeptReports {
    match known {
        Some(known) => reports.clone().over(known),
        None => reports.clone(),
    }
}

fn lock(stamps: &Mutex<ReportStamps>) -> MutexGuard<'_, ReportStamps> {
    stamps.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_never_changes() {
        // Published test vectors of 128-bit FNV-1a: the empty text and "a".
        assert_eq!(file_name(Path::new("")), "6c62272e07bb014262b821756295c58d.json");
        assert_eq!(file_name(Path::new("a")), "d228cb696f1a8caf78912b704e4a8964.json");
    }
}
