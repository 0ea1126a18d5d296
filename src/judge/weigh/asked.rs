//! An agent's answers to closeout's own questions as evidence: its status (rank 9), and the closer's
//! checklist (rank 6).
//!
//! Must not make more of an answer than what the agent says about itself. The caller knows whether the answer
//! still describes the present.

use crate::model::{
    Claim, Evidence, Fact, Opinion, OpinionReading, Origin, Point, Pointer, ProbeFailure, ProbeReading,
    ProbeWord, Reason, Rejection, SmartReport, Source, Strength, Timestamp, VerifyReport,
};
use crate::present::reason;

use super::excerpt;

/// How long an agent's word that it waits for background work is believed, in milliseconds: nothing else shows that work.
pub const LONGEST_WAIT_MS: i64 = 10 * 60_000;

/// The evidence of a smart check's last probe; `None` if no probe was sent or the last one is still running.
pub fn probe(report: &SmartReport, is_stale: bool, now: Timestamp) -> Option<Evidence> {
    let attempt = report.attempts.last()?;
    let reading = attempt.reading?;
    let name = report.session.as_ref().map_or_else(String::new, |session| session.agent.clone());
    let answered = Origin::Answer.at(report.at);
    let evidence = match reading {
        _ if is_stale => {
            Evidence::abstain(Source::Probe, name, Rejection::Stale, answered).because(Fact::BeforeTurn)
        }
        ProbeReading::Answered(ProbeWord::Waiting) if now.millis_since(report.at) >= LONGEST_WAIT_MS => {
            Evidence::abstain(Source::Probe, name, Rejection::Stale, answered).because(Fact::ProbeWaitedLong)
        }
        ProbeReading::Answered(word) => {
            let (claim, said) = match word {
                ProbeWord::Complete => (Claim::Yes, Fact::ProbeComplete),
                ProbeWord::Waiting => (Claim::Wait, Fact::ProbeWaiting),
                // It was asked because it had stopped working, so what is left is open.
                ProbeWord::Working => (Claim::No, Fact::ProbeWorking),
            };
            Evidence::claim(Source::Probe, name, claim, answered).because(said)
        }
        ProbeReading::Failed(failure) => {
            let rejection = match failure {
                ProbeFailure::UnknownStatus => Rejection::Undecided,
                ProbeFailure::Timeout
                | ProbeFailure::SpawnError
                | ProbeFailure::Unreadable
                | ProbeFailure::ClientError
                | ProbeFailure::ChangedFiles => Rejection::Unreadable,
            };
            Evidence::abstain(Source::Probe, name, rejection, answered).because(Reason::ProbeFailed(failure))
        }
    };
    let words = attempt.detail.as_deref().map(excerpt::reason);
    let excerpt = attempt.answer.as_deref().map(excerpt::reason);
    let place = format!("probe {} of a smart check", attempt.number);
    let mut evidence = Evidence {
        strength: Strength::SelfReported,
        pointer: Some(Box::new(Pointer { place, excerpt })),
        ..evidence
    };
    evidence.reasons.extend(words.filter(|_| !is_stale).map(Reason::Words));
    if evidence.claim == Claim::No {
        let pending = attempt.said.iter().flat_map(|said| &said.tasks_pending);
        evidence.points = pending.map(|task| Point::Pending(excerpt::reason(task))).collect();
    }
    Some(evidence)
}

/// The evidence of a second model's reading of words that closeout is uncertain about. It can only add a
/// question or an open point: words that look complete say nothing for the work.
pub fn opinion(opinion: &Opinion) -> Evidence {
    let name = format!("read by {}", opinion.by);
    let quote = excerpt::reason(&opinion.quote);
    let (claim, why) = match opinion.reading {
        OpinionReading::Asks => (Claim::Ask, quote.into()),
        OpinionReading::Unfinished => (Claim::No, quote.into()),
        OpinionReading::Finished => (Claim::Abstain(Rejection::Undecided), Reason::from(Fact::NothingOpen)),
    };
    let evidence = Evidence::claim(Source::LastWords, name, claim, Origin::Answer.at(opinion.at));
    Evidence { strength: Strength::Guess, ..evidence.because(why) }
}

/// The evidence of the closer's answer.
///
/// `n_commits_since` is how many commits of the work came after it. They do not
/// invalidate the answer, but are mentioned.
pub fn closer(report: &VerifyReport, is_stale: bool, n_commits_since: usize) -> Evidence {
    let name = format!("asked of {}", report.asked_of.as_ref().unwrap_or(&report.session.agent));
    let answered = Origin::Answer.at(report.at);
    let evidence = if let Some(error) = &report.error {
        Evidence::abstain(Source::Closer, name, Rejection::Unreadable, answered)
            .because(excerpt::reason(error))
    } else if report.is_complete && is_stale {
        Evidence::abstain(Source::Closer, name, Rejection::Stale, answered).because(Fact::BeforeTurn)
    } else if report.is_complete {
        let n_items = report.checklist.items.len();
        Evidence::claim(Source::Closer, name, Claim::Yes, answered).because(Reason::AllCompleted(n_items))
    } else {
        not_complete(report, name, is_stale, n_commits_since)
    };
    let excerpt = report.summary.as_deref().map(excerpt::reason);
    let pointer = Some(Box::new(Pointer { place: format!("closer, round {}", report.round), excerpt }));
    Evidence { strength: Strength::SelfReported, pointer, ..evidence }
}

/// What the closer found open stays open until it is asked again: age invalidates a
/// YES, but never an open point.
fn not_complete(report: &VerifyReport, name: String, is_stale: bool, n_commits_since: usize) -> Evidence {
    let mut evidence = Evidence::claim(Source::Closer, name, Claim::No, Origin::Answer.at(report.at));
    let pending = || report.pending_actions.iter().map(|action| excerpt::reason(action));
    evidence.reasons = pending().map(Reason::Words).collect();
    evidence.points = pending().map(Point::Pending).collect();
    if evidence.reasons.is_empty() {
        let unconfirmed = Reason::Unconfirmed(report.confidence_percent);
        evidence.points.push(Point::Named(reason::label(&unconfirmed)));
        evidence.reasons.push(unconfirmed);
    }
    if n_commits_since > 0 {
        evidence.because(Reason::CommitsSince(n_commits_since))
    } else if is_stale {
        evidence.because(Fact::AskCloserAgain)
    } else {
        evidence
    }
}
