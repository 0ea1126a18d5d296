//! The decision chain as one record: the decision file, else the output (DESIGN.md 2.2, ranks 4, 7, 8). Must
//! not read files.

use crate::judge::GRACE_MS;
use crate::judge::decision::{
    self, Decision, DecisionFile, DecisionInput, DecisionRecord, FileContent, last_paragraph, own_voice,
};
use crate::model::{
    Claim, DecisionReason, DecisionReport, DecisionSource, Evidence, Fact, Observations, Origin, Point,
    Pointer, Provenance, ReadProblem, Reading, Reason, Rejection, Source, Strength, Timestamp,
};

use super::checks::unusable;
use super::context::{WeighContext, is_of_baseline};
use super::excerpt;

/// What the decision chain says.
pub(super) struct Said {
    pub(super) evidence: Evidence,
    pub(super) report: DecisionReport,
    /// Whether the file is still being written: its content is not known yet, and no round has ended.
    pub(super) is_half_written: bool,
    /// When the file was written.
    pub(super) written_at: Option<Timestamp>,
}

/// A text that may contain a decision, with its writer.
pub(super) struct Statement<'a> {
    pub(super) text: &'a str,
    /// What its writer is called.
    pub(super) from: &'a str,
    pub(super) provenance: Provenance,
}

/// Weighs the decision file together with `output`, the text that may contain a marker.
pub(super) fn weigh(
    observations: &Observations,
    output: Option<&Statement<'_>>,
    context: &WeighContext<'_>,
) -> Said {
    let (file, written_at) = match &observations.decision {
        Reading::Present(file) if is_of_baseline(observations, &file.name) => {
            let evidence = output.and_then(|output| beside(output, context)).unwrap_or_else(|| {
                let written = Origin::File.at(file.written_at);
                Evidence::abstain(Source::Decision, file.name.clone(), Rejection::Stale, written)
                    .because(Fact::OfBaseline)
            });
            let report = report(observations, Some(DecisionReason::StaleFile), context);
            return Said { evidence, report, is_half_written: false, written_at: None };
        }
        Reading::Present(file) => (Some(FileContent::Text(file.content.as_str())), Some(file.written_at)),
        Reading::Unreadable(unreadable) if unreadable.problem == ReadProblem::HalfWritten => {
            // Until the file is complete, no other channel may decide (SECURITY.md 1.3).
            let evidence = unusable(Source::Decision, unreadable);
            let report = report(observations, Some(DecisionReason::Unreadable), context);
            return Said { evidence, report, is_half_written: true, written_at: None };
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
    let text = own_voice(output.map_or("", |output| output.text));
    let file = file.map(|content| DecisionFile { content, age_before_check_ms });
    let mut record = decide(file, &text, context);
    let said_at = output.and_then(|output| output.provenance.moment.time());
    let is_news = written_at.zip(said_at).is_some_and(|(written_at, said_at)| written_at > said_at);
    if is_news && is_yes_despite_file(&record, observations) {
        record.has_verdict = false;
        record.source = DecisionSource::None;
    }
    let is_of_before = age_before_check_ms.is_some_and(|age| age > GRACE_MS);
    let written = written_at.map_or(Origin::File.as_read(), |written_at| Origin::File.at(written_at));
    let evidence = match (record.has_verdict, said_by(&record), output) {
        (true, Some(what), Some(output)) => said(&record, what, &text, output, context),
        (true, ..) => in_file(&record, file_name(observations), written),
        (false, ..) => undecided(&record, observations, is_of_before, written),
    };
    let report = DecisionReport {
        source: record.source,
        check_id_match: record.check_id_match,
        ..report(observations, record.reason, context)
    };
    Said { evidence, report, is_half_written: false, written_at }
}

/// Reports what became of the file, for when no channel decided.
fn report(
    observations: &Observations,
    reason: Option<DecisionReason>,
    context: &WeighContext<'_>,
) -> DecisionReport {
    let file = observations.decision.present();
    DecisionReport {
        expected: context.settings.check_id.clone(),
        found: file.and_then(|file| decision::found_id(&file.content)).map(|id| excerpt::reason(&id)),
        reason,
        ..DecisionReport::default()
    }
}

/// Reads a decision from a text outside the chain, such as the last message of another session.
pub(super) fn beside(statement: &Statement<'_>, context: &WeighContext<'_>) -> Option<Evidence> {
    let text = own_voice(statement.text);
    let record = decide(None, &text, context);
    let what = said_by(&record).filter(|_| record.has_verdict)?;
    Some(said(&record, what, &text, statement, context))
}

fn decide(file: Option<DecisionFile<'_>>, output: &str, context: &WeighContext<'_>) -> DecisionRecord {
    let check_id = context.settings.check_id.as_deref();
    decision::decide(&DecisionInput { file, worker_output: output, check_id, env_check_id: None })
}

/// What an output decides with; `None` if a file decides.
fn said_by(record: &DecisionRecord) -> Option<&'static str> {
    match record.source {
        DecisionSource::Marker => Some("marker"),
        DecisionSource::OutputJson => Some("JSON line"),
        DecisionSource::FileJson | DecisionSource::FileLegacy | DecisionSource::None => None,
    }
}

/// A decision that `statement` makes with `what`; `text` is what of it is in its writer's own voice.
fn said(
    record: &DecisionRecord,
    what: &str,
    text: &str,
    statement: &Statement<'_>,
    context: &WeighContext<'_>,
) -> Evidence {
    let from = statement.from;
    let provenance = statement.provenance.clone();
    // A YES counts only as the writer's last statement.
    let is_last = || decide(None, last_paragraph(text), context).has_verdict;
    if record.decision == Decision::Complete && !is_last() {
        return Evidence::abstain(
            Source::Marker,
            format!("marker in {from}"),
            Rejection::Undecided,
            provenance,
        )
        .because(Fact::MoreAfterComplete);
    }
    verdict(record, Source::Marker, format!("{what} in {from}"), provenance)
}

/// A decision from the file `name`.
fn in_file(record: &DecisionRecord, name: String, written: Provenance) -> Evidence {
    let is_of_check = record.check_id_match == Some(true);
    let source = if is_of_check { Source::DecisionWithId } else { Source::Decision };
    verdict(record, source, name, written)
}

fn verdict(record: &DecisionRecord, source: Source, name: String, provenance: Provenance) -> Evidence {
    let claim = match record.decision {
        Decision::Complete if !record.conflict => Claim::Yes,
        // A channel that contradicts itself counts as NO.
        Decision::Complete | Decision::Incomplete => Claim::No,
    };
    let mut evidence = Evidence::claim(source, name, claim, provenance);
    evidence.strength = Strength::SelfReported;
    evidence.reasons = record.reasons.iter().map(|reason| excerpt::reason(reason).into()).collect();
    evidence.points = record.fingerprints.iter().cloned().map(Point::Named).collect();
    if evidence.reasons.is_empty() {
        let said = match record.decision {
            Decision::Complete => Fact::SaysComplete,
            Decision::Incomplete => Fact::SaysIncomplete,
        };
        evidence.reasons.push(said.into());
    }
    if let Some(reason) = record.reason {
        evidence.reasons.push(Reason::FileNotUsed(reason));
    }
    if record.conflict {
        evidence.reasons.push(Fact::ChannelContradicts.into());
    }
    Evidence { pointer: Some(Box::new(Pointer { place: evidence.name.clone(), excerpt: None })), ..evidence }
}

/// Whether the output says complete and the decision file cannot be used. Where that file is newer, what it was
/// meant to say is unknown, and may take the output's word back.
fn is_yes_despite_file(record: &DecisionRecord, observations: &Observations) -> bool {
    let is_unusable = |reason| rejection(reason, observations) == Rejection::Unreadable;
    record.has_verdict && record.decision == Decision::Complete && record.reason.is_some_and(is_unusable)
}

fn undecided(
    record: &DecisionRecord,
    observations: &Observations,
    is_of_before: bool,
    written: Provenance,
) -> Evidence {
    if let Reading::Unreadable(unreadable) = &observations.decision {
        return unusable(Source::Decision, unreadable);
    }
    let reason = record.reason.unwrap_or(DecisionReason::NoDecision);
    let mut rejection = rejection(reason, observations);
    if rejection == Rejection::Unreadable && is_of_before {
        // Whatever it was meant to say concerned an earlier task.
        rejection = Rejection::Stale;
    }
    let name = file_name(observations);
    Evidence::abstain(Source::Decision, name, rejection, written).because(Reason::Decision(reason))
}

/// Why a file does not count. Unreadable means that it exists but its content cannot be used; one of another
/// check or an earlier task is readable. A file whose id is the name of a variable was meant for this check,
/// so it counts as unreadable.
fn rejection(reason: DecisionReason, observations: &Observations) -> Rejection {
    match reason {
        DecisionReason::CheckIdMismatch => Rejection::Foreign,
        DecisionReason::StaleFile => Rejection::Stale,
        DecisionReason::NoDecision => match &observations.decision {
            Reading::NotConfigured | Reading::NotLookedAt => Rejection::NotConfigured,
            Reading::Absent { .. } | Reading::Unreadable(_) | Reading::Present(_) => Rejection::Absent,
        },
        DecisionReason::CheckIdPlaceholder
        | DecisionReason::TooLarge
        | DecisionReason::Unreadable
        | DecisionReason::EmptyFile
        | DecisionReason::InvalidJson
        | DecisionReason::NotAnObject
        | DecisionReason::MissingDecision
        | DecisionReason::UnknownDecision
        | DecisionReason::NoMarkerInFile => Rejection::Unreadable,
    }
}

fn file_name(observations: &Observations) -> String {
    match &observations.decision {
        Reading::Present(file) => file.name.clone(),
        Reading::Unreadable(unreadable) => unreadable.name.clone(),
        Reading::Absent { name } => name.clone(),
        Reading::NotLookedAt | Reading::NotConfigured => "decision file".to_owned(),
    }
}
