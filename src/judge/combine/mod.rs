//! The verdict on all evidence of a workspace: the first matching row of the table decides (DESIGN.md 2.3).
//!
//! [`combine`] looks at claims only; the five judges have already settled what each
//! source's raw text means. Pure and total: every set of evidence has a verdict, and
//! without a YES that is not vacuous it is never COMPLETE.

mod case;
mod roles;
mod scope;
mod situation;
pub mod table;
mod urgency;
mod whose;
mod why;

use crate::model::{
    ChosenKey, Claim, CommitId, Evidence, LooseCommit, Point, Proof, Rejection, Rule, SessionName, Source,
    TaskKind, Verdict, VerdictState, Warning,
};

pub use case::Case;

use super::left_to_do;
use case::{commits, n_unheld};
use situation::Tally;
use table::{Situation, Tree};
use whose::n_lost;

/// Combines all evidence of a workspace into its verdict. The order of `evidence` does not matter.
pub fn combine(evidence: &[Evidence], case: &Case<'_>) -> Verdict {
    let mut evidence: Vec<Evidence> =
        evidence.iter().cloned().map(|evidence| scope::of_this_task(evidence, case)).collect();
    evidence.extend(scope::kept_apart(case));
    evidence.extend(scope::bisect(case));
    evidence.extend(scope::all_in_one(case));
    evidence.extend(whose::softened(case));
    // Sorted, so that the order in which evidence arrives cannot change the verdict.
    evidence.sort_by(|a, b| order_key(a).cmp(&order_key(b)));
    let loose_work = whose::loose(case);
    let tally = Tally::of(&evidence, case);
    let situation = tally.situation(case);
    let (state, rule) = table::decide(&situation);
    let rule = named(rule, &tally, case);
    let so_far = (rule == Rule::SessionWorks).then(|| table::settle(&situation).0);
    let mut warnings = warnings(&tally, case, state);
    let is_self_reported = state == VerdictState::Complete
        && tally.yes().all(|evidence| matches!(evidence.source, Source::Probe | Source::LastWords))
        && tally.yes().next().is_some();
    let in_session = |name: &SessionName| {
        case.sessions.iter().find(|session| session.session_name() == *name)?.prompted_at
    };
    let asked = left_to_do::PromptTimes { at: case.prompted_at, in_session: &in_session };
    // Commits on no branch claim nothing of their own: the table knows them as work at risk.
    let to_do: Vec<&Evidence> = evidence.iter().chain(&loose_work).collect();
    let left_to_do = left_to_do::list(&to_do, case.before, &asked, case.taken_at);
    let next_action = why::next_action(state, rule, &tally, case, &warnings, &left_to_do);
    let (parts, conflicts) = roles::parts(&evidence, state, rule);
    if !conflicts.is_empty() {
        warnings.push(Warning::Conflict);
    }
    Verdict {
        state,
        why: why::why(rule, &tally, case),
        next_action,
        left_to_do,
        parts,
        conflicts,
        warnings,
        loose: loose(case),
        question: case.question.cloned(),
        stage: case.rounds.stage,
        is_self_reported,
        proof: proof(state, rule, &situation),
        degree: (state == VerdictState::RescueNeeded).then(|| urgency::degree(&tally, case)),
        so_far,
    }
}

/// The commits that a rescue would keep.
fn loose(case: &Case<'_>) -> Vec<CommitId> {
    let is_dropped = |commit: &LooseCommit| whose::is_dropped(commit, case.work);
    commits(case).map(|commits| commits.loose.newest_but(is_dropped)).unwrap_or_default()
}

/// Chooses the rule's more specific name: with commits, a YES on a clean tree is more than a mere statement.
fn named(rule: Rule, tally: &Tally<'_>, case: &Case<'_>) -> Rule {
    let has_rescued = commits(case).is_some_and(|commits| commits.n_rescued > 0);
    if rule == Rule::YesClean && (tally.has_commits() || has_rescued) { Rule::YesWithCommits } else { rule }
}

fn proof(state: VerdictState, rule: Rule, situation: &Situation) -> Option<Proof> {
    let proof = if rule == Rule::ByYou { Proof::ByYou } else { situation.proof };
    (state == VerdictState::Complete).then_some(proof)
}

fn order_key(evidence: &Evidence) -> (u8, Source, &str) {
    (evidence.source.rank(), evidence.source, &evidence.name)
}

fn warnings(tally: &Tally<'_>, case: &Case<'_>, state: VerdictState) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if tally.tree == Tree::AtRisk && !why::is_on_branch(tally, case) {
        match state {
            // Where nobody was asked, the work is the person's own.
            VerdictState::RescueNeeded | VerdictState::Working | VerdictState::NoTask => {}
            // Only a person's own word is COMPLETE over work at risk.
            VerdictState::Complete
            | VerdictState::AwaitingResponse
            | VerdictState::Incomplete
            | VerdictState::Waiting
            | VerdictState::Stalled
            | VerdictState::Error => warnings.push(Warning::WorkAtRisk),
        }
    }
    if tally.tree == Tree::Unknown && case.task_kind == TaskKind::Implementation && case.git.is_some() {
        warnings.push(Warning::ChangesUnknown);
    }
    if case.git.is_some_and(|git| git.operation.is_some()) {
        warnings.push(Warning::OperationInProgress);
    }
    if n_lost(case) > 0 {
        warnings.push(Warning::CommitsLost);
    }
    if n_unheld(case) > 0 {
        warnings.push(Warning::DetachedWork);
    }
    if state == VerdictState::RescueNeeded && case.is_temporary {
        warnings.push(Warning::TemporaryFolder);
    }
    let has_any_yes = tally.has(Claim::Yes);
    if has_any_yes && !tally.has_yes() {
        warnings.push(Warning::VacuousOnly);
    }
    let stops_half_way = tally.evidence.iter().any(|evidence| {
        evidence.source == Source::LastWords
            && evidence.is_rejected_as(Rejection::Undecided)
            && evidence.has(&Point::StopsHalfWay)
    });
    if stops_half_way && tally.permission().is_none() {
        warnings.push(Warning::WordsStopHalfWay);
    }
    if tally.unreadable_report().is_some() {
        warnings.push(Warning::DecisionUnreadable);
    }
    if case.lapsed.is_some() {
        warnings.push(Warning::MarkLapsed);
    }
    warnings.extend(of_own_settings(case.chosen, state));
    warnings
}

/// The warning if the workspace's own configuration file could have softened the verdict.
fn of_own_settings(chosen: &[ChosenKey], state: VerdictState) -> Option<Warning> {
    if chosen.iter().any(|chosen| !chosen.counts) {
        Some(Warning::OwnSettingsIgnored)
    } else {
        (!chosen.is_empty() && state == VerdictState::Complete).then_some(Warning::OwnSettings)
    }
}
