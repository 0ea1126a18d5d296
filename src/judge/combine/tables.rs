//! The two first-match tables (DESIGN.md 2.2), a row a line. They must stay as readable as the page
//! that they come from; R0 is applied over them.

use crate::model::{Claim, Rule, TaskKind, VerdictState};

use super::{Case, Tally, Tree};

/// The state and the rule for what is settled, whether or not a session is at work.
pub(super) fn settle(tally: &Tally<'_>, case: &Case<'_>) -> (VerdictState, Rule) {
    match case.task_kind {
        TaskKind::Implementation => implementation(tally, case),
        TaskKind::ReadInfo | TaskKind::Report => deliverable(tally, case),
    }
}

/// IMPLEMENTATION: work that ends in commits.
fn implementation(tally: &Tally<'_>, case: &Case<'_>) -> (VerdictState, Rule) {
    let says_no = tally.has(Claim::No);
    if tally.run_failure().is_some() && !tally.has_yes() {
        (VerdictState::Error, Rule::RunFailed)
    } else if tally.unreadable().is_some() && !says_no {
        (VerdictState::Error, Rule::RequiredUnreadable)
    } else if is_decision_unreadable(case) && !says_no {
        (VerdictState::Error, Rule::DecisionUnreadable)
    } else if says_no {
        not_done(case)
    } else if tally.has_yes() && (tally.has_commits() || has_rescued(case)) {
        (VerdictState::Complete, Rule::YesWithCommits)
    } else if tally.has_yes() && tally.tree == Tree::Dirty {
        (VerdictState::RescueNeeded, Rule::YesUncommitted)
    } else if tally.has_yes() && tally.tree == Tree::Clean {
        (VerdictState::Complete, Rule::YesClean)
    } else if tally.has(Claim::Ask) {
        (VerdictState::AwaitingResponse, Rule::Asks)
    } else if case.rounds.is_used_up {
        match tally.tree {
            Tree::Dirty => (VerdictState::RescueNeeded, Rule::RoundsUsedUp),
            Tree::Clean | Tree::Unknown => (VerdictState::Stalled, Rule::RoundsUsedUp),
        }
    } else if tally.has(Claim::Wait) {
        (VerdictState::Waiting, Rule::Waits)
    } else if tally.has(Claim::Work) {
        (VerdictState::Working, Rule::Works)
    } else {
        // Also a YES whose tree nobody could look at: missing evidence is never COMPLETE.
        (VerdictState::Incomplete, Rule::NoEvidence)
    }
}

/// Whether a rescue has committed the work. That says nothing of its end, but another YES needs no more.
fn has_rescued(case: &Case<'_>) -> bool {
    super::commits(case).is_some_and(|commits| commits.n_rescued > 0)
}

/// READ_INFO and REPORT: the output is the deliverable.
fn deliverable(tally: &Tally<'_>, case: &Case<'_>) -> (VerdictState, Rule) {
    if tally.run_failure().is_some() {
        (VerdictState::Error, Rule::RunFailed)
    } else if !has_output(tally) {
        (VerdictState::Incomplete, Rule::NoOutput)
    } else if tally.has(Claim::Ask) {
        (VerdictState::AwaitingResponse, Rule::Asks)
    } else if tally.has(Claim::No) {
        not_done(case)
    } else if tally.unreadable().is_some() {
        (VerdictState::Error, Rule::RequiredUnreadable)
    } else if is_decision_unreadable(case) {
        (VerdictState::Error, Rule::DecisionUnreadable)
    } else if tally.has_yes() {
        (VerdictState::Complete, Rule::OutputStands)
    } else {
        (VerdictState::Incomplete, Rule::NoEvidence)
    }
}

/// A NO, or the same NO again and again (R5).
fn not_done(case: &Case<'_>) -> (VerdictState, Rule) {
    if case.rounds.stage >= case.policy.stall_stage {
        (VerdictState::Stalled, Rule::SameAgain)
    } else {
        (VerdictState::Incomplete, Rule::SaysNo)
    }
}

/// R4: so many decisions in a row could not be used.
fn is_decision_unreadable(case: &Case<'_>) -> bool {
    case.rounds.n_unreadable >= case.policy.unreadable_limit
}

/// Whether there is visible output. The output's evidence is there with another claim than ABSTAIN,
/// or it was judged and asks.
fn has_output(tally: &Tally<'_>) -> bool {
    use crate::model::Source;
    tally.evidence.iter().any(|evidence| {
        matches!(evidence.source, Source::Output | Source::LastWords) && evidence.claim != Claim::Abstain
    })
}
