//! Test, build, lint and type-check runs, which `judge::runs` extracts from a session's turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What the runs of one task say together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsSummary {
    /// The last run of each check, in the order in which they ended.
    pub last: Vec<CheckRun>,
    /// The checks that are failing now: the last run of its kind, with no pass of the same or a wider check
    /// since.
    pub red: Vec<CheckRun>,
    /// Failing checks whose failures existed before the task's first edit: shown, but no NO.
    pub red_before: Vec<CheckRun>,
    /// A complete test run that passed with no edit after it: it proves the work.
    pub proof: Option<CheckRun>,
    /// The last edit in the task.
    pub last_edit: Option<StepMoment>,
    /// True if there were edits and no run after the last one.
    pub is_untested: bool,
    /// Commands that act outside the work tree and are known to have succeeded: push, merge, publish.
    pub acts: Vec<Arc<ActingRun>>,
    /// Commands that likely did so: their exit code is hidden and their lines say so, or their name.
    #[serde(skip)]
    pub likely_acts: Vec<Arc<ActingRun>>,
    /// The last such command, if it is known to have failed.
    #[serde(skip)]
    pub failed_act: Option<Arc<ActingRun>>,
    /// Commands without an end that were started: servers, watch modes.
    pub endless: Vec<Arc<str>>,
}

/// One run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    /// The tool's name in `checks.toml`, like `cargo test`.
    pub tool: String,
    /// What it checks.
    pub kind: CheckKind,
    /// The part of the command line that runs the check. Untrusted text.
    pub command: String,
    /// The folder it ran in, as far as the command line and the record say. Untrusted text.
    pub folder: Option<String>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// How the outcome is known.
    pub told_by: ToldBy,
    /// True if only part was run: named tests, one file, a filter.
    pub is_part: bool,
    /// Where and when it ran.
    pub moment: StepMoment,
    /// What was changed after it.
    pub edited_after: EditedAfter,
    /// True if it ran in a folder that does not hold all that write calls changed.
    #[serde(skip)]
    pub is_beside: bool,
    /// What failed, in the tool's own names; shortened, untrusted text.
    pub failing: Vec<String>,
    /// The tool's own closing summary, shortened; untrusted text.
    pub summary: Option<String>,
}

/// What was changed after a run. Any change ends what a pass proves; one of documents does not belie it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditedAfter {
    /// No file.
    Nothing,
    /// Documents alone, as far as write calls name what they change.
    Documents,
    /// Any file.
    Anything,
}

/// A command that acts outside the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActingRun {
    /// What the command does, like `push`.
    pub act: String,
    /// The part of the command line that does it. Untrusted text.
    pub command: String,
    /// Where and when it ran.
    pub moment: StepMoment,
}

/// A position in a session's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StepMoment {
    /// The position among the session's steps.
    pub order: u64,
    /// The time, if the record has it.
    pub at: Option<Timestamp>,
}

/// What a check checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Tests.
    #[default]
    Test,
    /// A build.
    Build,
    /// A linter, or a formatter in check mode.
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
    /// The tool could not start: it is missing, or its own environment is broken.
    CouldNotStart,
    /// Nothing was checked: no tests were found, or all were skipped.
    Empty,
    /// The outcome is not known.
    Unknown,
}

/// How the outcome of a run is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldBy {
    /// By the exit code, unmasked by the command line.
    ExitCode,
    /// By the tool's output.
    Summary,
    /// It is not known.
    Nothing,
}
