//! The input and the answer of the decision judge as plain values. Must not read or decide anything.

use serde::Serialize;

use crate::model::{DecisionReason, DecisionSource};

/// The input of the judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecisionInput<'a> {
    /// The decision file; `None` if there is none.
    pub file: Option<DecisionFile<'a>>,
    /// What the worker printed during this run. Untrusted.
    pub worker_output: &'a str,
    /// The id of this check, if one was given.
    pub check_id: Option<&'a str>,
    /// The value of `AGENTCORE_COMPLETION_CHECK_ID`, used if `check_id` is missing or blank.
    pub env_check_id: Option<&'a str>,
}

/// A decision file that exists.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFile<'a> {
    /// What could be read of it.
    pub content: FileContent<'a>,
    /// How many milliseconds before the start of the check it was written; negative if it was written
    /// afterwards. `None` if unknown, in which case it counts as fresh.
    pub age_before_check_ms: Option<i64>,
}

/// The content of a decision file.
#[derive(Debug, Clone, Copy)]
pub enum FileContent<'a> {
    /// The text. Untrusted.
    Text(&'a str),
    /// Larger than the reader's limit, and so not read.
    TooLarge,
    /// Not a regular file, not permitted, or not UTF-8.
    Unreadable,
}

/// The largest text that is read, in bytes (rule 3).
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// The two values of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The work is done.
    Complete,
    /// The work is not done, or nothing says that it is.
    Incomplete,
}

/// The judge's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionRecord {
    /// The decision; `Incomplete` if nothing decided.
    pub decision: Decision,
    /// The channel that decided.
    pub source: DecisionSource,
    /// Whether the id in the file is the expected one, even if the output decided; `None` if there was
    /// nothing to compare.
    pub check_id_match: Option<bool>,
    /// Why the file was not used; `None` if it decided, or if the output decided and there was no file.
    pub reason: Option<DecisionReason>,
    /// Whether two verdicts of the deciding channel differ, or the output contradicts the file.
    pub conflict: bool,
    /// The reasons given by the deciding object, or beside the deciding marker: at most 200, each of at most 240 characters. Untrusted.
    pub reasons: Vec<String>,
    /// Its fingerprints, within the same limits. Untrusted.
    pub fingerprints: Vec<String>,
    /// Whether some channel decided; otherwise `decision` is only a default.
    pub has_verdict: bool,
}

/// What one channel says.
#[derive(Debug, Clone)]
pub(super) struct Ruling {
    pub(super) decision: Decision,
    pub(super) source: DecisionSource,
    pub(super) has_conflict: bool,
    pub(super) reasons: Vec<String>,
    pub(super) fingerprints: Vec<String>,
}
