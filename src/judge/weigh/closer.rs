//! The closer's report, a file, as evidence. Must not read files. What a closer that closeout asked answers is in `asked`.

use crate::judge::closer::{self, CloserAnswer, CloserReport};
use crate::model::{
    Checklist, ChecklistItem, Claim, Evidence, Fact, ItemState, Observations, Origin, Parts, Point, Pointer,
    Reading, Reason, Rejection, Source, Strength, TextFile,
};

use super::checks::{aged, unusable};
use super::context::{EvidenceSet, is_of_baseline, is_stale};
use super::excerpt;

/// Weighs the report, and keeps its checklist for the fronts.
pub(super) fn weigh(observations: &Observations, evidence_set: &mut EvidenceSet) {
    let read = Origin::File.as_read();
    let evidence = match &observations.closer {
        Reading::Present(file) if is_of_baseline(observations, &file.name) => {
            let written = Origin::File.at(file.written_at);
            Evidence::abstain(Source::Closer, file.name.clone(), Rejection::Stale, written)
                .because(Fact::OfBaseline)
        }
        Reading::Present(file) => {
            let report = closer::read(CloserAnswer::Raw(&file.content));
            if !report.checklist.is_empty() {
                evidence_set.checklists.push((Parts::CHECKS, checklist(file, &report)));
            }
            let is_stale = is_stale(observations, file.written_at);
            let evidence = evidence_of(file, &report);
            if is_stale && evidence.is_unreadable_report() {
                // Whatever it was meant to say concerned an earlier task.
                evidence.rejected(Rejection::Stale, Fact::BeforeTask)
            } else {
                aged(evidence, is_stale)
            }
        }
        Reading::Unreadable(unreadable) => unusable(Source::Closer, unreadable),
        Reading::Absent { name } => {
            Evidence::abstain(Source::Closer, name.clone(), Rejection::Absent, read).because(Fact::NoReport)
        }
        Reading::NotConfigured => Evidence::abstain(Source::Closer, "closer", Rejection::NotConfigured, read),
        Reading::NotLookedAt => return,
    };
    evidence_set.add(Parts::CHECKS, evidence);
}

fn evidence_of(file: &TextFile, report: &CloserReport) -> Evidence {
    let written = Origin::File.at(file.written_at);
    if let Some(error) = report.error {
        let code = serde_json::to_value(error).ok().and_then(|code| code.as_str().map(str::to_owned));
        return Evidence::abstain(Source::Closer, file.name.clone(), Rejection::Unreadable, written)
            .because(Reason::UnusableReport(code.unwrap_or_default()));
    }
    let claim = if report.complete { Claim::Yes } else { Claim::No };
    let mut evidence = Evidence::claim(Source::Closer, file.name.clone(), claim, written);
    evidence.strength = Strength::SelfReported;
    let pending = || report.pending_actions.iter().map(|action| excerpt::reason(action));
    evidence.reasons = pending().map(Reason::Words).collect();
    if !report.complete {
        evidence.points = pending().map(Point::Pending).collect();
    }
    if report.conflict {
        evidence.reasons.push(Fact::ReportContradicts.into());
    }
    if !report.complete && evidence.reasons.is_empty() {
        evidence.reasons.push(Reason::Unconfirmed(report.confidence_percent()));
    }
    if report.complete {
        evidence.reasons.push(Reason::AllCompleted(report.checklist.len()));
    }
    Evidence {
        pointer: Some(Box::new(Pointer {
            place: file.name.clone(),
            excerpt: report.summary.as_deref().map(excerpt::reason),
        })),
        ..evidence
    }
}

fn checklist(file: &TextFile, report: &CloserReport) -> Checklist {
    let items = report
        .checklist
        .iter()
        .map(|item| ChecklistItem {
            title: excerpt::reason(&item.description),
            state: if item.completed { ItemState::Done } else { ItemState::Open },
            evidence: item.evidence.as_deref().map(excerpt::reason),
        })
        .collect();
    Checklist { from: file.name.clone(), items }
}
