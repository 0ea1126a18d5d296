//! What git says of a workspace: where HEAD stands, which commits since the baseline are new work,
//! what is not committed, what was begun and not ended, and where changes of all this would show.
//!
//! Nothing here writes, takes a lock, runs code of the repository or reaches the network. Two
//! readers stand behind one interface: libgit2 in this process for ordinary repositories, the git
//! program for those that are large, of another format, or did not answer. What cannot be read is
//! an [`crate::model::Unreadable`] with words, never "clean".

mod advance;
mod baseline;
mod changes;
mod commit_paths;
mod commits;
mod content;
mod evidence_paths;
mod file_state;
mod hidden;
mod history;
mod in_process;
mod libgit2;
mod memory;
mod newest;
mod observe;
mod on_disk;
mod porcelain;
mod program;
mod provenance;
mod reader;
mod readers;
mod submodules;
mod targets;
mod traces;
mod worktrees;

use std::path::Path;
use std::time::Duration;

use crate::model::{Baseline, BaselineOrigin, GitReader, Timestamp};

pub use hidden::{Excludes, excludes, look};
pub use memory::GitMemory;
pub use observe::observe;
pub use provenance::{file_of_commit, provenance};
pub use traces::Provenance;
pub use worktrees::{Worktree, work_tree, worktrees, worktrees_folder};

/// What is asked of git for one workspace.
#[derive(Debug, Clone)]
pub struct GitAsk<'a> {
    /// Look at the work tree too; the only costly part.
    pub changes: bool,
    /// From which commit work is counted.
    pub baseline: BaselineChoice<'a>,
    /// Paths from the workspace that are evidence and not work while they are untracked.
    pub evidence_files: &'a [String],
    /// Paths from the workspace of plans: a commit of them and of evidence alone is no work.
    pub plans: &'a [String],
    /// Who has to read; `None` lets size and format decide.
    pub reader: Option<GitReader>,
    /// The time of the collection.
    pub now: Timestamp,
    /// The git program, by absolute path; without it only ordinary repositories can be read.
    pub program: Option<&'a Path>,
    /// The user's home folder, whose git configuration the git program reads.
    pub home: Option<&'a Path>,
    /// How long one call of the git program may take.
    pub time_limit: Duration,
}

/// From which commit work is counted.
#[derive(Debug, Clone, Copy)]
pub enum BaselineChoice<'a> {
    /// A person named it.
    Given {
        /// The revision as it was written.
        rev: &'a str,
        /// Who named it.
        origin: &'a BaselineOrigin,
    },
    /// It was found or given before.
    Remembered(&'a Baseline),
    /// It is to be found.
    Find,
    /// It is to be found; a session here was first prompted at this moment. Where nothing else tells, work is
    /// counted from where HEAD stood then, and not from where it stands at the first look.
    FindBefore(Timestamp),
}
