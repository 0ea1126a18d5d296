//! The decision chain as one record: the file, else the output (DESIGN.md 2.2, ranks 4, 7, 8).

use crate::judge::decision::{
    self, Decision, DecisionFile, DecisionInput, DecisionReason, DecisionRecord, DecisionSource, FileContent,
};
use crate::model::{
    Claim, Evidence, Observations, Pointer, ReadProblem, Reading, Rejection, Source, Strength, Timestamp,
};

use super::{WeighContext, excerpt};

/// What the decision chain says, and whether its file is there and cannot be used (R4).
pub(super) struct Said {
    pub(super) evidence: Evidence,
    pub(super) is_unreadable: bool,
    /// When the file was written.
    pub(super) written_at: Option<Timestamp>,
}

/// Weighs the decision file with `output`, the text in which a marker may stand.
pub(super) fn weigh(observations: &Observations, output: &str, scales: &WeighContext<'_>) -> Said {
    let (file, written_at) = match &observations.decision {
        Reading::Present(file) => (Some(FileContent::Text(file.content.as_str())), Some(file.written_at)),
        Reading::Unreadable(unreadable) if unreadable.problem == ReadProblem::HalfWritten => {
            // It is being written: no other channel may decide before it is whole (SECURITY.md 1.3).
            let evidence =
                Evidence::abstain(Source::Decision, unreadable.name.clone(), Rejection::Unreadable)
                    .because(unreadable.detail.clone());
            return Said { evidence, is_unreadable: false, written_at: None };
        }
        Reading::Unreadable(unreadable) if unreadable.problem == ReadProblem::TooLarge => {
            (Some(FileContent::TooLarge), None)
        }
        Reading::Unreadable(_) => (Some(FileContent::Unreadable), None),
        Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } => (None, None),
    };
    let age_before_check_ms = written_at
        .zip(observations.task_started_at)
        .map(|(written_at, started_at)| started_at.millis_since(written_at));
    let record = decision::decide(&DecisionInput {
        file: file.map(|content| DecisionFile { content, age_before_check_ms }),
        worker_output: output,
        check_id: scales.settings.check_id.as_deref(),
        env_check_id: None,
    });
    let evidence =
        if record.has_verdict { verdict(&record, observations) } else { undecided(&record, observations) };
    let is_unreadable = file.is_some()
        && record.reason.is_some_and(|reason| rejection(reason, observations) == Rejection::Unreadable);
    Said { evidence: evidence.at(written_at), is_unreadable, written_at }
}

fn verdict(record: &DecisionRecord, observations: &Observations) -> Evidence {
    let claim = match record.decision {
        Decision::Complete => Claim::Yes,
        Decision::Incomplete => Claim::No,
    };
    let (source, name) = match record.source {
        DecisionSource::FileJson | DecisionSource::FileLegacy if record.check_id_match == Some(true) => {
            (Source::DecisionWithId, file_name(observations))
        }
        DecisionSource::FileJson | DecisionSource::FileLegacy | DecisionSource::None => {
            (Source::Decision, file_name(observations))
        }
        DecisionSource::Marker => (Source::Marker, "marker in the output".to_owned()),
        DecisionSource::OutputJson => (Source::Marker, "JSON line in the output".to_owned()),
    };
    let mut evidence = Evidence { strength: Strength::SelfReported, ..Evidence::claim(source, name, claim) };
    evidence.reasons = record.reasons.iter().map(|reason| excerpt::reason(reason)).collect();
    evidence.fingerprints.clone_from(&record.fingerprints);
    if evidence.reasons.is_empty() {
        let said = match record.decision {
            Decision::Complete => "it says complete",
            Decision::Incomplete => "it says incomplete",
        };
        evidence.reasons.push(said.to_owned());
    }
    if let Some(reason) = record.reason {
        evidence.reasons.push(format!("the decision file was not used: {}", label(reason)));
    }
    if record.conflict {
        evidence.reasons.push("something else in the same channel says the opposite".to_owned());
    }
    Evidence { pointer: Some(Pointer { place: evidence.name.clone(), excerpt: None }), ..evidence }
}

fn undecided(record: &DecisionRecord, observations: &Observations) -> Evidence {
    let name = file_name(observations);
    let reason = record.reason.unwrap_or(DecisionReason::NoDecision);
    if let Reading::Unreadable(unreadable) = &observations.decision {
        return Evidence::abstain(Source::Decision, name, Rejection::Unreadable)
            .because(unreadable.detail.clone());
    }
    Evidence::abstain(Source::Decision, name, rejection(reason, observations)).because(label(reason))
}

/// Why a file does not count. Unreadable is one that is there and whose content cannot be used; one of
/// another check or of an earlier task is readable.
fn rejection(reason: DecisionReason, observations: &Observations) -> Rejection {
    match reason {
        DecisionReason::CheckIdMismatch | DecisionReason::CheckIdPlaceholder => Rejection::Foreign,
        DecisionReason::StaleFile => Rejection::Stale,
        DecisionReason::NoDecision => match &observations.decision {
            Reading::NotConfigured | Reading::NotLookedAt => Rejection::NotConfigured,
            Reading::Absent { .. } | Reading::Unreadable(_) | Reading::Present(_) => Rejection::Absent,
        },
        DecisionReason::TooLarge
        | DecisionReason::Unreadable
        | DecisionReason::EmptyFile
        | DecisionReason::InvalidJson
        | DecisionReason::NotAnObject
        | DecisionReason::MissingDecision
        | DecisionReason::UnknownDecision
        | DecisionReason::NoMarkerInFile => Rejection::Unreadable,
    }
}

/// What was expected and what was found.
fn label(reason: DecisionReason) -> String {
    let words = match reason {
        DecisionReason::TooLarge => "it is larger than 1 MiB",
        DecisionReason::Unreadable => "it is no readable file",
        DecisionReason::EmptyFile => "it is empty",
        DecisionReason::InvalidJson => "expected a JSON object with `decision`, found broken JSON",
        DecisionReason::NotAnObject => "expected a JSON object with `decision`, found other JSON",
        DecisionReason::MissingDecision => "expected a string `decision`, found none",
        DecisionReason::UnknownDecision => "`decision` is neither complete nor incomplete",
        DecisionReason::CheckIdMismatch => "it carries the id of another check",
        DecisionReason::CheckIdPlaceholder => "its check id is the name of a variable, not its value",
        DecisionReason::StaleFile => "it is older than the task",
        DecisionReason::NoMarkerInFile => "it is text without a verdict",
        DecisionReason::NoDecision => "no decision",
    };
    words.to_owned()
}

fn file_name(observations: &Observations) -> String {
    match &observations.decision {
        Reading::Present(file) => file.name.clone(),
        Reading::Unreadable(unreadable) => unreadable.name.clone(),
        Reading::Absent { name } => name.clone(),
        Reading::NotLookedAt | Reading::NotConfigured => "decision file".to_owned(),
    }
}
