//! Baselines kept across restarts: which commit was HEAD when a workspace was first seen, and what the names that were
//! given meant when their task began.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::StoreError;
use super::folder::{Store, own_folder, read_record, sync_folder};
use super::workspace_files::{file_name, json_files};
use super::written_path::WrittenPath;
use crate::model::{Baseline, NamedBaseline, Timestamp, WorkspaceId, display_text};

/// The folder with a record for each workspace.
const BASELINES: &str = "baselines";

/// When to drop a workspace whose directory is gone, in milliseconds: after 90 days.
const FORGET_AFTER_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// The number of names kept per workspace.
const MAX_NAMED: usize = 8;

/// The baselines, and notices about those that were lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The baseline of each workspace.
    pub baselines: BTreeMap<WorkspaceId, Baseline>,
    /// What names that were given as the baseline meant for the last task of each workspace.
    pub named: BTreeMap<WorkspaceId, Vec<NamedBaseline>>,
    /// For the user: records that could not be read, one line each, made safe for display.
    pub notices: Vec<String>,
}

impl Store {
    /// All baselines. A damaged record is renamed (`….damaged`), with a notice; one written by a newer
    /// closeout stays where it is.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn baselines(&self) -> Result<Remembered, StoreError> {
        Ok(self.remembered(self.record_paths()?))
    }

    /// The baselines of these workspaces. No other record is read.
    pub fn baselines_of(&self, workspaces: &[WorkspaceId]) -> Remembered {
        let folder = self.baseline_folder();
        self.remembered(workspaces.iter().map(|workspace| folder.join(file_name(workspace.path()))))
    }

    fn remembered(&self, paths: impl IntoIterator<Item = PathBuf>) -> Remembered {
        let mut remembered = Remembered::default();
        for path in paths {
            match self.load(&path) {
                Ok(Loaded::Record(record)) => {
                    let workspace = WorkspaceId::local(record.path);
                    if !record.named.is_empty() {
                        remembered.named.insert(workspace.clone(), record.named);
                    }
                    remembered.baselines.extend(record.baseline.map(|baseline| (workspace, baseline)));
                }
                Ok(Loaded::Nothing) => {}
                Ok(Loaded::SetAside(notice)) => remembered.notices.push(notice),
                Err(error) => remembered.notices.push(error.to_string()),
            }
        }
        remembered
    }

    /// Stores the baseline of a workspace, replacing the previous one. Waits until it is on disk (a few
    /// milliseconds), and at most two seconds for other writers.
    ///
    /// # Errors
    /// It cannot be written, or a newer closeout wrote the record. The previous one then stays.
    pub fn remember_baseline(&self, workspace: &WorkspaceId, baseline: &Baseline) -> Result<(), StoreError> {
        self.change_record(workspace, |record| record.baseline = Some(baseline.clone()))
    }

    /// Stores what a name that was given as the baseline means for the present task, replacing what it meant for the
    /// task before.
    ///
    /// # Errors
    /// As for [`Store::remember_baseline`].
    pub fn remember_named(&self, workspace: &WorkspaceId, named: &NamedBaseline) -> Result<(), StoreError> {
        self.change_record(workspace, |record| {
            record.named.retain(|known| known.rev != named.rev);
            record.named.push(named.clone());
            let n_beyond = record.named.len().saturating_sub(MAX_NAMED);
            record.named.drain(..n_beyond);
        })
    }

    fn change_record(
        &self,
        workspace: &WorkspaceId,
        change: impl FnOnce(&mut Record),
    ) -> Result<(), StoreError> {
        let folder = own_folder(self.folder(), BASELINES)?;
        let path = folder.join(file_name(workspace.path()));
        let _lock = self.lock()?;
        let before = match read_record(&path)?.map(|json| Record::from_json(&json)) {
            Some(Err(Unread::Newer(version))) => return Err(StoreError::Newer { path, version }),
            Some(Ok(before)) => Some(before),
            Some(Err(Unread::Damaged(_))) | None => None,
        };
        let mut record = before.clone().unwrap_or_default();
        (record.path, record.gone_since) = (workspace.path().to_owned(), None);
        change(&mut record);
        if before.as_ref() == Some(&record) { Ok(()) } else { write(self, &path, &record) }
    }

    /// Drops workspaces whose directory has been gone for 90 days, and records since when others are gone.
    /// Returns how many were dropped. Examines every directory, so it may wait for a slow disk.
    ///
    /// # Errors
    /// The folder cannot be read or written. Changes made until then remain.
    pub fn forget_gone(&self, now: Timestamp) -> Result<usize, StoreError> {
        let read = |path: &Path| -> Result<Option<Record>, StoreError> {
            Ok(read_record(path)?.and_then(|json| Record::from_json(&json).ok()))
        };
        let mut looked_at = Vec::new();
        for path in self.record_paths()? {
            if let Some(record) = read(&path)? {
                looked_at.push((path, is_gone(&record.path), record));
            }
        }
        // The directories were examined before taking the lock, so that a disk that does not respond keeps
        // nobody from writing.
        let _lock = self.lock()?;
        let mut n_forgotten = 0;
        for (path, is_gone, before) in looked_at {
            let Some(record) = read(&path)?.filter(|record| *record == before) else { continue };
            match (is_gone, record.gone_since) {
                (true, Some(since)) if now.millis_since(since) >= FORGET_AFTER_MS => {
                    fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
                    n_forgotten += 1;
                }
                (true, Some(_)) | (false, None) => {}
                (true, None) => write(self, &path, &Record { gone_since: Some(now), ..record })?,
                (false, Some(_)) => write(self, &path, &Record { gone_since: None, ..record })?,
            }
        }
        if n_forgotten > 0 {
            sync_folder(&self.baseline_folder())?;
        }
        Ok(n_forgotten)
    }

    fn baseline_folder(&self) -> PathBuf {
        self.folder().join(BASELINES)
    }

    fn record_paths(&self) -> Result<Vec<PathBuf>, StoreError> {
        json_files(&self.baseline_folder())
    }

    fn load(&self, path: &Path) -> Result<Loaded, StoreError> {
        let Some(json) = read_record(path)? else { return Ok(Loaded::Nothing) };
        match Record::from_json(&json) {
            Ok(record) => Ok(Loaded::Record(record)),
            Err(Unread::Newer(version)) => Err(StoreError::Newer { path: path.to_owned(), version }),
            Err(Unread::Damaged(_)) => self.set_aside(path),
        }
    }

    /// Moves a damaged record out of the way, unless another process has replaced it by a valid one.
    fn set_aside(&self, path: &Path) -> Result<Loaded, StoreError> {
        let _lock = self.lock()?;
        let Some(json) = read_record(path)? else { return Ok(Loaded::Nothing) };
        let reason = match Record::from_json(&json) {
            Ok(record) => return Ok(Loaded::Record(record)),
            Err(Unread::Newer(version)) => {
                return Err(StoreError::Newer { path: path.to_owned(), version });
            }
            Err(Unread::Damaged(reason)) => reason,
        };
        let aside = path.with_extension("damaged");
        fs::rename(path, &aside).map_err(StoreError::io("set aside", path))?;
        Ok(Loaded::SetAside(format!(
            "a remembered baseline is damaged ({}) and was set aside as {}; that workspace starts afresh",
            display_text::line(&reason),
            display_text::path(&aside)
        )))
    }
}

enum Loaded {
    Record(Record),
    Nothing,
    SetAside(String),
}

fn write(store: &Store, path: &Path, record: &Record) -> Result<(), StoreError> {
    let json = record.to_json().map_err(|source| StoreError::Unwritable { path: path.to_owned(), source })?;
    store.replace(path, &json)
}

/// True only if the system says that the directory does not exist. One that cannot be examined (no
/// permission, an unreachable server) is not gone.
fn is_gone(directory: &Path) -> bool {
    match fs::symlink_metadata(directory) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) path: PathBuf,
    /// `None` where a baseline was only ever given.
    pub(super) baseline: Option<Baseline>,
    /// The names that were given, the last one last.
    pub(super) named: Vec<NamedBaseline>,
    /// Since when the directory is known to be gone.
    pub(super) gone_since: Option<Timestamp>,
}

/// Why a text is not a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// A newer version of the format, which must not be changed.
    Newer(u32),
    /// Any other reason, in words.
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    #[serde(flatten)]
    path: WrittenPath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    named: Vec<NamedBaseline>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone_since: Option<Timestamp>,
}

/// Only the version: a newer format may have nothing else in common.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

impl Record {
    fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let form = Form {
            version: VERSION,
            path: WrittenPath::of(&self.path),
            baseline: self.baseline.clone(),
            named: self.named.clone(),
            gone_since: self.gone_since,
        };
        let mut json = serde_json::to_vec_pretty(&form)?;
        json.push(b'\n');
        Ok(json)
    }

    fn from_json(json: &[u8]) -> Result<Record, Unread> {
        let damaged = |error: serde_json::Error| Unread::Damaged(error.to_string());
        let VersionOnly { version } = serde_json::from_slice(json).map_err(damaged)?;
        if version > VERSION {
            return Err(Unread::Newer(version));
        }
        let form: Form = serde_json::from_slice(json).map_err(damaged)?;
        let path = form.path.read().map_err(|wrong| Unread::Damaged(wrong.to_owned()))?;
        Ok(Record { path, baseline: form.baseline, named: form.named, gone_since: form.gone_since })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;
    use crate::model::BaselineOrigin;

    fn record(path: PathBuf) -> Record {
        let baseline = Baseline {
            commit: "a".repeat(40).parse().ok(),
            origin: BaselineOrigin::BranchPoint("origin/main".to_owned()),
            set_at: Timestamp(5),
            commit_time: None,
        };
        let named = NamedBaseline {
            rev: "origin/main".to_owned(),
            task_at: Timestamp(6),
            baseline: baseline.clone(),
        };
        Record { path, baseline: Some(baseline), named: vec![named], gone_since: Some(Timestamp(7)) }
    }

    #[test]
    fn a_record_comes_back_as_it_was_also_with_a_path_that_is_no_utf8() {
        for path in [PathBuf::from("/w/日本"), PathBuf::from(OsString::from_vec(b"/w/\xff\n".to_vec()))] {
            let record = record(path);
            assert_eq!(Record::from_json(&record.to_json().unwrap()), Ok(record));
        }
    }

    #[test]
    fn a_newer_format_is_told_from_a_damaged_one() {
        assert_eq!(Record::from_json(b"{\"version\":2,\"x\":1}"), Err(Unread::Newer(2)));
        for json in ["", "{", "{\"version\":1}", "[]", "\0"] {
            assert!(matches!(Record::from_json(json.as_bytes()), Err(Unread::Damaged(_))), "{json}");
        }
    }
}
