//! Supervised runs: where each stands, the lock that lets one run a workspace, the files of the one that runs, and
//! the circuit breaker.
//!
//! A run is kept as a whole before each step, so that one that was killed goes on where it was. A text for the
//! agent (prompt, output, answer) is for this user only.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::disk::write;
use crate::model::{SupervisedRun, WorkspaceId};

use super::StoreError;
use super::folder::{Store, own_folder, read_up_to, replace_record};
use super::workspace_files::{WorkspaceFiles, file_name};

/// The longest answer, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// A closeout that looks whether a run is alive holds the lock for a moment, which is waited for.
const LOOKING: Duration = Duration::from_millis(200);

/// Held by the one run of a workspace; the kernel frees it when that ends.
#[derive(Debug)]
pub struct RunLock {
    _lock: File,
}

/// The folder with the files of a workspace's run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct BreakerForm {
    n_time_outs: u32,
}

impl Store {
    /// The turn to run a command in a workspace; `None` while another run has it.
    ///
    /// # Errors
    /// The lock cannot be made.
    pub fn lock_run(&self, workspace: &WorkspaceId) -> Result<Option<RunLock>, StoreError> {
        own_folder(&self.runs_folder())?;
        let path = self.run_place(workspace).with_extension("lock");
        let lock = write::lock_file(&path, LOOKING).map_err(StoreError::io("lock", &path))?;
        Ok(lock.map(|lock| RunLock { _lock: lock }))
    }

    /// Keeps where the run of a workspace stands. It is on the disk when this returns.
    ///
    /// # Errors
    /// It cannot be written; what was kept before stays.
    pub fn keep_run(&self, workspace: &WorkspaceId, run: &SupervisedRun) -> Result<(), StoreError> {
        self.run_files().keep(workspace, run, replace_record)
    }

    /// The last run of a workspace, as it was kept.
    pub fn run(&self, workspace: &WorkspaceId) -> Option<SupervisedRun> {
        self.run_files().one(workspace)
    }

    /// The runs that are alive, each with its workspace.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn live_runs(&self) -> Result<BTreeMap<WorkspaceId, SupervisedRun>, StoreError> {
        let mut runs = self.run_files().all::<SupervisedRun>()?;
        runs.retain(|workspace, run| run.ended.is_none() && self.is_run_alive(workspace));
        Ok(runs)
    }

    /// Whether a closeout runs a command in this workspace now.
    pub fn is_run_alive(&self, workspace: &WorkspaceId) -> bool {
        write::is_locked(&self.run_place(workspace).with_extension("lock"))
    }

    /// Where runs are kept, a file each.
    pub fn runs_folder(&self) -> PathBuf {
        self.folder().join("runs")
    }

    /// The folder for the files of a workspace's run, made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn run_folder(&self, workspace: &WorkspaceId) -> Result<RunFolder, StoreError> {
        let folder = self.run_place(workspace).with_extension("files");
        own_folder(&folder)?;
        Ok(RunFolder { folder })
    }

    /// Time-outs in a row in a workspace, for its circuit breaker. What cannot be read is none.
    pub fn time_outs(&self, workspace: &WorkspaceId) -> u32 {
        self.breaker_files().one(workspace).map_or(0, |form: BreakerForm| form.n_time_outs)
    }

    /// Keeps them.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep_time_outs(&self, workspace: &WorkspaceId, n_time_outs: u32) -> Result<(), StoreError> {
        if n_time_outs == 0 {
            return self.breaker_files().delete(workspace);
        }
        self.breaker_files().keep(workspace, BreakerForm { n_time_outs }, replace_record)
    }

    fn run_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.runs_folder())
    }

    fn breaker_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.folder().join("breakers"))
    }

    fn run_place(&self, workspace: &WorkspaceId) -> PathBuf {
        self.runs_folder().join(file_name(workspace.path()))
    }
}

impl RunFolder {
    /// Where a file of that name is.
    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A new file of that name in place of one before, with this content; open to be written on.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn begin(&self, name: &str, content: &[u8]) -> Result<File, StoreError> {
        let path = self.place(name);
        remove(&path)?;
        let mut file = write::create_new(&path).map_err(StoreError::io("make", &path))?;
        file.write_all(content).map_err(StoreError::io("write", &path))?;
        Ok(file)
    }

    /// Hands an answer to the run that waits for one, in place of one that it has not read yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn answer(&self, text: &str) -> Result<(), StoreError> {
        replace_record(&self.place("answer"), text.as_bytes())
    }

    /// The answer that was handed over, once.
    ///
    /// # Errors
    /// It cannot be read or removed.
    pub fn take_answer(&self) -> Result<Option<String>, StoreError> {
        let path = self.place("answer");
        let Some(text) = read_up_to(&path, LONGEST_ANSWER)? else { return Ok(None) };
        remove(&path)?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
