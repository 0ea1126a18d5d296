//! What a collection found: the raw readings of each part, unjudged.

use std::path::PathBuf;

use super::{Baseline, GitFacts, Parts, SessionObservation, Timestamp, WatchTarget};

/// What one collection found in one workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observations {
    /// The parts that were read; fields of other parts are `NotLookedAt`.
    pub parts: Parts,
    /// When the collection began.
    pub taken_at: Timestamp,
    /// When the user last wrote to the agent, as an earlier collection knew it.
    pub prompted_at: Option<Timestamp>,
    /// The baseline commit's time, if it tells when the work began. HEAD at the first sight of a workspace does not: its
    /// work may already be in that commit.
    pub baseline_at: Option<Timestamp>,
    /// Anything written before this time belongs to an earlier task. Found by the judge.
    pub task_started_at: Option<Timestamp>,
    /// The files from the settings whose content equals that in the baseline's commit.
    pub of_baseline: Vec<String>,
    /// Git: commits and, if `CHANGES` was requested, the work tree.
    pub git: Reading<GitObservation>,
    /// The decision file.
    pub decision: Reading<TextFile>,
    /// The SHA-256 of the whole decision file in hexadecimal, if it was read.
    pub decision_digest: Option<String>,
    /// The declared outputs, in the order of the settings.
    pub outputs: Vec<Reading<TextFile>>,
    /// The closer's report.
    pub closer: Reading<TextFile>,
    /// The plan files that exist, in the order of the settings.
    pub plans: Vec<Reading<PlanFile>>,
    /// The required files.
    pub files: Reading<Vec<FileCheck>>,
    /// Test results, all result files combined.
    pub tests: Reading<TestResults>,
    /// The test results named by checks, by check.
    pub check_tests: Vec<(String, Reading<TestResults>)>,
    /// The newest session of an agent in this workspace.
    pub session: Reading<SessionObservation>,
    /// The earlier sessions, newest first.
    pub other_sessions: Vec<SessionObservation>,
    /// How many further sessions of the last day were not read: there are too many.
    pub n_unread_sessions: usize,
    /// A session's record that cannot be read, beside those that can.
    pub unreadable_session: Option<Unreadable>,
    /// Files that sessions wrote or prompts name, that are there and that git ignores, from the top: no commit will hold
    /// them. Read with the sessions. Untrusted text.
    pub ignored: Vec<String>,
    /// Files that prompts name, that are not there, and of whose name nothing was written. Read with the checks. Untrusted
    /// text.
    pub absent: Vec<String>,
    /// Where changes of what was read would be visible.
    pub watch_targets: Vec<WatchTarget>,
    /// The baseline to keep, if this collection found a new one.
    pub new_baseline: Option<Baseline>,
    /// When to look again, because a source that reports no changes may say more by then.
    pub recheck_at: Option<Timestamp>,
}

impl Observations {
    /// All sessions that were read, the newest first.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionObservation> {
        self.session.present().into_iter().chain(&self.other_sessions)
    }
}

/// The reading of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reading<T> {
    /// This collection did not read it.
    #[default]
    NotLookedAt,
    /// No setting names it.
    NotConfigured,
    /// It is configured but does not exist.
    Absent {
        /// The name under which it was expected.
        name: String,
    },
    /// It exists but could not be read.
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
    /// The problem, if it exists and could not be read.
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
    /// What should have been read, for the user: a path relative to the workspace, or `git`. Untrusted text.
    pub name: String,
    /// The kind of problem.
    pub problem: ReadProblem,
    /// The problem in words, with a remedy if one is known. Untrusted text.
    pub detail: String,
}

/// Why reading failed: a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadProblem {
    /// Not a regular file but a FIFO, device, socket or directory.
    NotAFile,
    /// A symbolic link: the file itself or a directory on the way to it.
    Link,
    /// Larger than the limit.
    TooLarge,
    /// No permission, or another owner.
    Refused,
    /// It did not answer in time.
    TimedOut,
    /// Its content does not have the declared format.
    Invalid,
    /// It was being written; read it again when it changes.
    HalfWritten,
    /// There is no repository.
    NoRepository,
    /// A format that neither git reader understands.
    Unsupported,
    /// Any other system error.
    Io,
}

/// A text file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Path relative to the workspace. Untrusted text.
    pub name: String,
    /// The content, with U+FFFD for invalid UTF-8. Untrusted.
    pub content: String,
    /// Size on disk in bytes.
    pub size: u64,
    /// True if `content` holds only the head and the tail of a long file.
    pub is_excerpt: bool,
    /// When it was last written.
    pub written_at: Timestamp,
}

/// What git reports, and where it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitObservation {
    /// The facts. `changes` is `None` if only `COMMITS` was requested.
    pub facts: GitFacts,
    /// The root of the work tree.
    pub top: PathBuf,
    /// The git directory shared by all its work trees.
    pub common_dir: PathBuf,
    /// The excludes file from the git configuration, as written there.
    pub excludes_file: Option<PathBuf>,
    /// Where changes of it would be visible.
    pub watch_targets: Vec<WatchTarget>,
}

/// A plan file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// Path relative to the workspace. Untrusted text.
    pub name: String,
    /// Its steps, in order.
    pub steps: Vec<PlanStep>,
    /// The open steps that it had in the baseline's commit, if nobody chose it and it is otherwise now.
    pub backlog: Vec<PlanStep>,
    /// When it was last written.
    pub written_at: Timestamp,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// The task of the step. Untrusted text.
    pub title: String,
    /// The status as written; only `done` counts as done. `None` if the step has none.
    pub status: Option<String>,
}

/// Whether a required file exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// The path or pattern as configured.
    pub name: String,
    /// The regular, non-empty files that match, from the workspace, only a few of many. Untrusted text.
    pub found: Vec<String>,
    /// True if the file of this very name is there and has no content.
    pub is_empty: bool,
    /// Why there may be one although none was found; `None` if all were looked at.
    pub not_seen: Option<String>,
}

/// Test results from one or more files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestResults {
    /// The files. Untrusted text.
    pub names: Vec<String>,
    /// Tests that passed.
    pub n_passed: u64,
    /// Tests that failed or broke.
    pub n_failed: u64,
    /// Tests that were skipped.
    pub n_skipped: u64,
    /// Names of the first failing tests, ten at most. Untrusted text.
    pub failing: Vec<String>,
    /// The files that are required by name and in which no test ran. Untrusted text.
    pub empty: Vec<String>,
    /// When the oldest of the files was last written.
    pub written_at: Timestamp,
}
