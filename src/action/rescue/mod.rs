//! Saves uncommitted work without loss: a record on a hidden reference, then a visible commit of exactly what the
//! user confirmed, and its exact undo.
//!
//! It must not run a program that a repository names unless the user trusts it, must not change the work tree,
//! and must not remove a lock that is not provably its own.
//!
//! What a rescue goes through ([`RescueStep`]), and what the next start makes of one that was cut off after each:
//!
//! ```text
//! survey   Locked ─ Listed ─ Surveyed                       nothing happened
//! record   Imported ─ PackMoved ─ Verified                  leftovers are removed
//!          ReferenceMade                                    the record is adopted: its line is written
//!          RecordJournalled                                 the record stands
//! commit   TreeMade ─ CommitPinned                          the branch and the index are as before
//! move     IndexPrepared                                    leftovers are removed
//!          MoveJournalled ─ Checked ─ IndexLocked           rolled back: as before the move
//!          BranchMoved                                      completed: the index follows
//!          IndexMoved                                       completed: the journal's line is written
//!          MoveDone                                         the move stands
//! ```
//!
//! Its rooms, each importing only those above it; `tests/architecture/table.rs` has their arrows:
//!
//! ```text
//! base             errors, names, the journal, git's plain files
//! survey           reads the work tree: what is there, what is new, what is in doubt
//! lock             one rescue at a time in a worktree
//! trust            whose programs may run: filters, hooks, scripts
//! ref_transaction  moves a branch with its index, or neither; recovery of a move that was cut off
//! undo             the same move back, and again
//! loose            a branch for commits that none holds
//! visible          what a visible commit holds, how it is split, what its message says
//! snapshot         makes a record, tells whether an old one is the same, verifies it
//! vault            records outside of the repository
//! catalogue        lists records, restores and deletes them
//! record           has a record made, or an old one used again
//! plan             what the user is shown
//! commit           carries out what was confirmed
//! ```
//!
//! An undo and a redo are the same move, in the other direction. Where someone else changed the branch or the index
//! since, recovery replaces neither.

mod base;
mod catalogue;
mod commit;
mod lock;
mod loose;
mod plan;
mod record;
mod ref_transaction;
mod snapshot;
mod survey;
mod trust;
mod undo;
mod vault;
mod visible;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use strum::VariantArray;

use crate::git::{CallPolicy, Git, Repository};
use crate::process::{Budget, Cancel, Held, Launcher};

pub use base::RescueError;
pub use commit::Recovered;
pub use plan::PlanRequest;
pub use trust::runs_file_of;

/// The time limit of a git call that only lists things.
const GIT_LIMIT: Duration = Duration::from_secs(10);

/// How a rescue calls git: settings, limits, and the size of the answers it accepts.
const POLICY: CallPolicy = CallPolicy {
    settings: &[
        // Advice on stderr would be mistaken for a warning that something was not read.
        "advice.sparseIndexExpanded=false",
        // Objects are synced by one call of our own (`WorktreeLock::sync`); a reference must never reach the
        // disk before them.
        "core.fsync=reference", "core.symlinks=true", "core.ignoreCase=false", "core.precomposeUnicode=false",
        "core.bigFileThreshold=16m",
        // Git maps packs through windows, which count as memory: unlimited, they grow as large as the pack.
        "core.packedGitWindowSize=4m", "core.packedGitLimit=32m", "fastimport.unpackLimit=0",
    ],
    programs: "",
    limit: GIT_LIMIT,
    long_limit: Duration::from_mins(15),
    // Enough for a million paths.
    answer_cap: 256 << 20,
};

/// The size of a record above which a person is asked first. Exceeding either limit is enough.
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

/// How rescues are run: programs, limits, and what a person configured. One value serves any number of
/// workspaces.
pub struct Rescuer {
    /// The absolute path of git.
    pub git: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Closeout's own folder for journals and locks; created with access for this user only if it is missing.
    pub state: PathBuf,
    /// Whether everything is synced to disk before "saved" is reported. Only a benchmark turns this off.
    pub is_synced: bool,
    /// The time limit of a git call that only lists things.
    pub git_limit: Duration,
    /// What the git calls of an action may lose when they hang.
    pub budget: Budget,
    /// How large a record may be before a person is asked.
    pub ask_above: AskAbove,
    /// Branches, by short name, that get no visible commit unless a person explicitly allows it.
    pub protected: Vec<String>,
    /// The digests that a person trusts ([`Rescuer::trust_list`]). Each digest covers the path of its
    /// workspace.
    pub trusted: BTreeSet<String>,
    /// The person's own rescue program and its arguments, from their own configuration. If `None`, a
    /// `commit-rescue.py` at the top of the workspace is offered.
    pub own_program: Option<Vec<OsString>>,
    /// The commands of the checks configured for the workspace, each as program and arguments.
    pub check_commands: Vec<Vec<String>>,
    /// The environment of trusted programs: filters, hooks and the person's own rescue program.
    pub program_env: Vec<(OsString, OsString)>,
    /// The time limit of each of these programs.
    pub program_limit: Duration,
    /// Starts each of them in a session of its own, so that every descendant can be ended with it. If `None`,
    /// they get only a process group, which a descendant can leave.
    pub launcher: Option<Launcher>,
    /// Cancels the current action. Once something visible is about to move, that step is completed first.
    pub cancel: Cancel,
    /// Called after each step. For tests, which end the process or change the repository there.
    pub at_step: Option<Box<dyn Fn(RescueStep) + Send + Sync>>,
}

impl std::fmt::Debug for Rescuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rescuer").field("git", &self.git).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Rescuer {
    /// Creates a rescuer with default limits that protects no branch and trusts nothing.
    pub fn new(git: PathBuf, home: Option<PathBuf>, state: PathBuf) -> Rescuer {
        Rescuer {
            git,
            home,
            state,
            is_synced: true,
            git_limit: GIT_LIMIT,
            budget: Budget::default(),
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

    /// The git runner for `repo`; its child processes inherit `lock`, if it is held already.
    fn runner<'a>(&'a self, repo: &'a Repository, lock: Option<&Arc<File>>) -> Git<'a> {
        Git {
            program: &self.git,
            home: self.home.as_deref(),
            repo,
            policy: CallPolicy { limit: self.git_limit, ..POLICY },
            objects: None,
            budget: self.budget.clone(),
            lock: lock.cloned(),
            cancel: Some(&self.cancel),
        }
    }

    /// Reports a step to the test hook, if there is one.
    fn reached(&self, step: RescueStep) {
        if let Some(at_step) = &self.at_step {
            at_step(step);
        }
    }

    /// Delays cancellation until the returned guard is dropped. Fails with [`RescueError::Cancelled`] if the
    /// action was already cancelled.
    fn hold(&self) -> Result<Held, RescueError> {
        self.cancel.hold().ok_or(RescueError::Cancelled)
    }
}

/// A step of a rescue or an undo that has just been completed. A test can hook into each to end the process or change
/// the repository; in production nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(VariantArray)]
pub enum RescueStep {
    /// The worktree lock is held.
    Locked,
    /// The work tree is listed; no content has been read.
    Listed,
    /// The work tree has been read.
    Surveyed,
    /// Blobs, trees and commits are in our own object directory.
    Imported,
    /// The pack is in the repository.
    PackMoved,
    /// Every object was found again in the repository.
    Verified,
    /// The hidden reference exists.
    ReferenceMade,
    /// The record is in the journal.
    RecordJournalled,
    /// The tree of the visible commit is the confirmed one.
    TreeMade,
    /// The visible commit exists and a hidden reference keeps it.
    CommitPinned,
    /// The new index is written next to the old one.
    IndexPrepared,
    /// The journal names what is about to move.
    MoveJournalled,
    /// Everything is still as confirmed, checked under the branch locks. Reached again if the index changed
    /// right afterwards.
    Checked,
    /// We hold git's index lock, and the index is the one that was checked.
    IndexLocked,
    /// The branch points to its new commit.
    BranchMoved,
    /// The new index is in place.
    IndexMoved,
    /// The journal says that the move is complete.
    MoveDone,
}
