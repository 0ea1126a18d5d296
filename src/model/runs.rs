//! Test, build, lint and type-check runs, as `judge::runs` reads them out of a session's turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What the runs of one task say together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsSummary {
    /// The last run of each check, in the order in which they ended.
    pub last: Vec<CheckRun>,
    /// The checks that are red now: each the last run of its kind, and no same or wider one passed since.
    pub red: Vec<CheckRun>,
    /// Red checks whose failures are those of before the task's first edit: shown, and no NO.
    pub red_before: Vec<CheckRun>,
    /// A whole run of the tests that passed with no edit after it: it proves the work.
    pub proof: Option<CheckRun>,
    /// The last edit in the task.
    pub last_edit: Option<StepMoment>,
    /// True when there were edits, and no run after the last of them.
    pub is_untested: bool,
    /// Commands that act outside the tree and are known to have succeeded: push, merge, publish.
    pub acts: Vec<Arc<ActingRun>>,
    /// Commands without an end that were started: servers, watch modes.
    pub endless: Vec<Arc<str>>,
    /// True when runs may be missing, since steps of the history are.
    pub is_partial: bool,
}

/// One run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    /// The tool by the name in `checks.toml`, like `cargo test`.
    pub tool: String,
    /// What it checks.
    pub kind: CheckKind,
    /// The part of the command line that runs it. Untrusted text.
    pub command: String,
    /// The folder it ran in, as far as the command line and the record tell. Untrusted text.
    pub folder: Option<String>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// How that is known.
    pub told_by: ToldBy,
    /// True when only a part was run: named tests, one file, a filter.
    pub is_part: bool,
    /// Where and when it ran.
    pub moment: StepMoment,
    /// True when files were changed after it.
    pub is_edited_after: bool,
    /// What failed, as the tool names it; shortened, untrusted text.
    pub failing: Vec<String>,
    /// The tool's own last word on it, shortened; untrusted text.
    pub summary: Option<String>,
}

/// A command that acts outside the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActingRun {
    /// What it does, like `push`.
    pub act: String,
    /// The part of the command line that does it. Untrusted text.
    pub command: String,
    /// Where and when it ran.
    pub moment: StepMoment,
}

/// A place in a session's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StepMoment {
    /// The place among the steps of the session.
    pub order: u64,
    /// When, where the record tells.
    pub at: Option<Timestamp>,
}

/// What a check checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Tests.
    Test,
    /// A build.
    Build,
    /// A linter, or a formatter that only looks.
    Lint,
    /// A type check.
    Types,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// Everything that was run passed.
    Passed,
    /// Something failed.
    Failed,
    /// The tool could not start: it is not there, or its own environment is broken.
    CouldNotStart,
    /// Nothing was checked: no tests were found, or all were skipped.
    Empty,
    /// Nobody can tell.
    Unknown,
}

/// How the outcome of a run is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldBy {
    /// By the exit code, which nothing hides.
    ExitCode,
    /// By what the tool printed.
    Summary,
    /// It is not known.
    Nothing,
}
