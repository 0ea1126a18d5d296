//! The decision judge: what a decision file and the worker's output say about one check.
//!
//! Must not read files or the environment (it is given both), fail (any bytes yield a record), or take silence
//! for completion. The rules are those of `tests/vectors/decision.json`; each is named where it is applied.
//!
//! *Channel*: the file as JSON, the file as legacy text, a JSON line in the output, a marker in the output;
//! the first usable one decides. *Expected id*: the id of this check, which a decision must carry or at least
//! not contradict.

mod decoration;
mod fence;
mod file;
mod identity;
mod marker;
mod object;
mod output;
mod points;
mod record;
mod voice;
mod words;

pub use identity::found_id;
pub use record::{Decision, DecisionFile, DecisionInput, DecisionRecord, FileContent, MAX_FILE_BYTES};
pub use voice::{last_paragraph, own_voice};

use record::Ruling;

use crate::model::{DecisionReason, DecisionSource};

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

#[cfg(test)]
mod tests;
