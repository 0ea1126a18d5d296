//! What a collection found, before anybody judged it: raw readings of each part.

use std::path::PathBuf;

use super::{Baseline, GitFacts, Parts, SessionObservation, Timestamp, WatchTarget};

/// What one collection found in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observations {
    /// The parts that were read; the fields of other parts are `NotLookedAt`.
    pub parts: Parts,
    /// When the collection began.
    pub taken_at: Timestamp,
    /// What was written before this moment is about an earlier task: the later of the baseline
    /// commit's time and the person's last prompt, as far as known.
    pub task_started_at: Option<Timestamp>,
    /// The baseline commit's time, where it says when the work began.
    pub baseline_at: Option<Timestamp>,
    /// The files of the settings whose content is that of the baseline's commit.
    pub of_baseline: Vec<String>,
    /// Git: commits and, if `CHANGES` was asked for, the work tree.
    pub git: Reading<GitObservation>,
    /// The decision file.
    pub decision: Reading<TextFile>,
    /// The SHA-256 of its whole content, in hexadecimal, where it was read.
    pub decision_digest: Option<String>,
    /// The declared outputs, in the order of the settings.
    pub outputs: Vec<Reading<TextFile>>,
    /// The closer's report.
    pub closer: Reading<TextFile>,
    /// The plan files that exist, in the order of the settings.
    pub plans: Vec<Reading<PlanFile>>,
    /// The required files.
    pub files: Reading<Vec<FileCheck>>,
    /// Test results, all result files together.
    pub tests: Reading<TestResults>,
    /// The results that checks name, by the check.
    pub check_tests: Vec<(String, Reading<TestResults>)>,
    /// The newest session of an agent in this workspace.
    pub session: Reading<SessionObservation>,
    /// The sessions before it, the newest first.
    pub other_sessions: Vec<SessionObservation>,
    /// Where changes of what was read would show.
    pub watch_targets: Vec<WatchTarget>,
    /// The baseline to be remembered, when this collection found a new one.
    pub new_baseline: Option<Baseline>,
    /// A source that tells no changes can tell more then: look again at this moment.
    pub recheck_at: Option<Timestamp>,
}

/// The reading of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<T> {
    /// This collection did not look.
    NotLookedAt,
    /// No settings name it.
    NotConfigured,
    /// It is configured and is not there.
    Absent {
        /// The name it was looked for under.
        name: String,
    },
    /// It is there and could not be read.
    Unreadable(Unreadable),
    /// It was read.
    Present(T),
}

impl<T> Reading<T> {
    /// The value, if it was read.
    pub fn present(&self) -> Option<&T> {
        match self {
            Reading::Present(value) => Some(value),
            Reading::NotLookedAt
            | Reading::NotConfigured
            | Reading::Absent { .. }
            | Reading::Unreadable(_) => None,
        }
    }
}

impl<T> Reading<T> {
    /// The trouble, if it is there and could not be read.
    pub fn unreadable(&self) -> Option<&Unreadable> {
        match self {
            Reading::Unreadable(unreadable) => Some(unreadable),
            Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } | Reading::Present(_) => {
                None
            }
        }
    }
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What was to be read, for a person: a path from the workspace, or `git`. Untrusted text.
    pub name: String,
    /// The kind of problem.
    pub problem: ReadProblem,
    /// The problem in words, with what to do where that is known. Untrusted text.
    pub detail: String,
}

/// The kinds of trouble with reading. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadProblem {
    /// A FIFO, device, socket or directory stands where a file should be.
    NotAFile,
    /// A symbolic link, in the file or in a directory on the way to it.
    Link,
    /// Larger than the cap.
    TooLarge,
    /// No permission, or another owner.
    Refused,
    /// It did not answer in time.
    TimedOut,
    /// Its content is not of the declared format.
    Invalid,
    /// It was being written; look again when it changes.
    HalfWritten,
    /// No repository is there.
    NoRepository,
    /// A format that neither reader understands.
    Unsupported,
    /// Any other failure of the system.
    Io,
}

/// A text file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Path from the workspace. Untrusted text.
    pub name: String,
    /// The content; invalid UTF-8 as U+FFFD. Untrusted.
    pub content: String,
    /// Size on disk in bytes.
    pub size: u64,
    /// True when only the head and the tail of a long file are in `content`.
    pub is_excerpt: bool,
    /// When it was last written.
    pub written_at: Timestamp,
}

/// What git says, and what it took to learn it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitObservation {
    /// The facts. `changes` is `None` when only `COMMITS` was asked for.
    pub facts: GitFacts,
    /// The top of the work tree.
    pub top: PathBuf,
    /// The git directory that all its work trees share.
    pub common_dir: PathBuf,
    /// The file of patterns that its configuration names, as it is written there.
    pub excludes_file: Option<PathBuf>,
    /// Where changes of it would show.
    pub watch_targets: Vec<WatchTarget>,
}

/// A plan file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// Path from the workspace. Untrusted text.
    pub name: String,
    /// Its steps in their order.
    pub steps: Vec<PlanStep>,
    /// When it was last written.
    pub written_at: Timestamp,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// What is to be done. Untrusted text.
    pub title: String,
    /// The status as written; only `done` is done. `None` when the step has none.
    pub status: Option<String>,
}

/// Whether a required file is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Path or pattern as configured.
    pub name: String,
    /// True when at least one regular, non-empty file matches.
    pub is_there: bool,
}

/// Test results of one or several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResults {
    /// The files. Untrusted text.
    pub names: Vec<String>,
    /// Tests that passed.
    pub n_passed: u64,
    /// Tests that failed or broke.
    pub n_failed: u64,
    /// Tests that were skipped.
    pub n_skipped: u64,
    /// Names of the first failing tests, at most ten. Untrusted text.
    pub failing: Vec<String>,
    /// When the oldest of the files was written.
    pub written_at: Timestamp,
}
