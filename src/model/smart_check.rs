//! The answers of probes and the results of smart checks, as plain values. The rules are in `judge`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::VerdictState;

/// What a probe says, as far as it decides something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeReading {
    /// An answer with a known status.
    Answered(ProbeWord),
    /// No usable answer.
    Failed(ProbeFailure),
}

/// The status after rule 2: what else is in the answer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeWord {
    /// Done, with neither agents nor tasks left.
    Complete,
    /// Background agents run.
    Waiting,
    /// At work.
    Working,
}

/// Why a probe has no usable answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeFailure {
    /// No answer in time.
    Timeout,
    /// It could not be started.
    SpawnError,
    /// No object with a `status`.
    Unreadable,
    /// A `status` that is none of the three words, or two answers that differ.
    UnknownStatus,
    /// The client, or the model's service behind it, said that it failed.
    ClientError,
    /// Files of the workspace changed while it was asked, so that its answer is not used.
    ChangedFiles,
}

/// How a smart check ended. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartStatus {
    /// There are commits since the baseline.
    CommitsCreated,
    /// The agent is done and a rescue committed its changes.
    Rescued,
    /// The agent is done, and nothing was left to commit.
    NothingToDo,
    /// The rounds are used up.
    Timeout,
    /// The rounds are used up and no probe was answered.
    ProbeError,
    /// The agent says that it is done, and git cannot confirm it.
    GitError,
}

/// The result of a smart check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartOutcome {
    /// How it ended.
    pub status: SmartStatus,
    /// Whether the work is done.
    pub complete: bool,
    /// Probes sent.
    pub probes_used: u32,
    /// Waits made.
    pub waits: u32,
    /// A rescue made at least one commit.
    pub rescued: bool,
    /// What the status means for the workspace.
    pub verdict: VerdictState,
    /// Whether uncommitted changes are left, as far as they were looked at at the end.
    pub changes_left: Option<bool>,
}
