//! Reads a workspace's git repository: HEAD, the commits since the baseline that are new work, uncommitted
//! changes, unfinished operations (merge, rebase, …), and the files whose change would alter any of these.
//!
//! Nothing here writes, takes a lock, runs code of the repository or uses the network. One interface has two
//! readers: libgit2 in this process for ordinary repositories, and the git program for those that are large, in
//! another format, or where libgit2 did not answer. What cannot be read is a [`crate::model::Unreadable`] with
//! a message, never "clean".

mod advance;
mod baseline;
mod changes;
mod commit_classes;
mod commit_paths;
mod commits;
mod content;
mod content_age;
mod file_state;
mod handle;
mod head_news;
mod helpers;
mod hidden;
mod history;
mod ignored;
mod in_process;
mod landed;
mod libgit2;
mod memory;
mod moved;
mod newest;
mod not_work;
mod observe;
mod on_disk;
mod porcelain;
mod program;
mod provenance;
mod reader;
mod readers;
mod rebased;
mod saved;
mod settings;
mod stash;
mod stays;
mod strays;
mod submodules;
mod targets;
mod traces;
mod tree_entries;
mod worktrees;

use std::path::Path;

use crate::model::{Baseline, BaselineOrigin, GitReader, Timestamp};
use crate::process::Budget;

pub use hidden::{Excludes, excludes, look};
pub use ignored::ignored;
pub use memory::GitMemory;
pub use moved::{Former, former};
pub use observe::observe;
pub use program::hanging_rules;
pub use provenance::{file_of_commit, provenance};
pub use traces::ContentOrigin;
pub use worktrees::{WORKTREE_FILES, Worktree, work_tree, worktrees};

/// What to read from git for one workspace, and how.
#[derive(Debug, Clone)]
pub struct GitAsk<'a> {
    /// Also read the work tree, the only expensive part.
    pub changes: bool,
    /// How to determine the commit from which work is counted.
    pub baseline: BaselineChoice<'a>,
    /// Paths, relative to the workspace, that count as evidence and not as work while they are untracked.
    pub evidence_files: &'a [String],
    /// Paths of plans, relative to the workspace. A commit that changes only plans and evidence is not work.
    pub plans: &'a [String],
    /// Paths and patterns, relative to the workspace, that the person calls noise.
    pub noise: &'a [String],
    /// Which reader to use; `None` chooses by size and format.
    pub reader: Option<GitReader>,
    /// When this collection takes place.
    pub now: Timestamp,
    /// When anybody was asked for anything here, as far as sessions tell.
    pub asked: &'a [Timestamp],
    /// Absolute path of the git program; without it only ordinary repositories can be read.
    pub program: Option<&'a Path>,
    /// The user's home folder, from which the git program reads its configuration.
    pub home: Option<&'a Path>,
    /// What calls of the git program may lose when they hang.
    pub budget: &'a Budget,
}

impl<'a> GitAsk<'a> {
    /// Leaves out the work tree, finds the baseline, and reads without the git program.
    pub fn new(now: Timestamp, budget: &'a Budget) -> GitAsk<'a> {
        GitAsk {
            changes: false,
            baseline: BaselineChoice::Find,
            evidence_files: &[],
            plans: &[],
            noise: &[],
            reader: None,
            now,
            asked: &[],
            program: None,
            home: None,
            budget,
        }
    }
}

/// How to determine the baseline, the commit from which work is counted.
#[derive(Debug, Clone, Copy)]
pub enum BaselineChoice<'a> {
    /// A person named it.
    Given {
        /// The revision as the person wrote it.
        rev: &'a str,
        /// Who named it.
        origin: &'a BaselineOrigin,
    },
    /// A person named it, and it counts as it stood when the task began.
    GivenAt {
        /// The revision as the person wrote it.
        rev: &'a str,
        /// Who named it.
        origin: &'a BaselineOrigin,
        /// When the task began.
        at: Timestamp,
    },
    /// It was found or given at an earlier observation.
    Remembered(&'a Baseline),
    /// To be found.
    Find,
    /// To be found; a session in this workspace got its first prompt at this time. If nothing better determines
    /// the baseline, it is where HEAD stood at that time, not where HEAD stands at the first look.
    FindBefore(Timestamp),
}
