//! What the decision judge is told and what it answers, as plain values. It reads nothing and decides nothing.

use serde::Serialize;

use crate::model::{DecisionReason, DecisionSource};

/// What the judge is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecisionInput<'a> {
    /// The decision file; none if there is no such file.
    pub file: Option<DecisionFile<'a>>,
    /// What the worker printed in this run. Untrusted text.
    pub worker_output: &'a str,
    /// The id of this check, if one was given.
    pub check_id: Option<&'a str>,
    /// The value of `AGENTCORE_COMPLETION_CHECK_ID`, used when `check_id` is missing or blank.
    pub env_check_id: Option<&'a str>,
}

/// A decision file that exists.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFile<'a> {
    /// What its reader got of it.
    pub content: FileContent<'a>,
    /// How long before the start of the check it was written, in milliseconds; negative if afterwards, none if that
    /// is unknown (it then counts as fresh).
    pub age_before_check_ms: Option<i64>,
}

/// The content of a decision file.
#[derive(Debug, Clone, Copy)]
pub enum FileContent<'a> {
    /// The text. Untrusted.
    Text(&'a str),
    /// Larger than the reader's cap, and not read.
    TooLarge,
    /// No regular file, no permission, no UTF-8.
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

/// The answer of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionRecord {
    /// The decision; `Incomplete` when nothing decided.
    pub decision: Decision,
    /// The channel that decided.
    pub source: DecisionSource,
    /// Whether the id in the file is the expected one, also when the output decided; none if nothing could be
    /// compared.
    pub check_id_match: Option<bool>,
    /// Why the file was not used; none if it decided, or if the output decided and there was no file.
    pub reason: Option<DecisionReason>,
    /// Two verdicts of the deciding channel differ, or the output says the opposite of the file.
    pub conflict: bool,
    /// The reasons that the deciding object gives: at most 200 of at most 240 characters. Untrusted text.
    pub reasons: Vec<String>,
    /// Its fingerprints, under the same limits. Untrusted text.
    pub fingerprints: Vec<String>,
    /// True if some channel decided; false makes `decision` a default.
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
