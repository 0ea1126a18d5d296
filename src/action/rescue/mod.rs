//! Saves uncommitted work without loss: a record on a hidden reference, a visible commit of exactly what
//! was confirmed, and its exact undo.
//!
//! It must not run anything that a repository names and nobody trusts, must not change the work tree, and must
//! not remove a lock that is not provably its own.

mod author;
mod belonging;
mod branch;
mod catalogue;
mod coverage;
mod deletion;
mod error;
mod filters;
mod holder;
mod hook_files;
mod hooks;
mod ignored;
mod journal;
mod kept_index;
mod key_like;
mod leaving_out;
mod limits;
mod listing;
mod lock;
mod looked_at;
mod message;
mod names;
mod nested;
mod new_branch;
mod own_command;
mod own_program;
mod packs;
mod plan;
mod prepared;
mod reading;
mod record;
mod recording;
mod recovery;
mod ref_transaction;
mod references;
mod repository;
mod rescuer;
mod restore;
mod reuse;
mod scripts;
mod seen_index;
mod settings;
mod shell;
mod split;
mod spool;
mod startup;
mod step;
mod survey;
mod target;
mod tracked;
mod trust;
mod unchanged;
mod undo;
mod vault;
mod verify;
mod visible;
mod whole_file;
mod worktrees;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::git::{CallPolicy, Git, Repository};
use crate::process::{Cancel, Held, Launcher};

pub use error::RescueError;
pub use plan::PlanRequest;
pub use step::Stage;

/// How long a call of git's may take that looks at lists.
const GIT_LIMIT: Duration = Duration::from_secs(10);

/// How a rescue calls git.
const POLICY: CallPolicy = CallPolicy {
    settings: &[
        // Advice would be taken for a warning that something was not read.
        "advice.sparseIndexExpanded=false",
        // Contents are written to the disk by one call of ours; a reference must never be there without.
        "core.fsync=reference",
        "core.symlinks=true",
        "core.ignoreCase=false",
        "core.precomposeUnicode=false",
        "core.bigFileThreshold=16m",
        // A pack is looked at through windows, which count as memory: without a bound they are as large as the pack.
        "core.packedGitWindowSize=4m",
        "core.packedGitLimit=32m",
        "fastimport.unpackLimit=0",
    ],
    programs: "",
    limit: GIT_LIMIT,
    long_limit: Duration::from_mins(15),
    // A million paths fit.
    answer_cap: 256 << 20,
};

/// A record of more than this is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskAbove {
    /// New or changed bytes.
    pub n_bytes: u64,
    /// New or changed files.
    pub n_files: usize,
}

impl Default for AskAbove {
    fn default() -> AskAbove {
        AskAbove { n_bytes: 200_000_000, n_files: 10_000 }
    }
}

/// Where rescues are run from. One value serves any number of workspaces.
pub struct Rescuer {
    /// Git, by absolute path.
    pub git: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Our own folder for journals and locks; made if it is not there, for this user only.
    pub state: PathBuf,
    /// Write to the disk before "saved" is said. Only a benchmark does without.
    pub is_synced: bool,
    /// How long a call of git's may take that looks at lists. Once one did not answer in that time, each further one
    /// has a tenth of it: what hangs costs an action one such time.
    pub git_limit: Duration,
    /// One did not answer.
    pub has_hung: AtomicBool,
    /// How large a record may be without a question.
    pub ask_above: AskAbove,
    /// Branches, by short names, that get no visible commit unless a person says so.
    pub protected: Vec<String>,
    /// The digests that a person trusted ([`Rescuer::trust_list`]). A digest names its workspace.
    pub trusted: BTreeSet<String>,
    /// The person's own rescue program and its arguments, from their own configuration. Without it a
    /// `commit-rescue.py` at the top of the workspace is offered.
    pub own_program: Option<Vec<OsString>>,
    /// The programs of the checks that the person configured for the workspace, each with its arguments.
    pub check_commands: Vec<Vec<String>>,
    /// The environment for programs that are trusted: filters, hooks, the own rescue program.
    pub program_env: Vec<(OsString, OsString)>,
    /// How long each of these programs may take.
    pub program_limit: Duration,
    /// Gives each of them a session of its own, with which all that came of it is ended. `None` gives it a
    /// process group, of which what leaves it can get away.
    pub launcher: Option<Launcher>,
    /// Ends early what is under way, until something visible is about to be moved: that is finished first.
    pub cancel: Cancel,
    /// Called after each step. For tests, which end the process or change the repository there.
    pub at_step: Option<Box<dyn Fn(Stage) + Send + Sync>>,
}

impl std::fmt::Debug for Rescuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rescuer").field("git", &self.git).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Rescuer {
    /// A rescuer that protects no branch and trusts nothing.
    pub fn new(git: PathBuf, home: Option<PathBuf>, state: PathBuf) -> Rescuer {
        Rescuer {
            git,
            home,
            state,
            is_synced: true,
            git_limit: GIT_LIMIT,
            has_hung: AtomicBool::new(false),
            ask_above: AskAbove::default(),
            protected: Vec::new(),
            trusted: BTreeSet::new(),
            own_program: None,
            check_commands: Vec::new(),
            program_env: Vec::new(),
            program_limit: Duration::from_mins(5),
            launcher: None,
            cancel: Cancel::new(),
            at_step: None,
        }
    }

    /// The runner of git for a repository, whose children hold `lock`.
    fn runner<'a>(&'a self, repo: &'a Repository, lock: &Arc<File>) -> Git<'a> {
        Git {
            program: &self.git,
            home: self.home.as_deref(),
            repo,
            policy: CallPolicy { limit: self.git_limit, ..POLICY },
            has_hung: Some(&self.has_hung),
            lock: Some(Arc::clone(lock)),
            cancel: Some(&self.cancel),
        }
    }

    /// Tells a test of a step.
    fn reached(&self, step: Stage) {
        if let Some(at_step) = &self.at_step {
            at_step(step);
        }
    }

    /// What begins now is finished, whoever wants it to end, until the answer is dropped. An error when somebody
    /// wanted that before.
    fn hold(&self) -> Result<Held, RescueError> {
        self.cancel.hold().ok_or(RescueError::Cancelled { kept: None })
    }
}
