//! Supervised runs: the state of each, the lock that lets only one run in a workspace, the files of the
//! current one, and the circuit breaker.
//!
//! A run is stored as a whole before each step, so that a killed one continues where it was. Texts for the
//! agent (prompt, output, answer) are readable by this user only.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::disk::write;
use crate::model::{SupervisedRun, WorkspaceId};

use super::StoreError;
use super::folder::{Store, own_folder, read_up_to, remove, replace_record};
use super::workspace_files::{WorkspaceFiles, file_name};

/// The folder with the runs.
const RUNS: &str = "runs";

/// The name of the file of a run that holds the end of what its command wrote, as it was judged.
pub const JUDGED_OUTPUT: &str = "judged-output";

/// The longest answer, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// How long to wait for the lock, because a closeout that checks whether a run is alive holds it for a
/// moment.
const LOOKING: Duration = Duration::from_millis(200);

/// Held by a workspace's only run; the kernel releases it when that ends.
#[derive(Debug)]
pub struct RunLock {
    _lock: File,
}

/// The folder with the files of a workspace's run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    folder: PathBuf,
}

/// The last run of each workspace.
#[derive(Debug, Default)]
pub struct LastRuns {
    /// Those that are alive.
    pub alive: BTreeMap<WorkspaceId, SupervisedRun>,
    /// Those that ended, and those that were interrupted.
    pub over: BTreeMap<WorkspaceId, SupervisedRun>,
}

#[derive(Serialize, Deserialize)]
struct BreakerForm {
    n_time_outs: u32,
}

impl Store {
    /// Takes the lock for running a command in a workspace; `None` while another run holds it.
    ///
    /// # Errors
    /// The lock cannot be created.
    pub fn lock_run(&self, workspace: &WorkspaceId) -> Result<Option<RunLock>, StoreError> {
        own_folder(self.folder(), RUNS)?;
        let path = self.run_place(workspace).with_extension("lock");
        let lock = write::lock_file(&path, LOOKING).map_err(StoreError::io("lock", &path))?;
        Ok(lock.map(|lock| RunLock { _lock: lock }))
    }

    /// Stores the state of a workspace's run. It is on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written. The previous state then stays.
    pub fn keep_run(&self, workspace: &WorkspaceId, run: &SupervisedRun) -> Result<(), StoreError> {
        self.run_files().keep(workspace, run, replace_record)
    }

    /// The stored state of a workspace's last run.
    pub fn run(&self, workspace: &WorkspaceId) -> Option<SupervisedRun> {
        self.run_files().one(workspace)
    }

    /// The last run of each workspace.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn last_runs(&self) -> Result<LastRuns, StoreError> {
        let runs = self.run_files().all::<SupervisedRun>()?.into_iter();
        let is_alive = |workspace: &WorkspaceId, run: &SupervisedRun| {
            run.ended.is_none() && self.is_run_alive(workspace)
        };
        let (alive, over) = runs.partition(|(workspace, run)| is_alive(workspace, run));
        Ok(LastRuns { alive, over })
    }

    /// What the command of a workspace's run wrote in its last iteration, if that was judged.
    pub fn judged_output(&self, workspace: &WorkspaceId, run: &SupervisedRun) -> Option<PathBuf> {
        let last = run.iterations.last().filter(|last| last.verdict.is_some())?;
        let path = self.run_place(workspace).with_extension("files").join(JUDGED_OUTPUT);
        let written = fs::symlink_metadata(&path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let is_of_last = i64::try_from(written.as_millis()).is_ok_and(|at| at >= last.began_at.0);
        is_of_last.then_some(path)
    }

    /// Whether a closeout is running a command in this workspace now.
    pub fn is_run_alive(&self, workspace: &WorkspaceId) -> bool {
        write::is_locked(&self.run_place(workspace).with_extension("lock"))
    }

    /// The folder with the stored runs, one file each.
    pub fn runs_folder(&self) -> PathBuf {
        self.folder().join(RUNS)
    }

    /// The folder for the files of a workspace's run, created if missing.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn run_folder(&self, workspace: &WorkspaceId) -> Result<RunFolder, StoreError> {
        let below = Path::new(RUNS).join(file_name(workspace.path())).with_extension("files");
        Ok(RunFolder { folder: own_folder(self.folder(), below)? })
    }

    /// How many timeouts in a row a workspace has had, for its circuit breaker. An unreadable file counts
    /// as none.
    pub fn time_outs(&self, workspace: &WorkspaceId) -> u32 {
        self.breaker_files().one(workspace).map_or(0, |form: BreakerForm| form.n_time_outs)
    }

    /// Stores the number of timeouts in a row. Zero deletes the file.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep_time_outs(&self, workspace: &WorkspaceId, n_time_outs: u32) -> Result<(), StoreError> {
        if n_time_outs == 0 {
            return self.breaker_files().delete(workspace);
        }
        self.breaker_files().keep(workspace, BreakerForm { n_time_outs }, replace_record)
    }

    fn run_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), RUNS)
    }

    fn breaker_files(&self) -> WorkspaceFiles<'_> {
        WorkspaceFiles::new(self.folder(), "breakers")
    }

    fn run_place(&self, workspace: &WorkspaceId) -> PathBuf {
        self.runs_folder().join(file_name(workspace.path()))
    }
}

impl RunFolder {
    /// The path of the file called `name`.
    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Creates the file called `name` with this content, replacing any earlier one, and returns it open for
    /// writing.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn begin(&self, name: &str, content: &[u8]) -> Result<File, StoreError> {
        let path = self.place(name);
        remove(&path)?;
        let mut file = write::create_new(&path).map_err(StoreError::io("make", &path))?;
        file.write_all(content).map_err(StoreError::io("write", &path))?;
        Ok(file)
    }

    /// Passes an answer to the run that waits for one, replacing an answer it has not read yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn answer(&self, text: &str) -> Result<(), StoreError> {
        replace_record(&self.place("answer"), text.as_bytes())
    }

    /// Takes the answer that was passed, if any, and deletes it.
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
