//! The decision judge: what a decision file and the worker's output say about one check.
//!
//! Must not: read files or the environment (it is handed both), fail (any bytes in, a record out), or take silence
//! for completion. The rules are those of `tests/vectors/decision.json`; each is named where it is applied.
//!
//! *Channel*: file as JSON, file as legacy text, JSON line in the output, marker in the output; the first that can be
//! used decides. *Expected id*: the id of this check, which a decision has to carry or at least not contradict.

mod decoration;
mod fence;
mod file;
mod identity;
mod marker;
mod output;
mod points;
mod voice;
mod words;

pub use voice::{last_paragraph, own_voice};

use serde::Serialize;
use serde_json::{Map, Value};

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

/// The channel that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionSource {
    /// An object in the decision file.
    FileJson,
    /// A word in the decision file.
    FileLegacy,
    /// A word in the output.
    Marker,
    /// An object on a line of the output.
    OutputJson,
    /// Nothing decided.
    None,
}

/// Why the decision file was not used, or that nothing was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionReason {
    /// More than [`MAX_FILE_BYTES`].
    TooLarge,
    /// The file could not be read as text.
    Unreadable,
    /// Nothing visible in the file.
    EmptyFile,
    /// It begins like JSON and is none, repeats a key, or nests deeper than 32 levels.
    InvalidJson,
    /// JSON, but a list.
    NotAnObject,
    /// No `decision`, or not a string.
    MissingDecision,
    /// A `decision` that is none of the five words.
    UnknownDecision,
    /// The id of another check.
    CheckIdMismatch,
    /// The id is the name of a variable that was not expanded.
    CheckIdPlaceholder,
    /// Written before the check, and no id that says otherwise.
    StaleFile,
    /// Text without a verdict.
    NoMarkerInFile,
    /// No file, and nothing in the output.
    NoDecision,
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
struct Ruling {
    decision: Decision,
    source: DecisionSource,
    has_conflict: bool,
    reasons: Vec<String>,
    fingerprints: Vec<String>,
}

/// Judges one check. Total, and linear in its input.
pub fn decide(input: &DecisionInput<'_>) -> DecisionRecord {
    let expected = identity::expected(input.check_id, input.env_check_id);
    let output = output::read(input.worker_output, expected);
    let Some(file) = input.file else {
        return match output {
            Some(ruling) => record(ruling, None, None),
            None => undecided(None, DecisionReason::NoDecision),
        };
    };
    let reading = file::read(&file, expected);
    match (reading.ruling, output) {
        (Ok(mut ruling), output) => {
            // Rule 9.
            ruling.has_conflict |= output.is_some_and(|output| output.decision != ruling.decision);
            record(ruling, reading.check_id_match, None)
        }
        (Err(reason), Some(ruling)) => record(ruling, reading.check_id_match, Some(reason)),
        (Err(reason), None) => undecided(reading.check_id_match, reason),
    }
}

fn record(ruling: Ruling, check_id_match: Option<bool>, reason: Option<DecisionReason>) -> DecisionRecord {
    DecisionRecord {
        decision: ruling.decision,
        source: ruling.source,
        check_id_match,
        reason,
        conflict: ruling.has_conflict,
        reasons: ruling.reasons,
        fingerprints: ruling.fingerprints,
        has_verdict: true,
    }
}

fn undecided(check_id_match: Option<bool>, reason: DecisionReason) -> DecisionRecord {
    DecisionRecord {
        decision: Decision::Incomplete,
        source: DecisionSource::None,
        check_id_match,
        reason: Some(reason),
        conflict: false,
        reasons: Vec::new(),
        fingerprints: Vec::new(),
        has_verdict: false,
    }
}

/// Rule 4: the value of `decision`. Blanks around it do not matter, anything else does.
fn decision_of(object: &Map<String, Value>) -> Result<Decision, DecisionReason> {
    let word = object.get("decision").and_then(Value::as_str).ok_or(DecisionReason::MissingDecision)?;
    marker::whole_word(word.trim()).ok_or(DecisionReason::UnknownDecision)
}

/// Keys of an object beside `decision` that say whether the work is done.
const FLAGS: [&str; 8] =
    ["complete", "completed", "is_complete", "isComplete", "all_complete", "allComplete", "done", "finished"];
/// Keys whose value can be a word of decision.
const WORDS: [&str; 4] = ["status", "state", "verdict", "result"];

/// Whether another key of the object says the opposite of its decision.
fn contradicts_itself(object: &Map<String, Value>, decision: Decision) -> bool {
    let is_other = |complete: bool| complete != (decision == Decision::Complete);
    FLAGS.iter().filter_map(|key| object.get(*key)?.as_bool()).any(is_other)
        || WORDS
            .iter()
            .filter_map(|key| marker::whole_word(object.get(*key)?.as_str()?.trim()))
            .any(|word| word != decision)
}

#[cfg(test)]
mod tests;
