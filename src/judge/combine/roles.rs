//! Each source's part in a verdict, and the pairs of sources that contradict one another. Explains the
//! verdict; must not decide it.

use std::sync::Arc;

use crate::model::{
    Claim, Conflict, Evidence, Fact, Part, PartRole, Reason, Rejection, Rule, Source, VerdictState,
};

/// The parts in the order of `evidence`, and the conflicts as pairs of positions in them.
pub(super) fn parts(evidence: &[Evidence], state: VerdictState, rule: Rule) -> (Vec<Part>, Vec<Conflict>) {
    let parts: Vec<Part> = evidence
        .iter()
        .map(|evidence| Part { role: role(evidence, state, rule), evidence: Arc::new(evidence.clone()) })
        .collect();
    let conflicts = conflicts(&parts);
    (parts, conflicts)
}

fn role(evidence: &Evidence, state: VerdictState, rule: Rule) -> PartRole {
    if decided(evidence, rule) {
        return PartRole::Decided;
    }
    match evidence.claim {
        Claim::Abstain(Rejection::NotConfigured) => PartRole::NotConfigured,
        Claim::Abstain(Rejection::Absent) => PartRole::NotThere,
        // "Nothing new", "the tree is clean" and "the turn has ended" are answers, not rejected evidence.
        Claim::Abstain(Rejection::Vacuous) if is_git(evidence) => PartRole::Noted,
        Claim::Abstain(Rejection::Undecided) => PartRole::Noted,
        Claim::Abstain(_) => PartRole::Rejected,
        Claim::Yes if evidence.is_vacuous => PartRole::Rejected,
        claim @ (Claim::Yes
        | Claim::No
        | Claim::Ask
        | Claim::Wait
        | Claim::Work
        | Claim::Dirty
        | Claim::Fail) => match stance(claim, state) {
            Stance::Same => PartRole::Agrees,
            Stance::Against => PartRole::Overruled,
            Stance::Beside => PartRole::Noted,
        },
    }
}

fn is_git(evidence: &Evidence) -> bool {
    matches!(evidence.source, Source::Commits | Source::Changes)
}

/// Whether this evidence made the rule match.
fn decided(evidence: &Evidence, rule: Rule) -> bool {
    let is_git = is_git(evidence);
    match rule {
        Rule::SessionWorks => evidence.source == Source::LiveSession && evidence.claim == Claim::Work,
        Rule::RunFailed => evidence.claim == Claim::Fail && !is_git,
        Rule::RequiredUnreadable => {
            (evidence.claim == Claim::Fail && (is_git || evidence.is_required))
                || (evidence.is_required
                    && matches!(evidence.rejection(), Some(Rejection::Unreadable | Rejection::Absent)))
        }
        Rule::DecisionUnreadable => evidence.is_unreadable_report(),
        Rule::SaysNo | Rule::SameAgain => evidence.claim == Claim::No,
        Rule::YesWithCommits
        | Rule::OutputStands
        | Rule::DoneOutside
        | Rule::NothingChanged
        | Rule::NotProven => evidence.is_yes(),
        Rule::YesUncommitted => evidence.is_yes() || evidence.claim == Claim::Dirty,
        Rule::YesClean => evidence.is_yes() || evidence.source == Source::Changes,
        Rule::Asks => evidence.claim == Claim::Ask,
        Rule::RoundsUsedUp => evidence.claim == Claim::Dirty || evidence.source == Source::Run,
        Rule::Waits => evidence.claim == Claim::Wait,
        Rule::Works => evidence.claim == Claim::Work,
        Rule::TurnCut => {
            evidence.source == Source::LiveSession && evidence.is_rejected_as(Rejection::MidTurn)
        }
        Rule::ByYou | Rule::NobodyAsked | Rule::Answered | Rule::NoEvidence => false,
        Rule::NoOutput => matches!(evidence.source, Source::Output | Source::LastWords),
    }
}

/// How a claim relates to a state.
enum Stance {
    Same,
    Against,
    Beside,
}

fn stance(claim: Claim, state: VerdictState) -> Stance {
    match claim {
        Claim::Yes => match state {
            VerdictState::Complete | VerdictState::RescueNeeded => Stance::Same,
            VerdictState::AwaitingResponse
            | VerdictState::Incomplete
            | VerdictState::Waiting
            | VerdictState::Working
            | VerdictState::Stalled
            | VerdictState::Error
            | VerdictState::NoTask => Stance::Against,
        },
        Claim::No => match state {
            VerdictState::Incomplete | VerdictState::Stalled => Stance::Same,
            VerdictState::Complete | VerdictState::RescueNeeded => Stance::Against,
            VerdictState::AwaitingResponse
            | VerdictState::Waiting
            | VerdictState::Working
            | VerdictState::Error
            | VerdictState::NoTask => Stance::Beside,
        },
        Claim::Work | Claim::Wait => match state {
            VerdictState::Working | VerdictState::Waiting => Stance::Same,
            VerdictState::Complete | VerdictState::RescueNeeded => Stance::Against,
            VerdictState::AwaitingResponse
            | VerdictState::Incomplete
            | VerdictState::Stalled
            | VerdictState::Error
            | VerdictState::NoTask => Stance::Beside,
        },
        Claim::Fail if state == VerdictState::Complete => Stance::Against,
        Claim::Ask | Claim::Dirty | Claim::Fail | Claim::Abstain(_) => Stance::Beside,
    }
}

/// The pairs of sources that contradict one another, in the order of `parts`.
fn conflicts(parts: &[Part]) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for (yes, part) in parts.iter().enumerate() {
        let others = parts.iter().enumerate();
        let against = others.filter(|(_, other)| contradict(&part.evidence, &other.evidence));
        conflicts.extend(against.map(|(against, _)| Conflict { yes, against }));
    }
    conflicts
}

/// Whether one source contradicts another. A YES does not stand beside a NO, a question, or a failure of a run or session;
/// that the tests pass not beside the runs of its session that say otherwise.
fn contradict(yes: &Evidence, other: &Evidence) -> bool {
    let is_against = match other.claim {
        Claim::No | Claim::Ask => true,
        Claim::Fail => matches!(other.source, Source::Run | Source::LiveSession),
        Claim::Yes | Claim::Wait | Claim::Work | Claim::Dirty | Claim::Abstain(_) => false,
    };
    // A text that both delivers and asks does not contradict itself.
    let is_same_text = yes.source == Source::Output && other.source == Source::LastWords;
    let says_pass = yes.reasons.contains(&Reason::Fact(Fact::SaysTestsPass));
    yes.is_yes() && is_against && !is_same_text
        || says_pass && other.session() == yes.session() && tells_no_pass(other)
}

/// Whether a run of the tests did not pass, or passed too early.
fn tells_no_pass(evidence: &Evidence) -> bool {
    let belies = |why: &Reason| matches!(why, Reason::Fact(fact) if fact.belies_a_pass());
    evidence.source == Source::Tests && (evidence.claim == Claim::No || evidence.reasons.iter().any(belies))
}
