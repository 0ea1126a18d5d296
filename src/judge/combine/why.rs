//! The facts behind a verdict: why, and what to do next. `present` words them. Must not decide anything.

use crate::model::{
    AtRisk, Claim, Evidence, LeftToDo, NextAction, OpenPoint, Point, PointKind, Proof, QuestionWeight,
    Reason, Rejection, Rule, Source, VerdictState, Warning, Why, WorkElsewhere,
};

use super::case::{Case, changes, commits, n_unheld};
use super::situation::Tally;
use super::table::{Tree, UserMark};
use super::whose::n_lost;
use super::{scope, whose};

/// The deciding rule, with the facts of this case.
pub(super) fn why(rule: Rule, tally: &Tally<'_>, case: &Case<'_>) -> Why {
    match rule {
        Rule::NobodyAsked => Why::NobodyAsked {
            n_commits: commits(case).map_or(0, |commits| commits.n_new),
            at_risk: (tally.tree == Tree::AtRisk).then(|| at_risk(tally, case)),
        },
        Rule::TurnCut => because(rule, tally.cut_turn()),
        Rule::RunFailed => match usage_limit(tally) {
            Some(until) => Why::UsageLimit(until),
            None => because(rule, tally.run_failure()),
        },
        Rule::RequiredUnreadable => match tally.unreadable() {
            Some(evidence) => Why::Unreadable(evidence.source, first_reason(evidence)),
            None => Why::Rule(rule),
        },
        Rule::DecisionUnreadable => {
            let reason = tally.unreadable_report().and_then(first_reason);
            if case.rounds.n_unreadable >= case.policy.unreadable_limit {
                Why::UnreadableInARow(case.rounds.n_unreadable, reason)
            } else {
                Why::UnreadableReport(unreadable_report(tally), reason)
            }
        }
        Rule::SaysNo => {
            let reason = tally.claims(Claim::No).next().and_then(first_reason);
            Why::SaysNo(sources(tally.claims(Claim::No)), reason)
        }
        Rule::RoundsUsedUp => match tally.run_over().and_then(first_reason) {
            Some(ended) => Why::RunOver(ended),
            None => Why::Rule(rule),
        },
        Rule::SameAgain => {
            Why::SameAgain { n_points: case.rounds.open_points.len(), n_rounds: case.rounds.stage }
        }
        Rule::YesWithCommits => Why::Commits {
            n_new: commits(case).map_or(0, |commits| commits.n_new.max(commits.n_cancelled)),
            n_rescued: commits(case).map_or(0, |commits| commits.n_rescued),
            agree: sources(tally.yes().filter(|evidence| evidence.source != Source::Commits)),
        },
        Rule::YesUncommitted => Why::Uncommitted(sources(tally.yes()), at_risk(tally, case)),
        Rule::YesClean => Why::Clean(sources(tally.yes())),
        Rule::Asks if tally.permission().is_some() => Why::Permission,
        Rule::NoEvidence if tally.has_yes() => Why::TreeUnread,
        Rule::NoEvidence if tally.tree == Tree::AtRisk => Why::OnlyAtRisk(at_risk(tally, case)),
        Rule::DoneOutside if whose::n_landed(case) > 0 => Why::Landed(whose::n_landed(case)),
        Rule::NothingChanged => whose::elsewhere(case).map_or(Why::Rule(rule), Why::ChangedElsewhere),
        Rule::SessionWorks
        | Rule::ByYou
        | Rule::Asks
        | Rule::Works
        | Rule::Waits
        | Rule::NoOutput
        | Rule::OutputStands
        | Rule::DoneOutside
        | Rule::Answered
        | Rule::NoEvidence
        | Rule::NotProven => Why::Rule(rule),
    }
}

/// What the person should do next.
pub(super) fn next_action(
    state: VerdictState,
    rule: Rule,
    tally: &Tally<'_>,
    case: &Case<'_>,
    warnings: &[Warning],
    left: &LeftToDo,
) -> NextAction {
    // Where one session works, another may wait for the person.
    let is_asked_beside =
        state == VerdictState::Working && case.mark == UserMark::None && tally.has(Claim::Ask);
    let is_asked = state == VerdictState::AwaitingResponse || is_asked_beside;
    if let Some(permission) = tally.permission()
        && is_asked
    {
        return NextAction::Allow(
            permission_wanted(permission, case).map(Reason::Words).or_else(|| first_reason(permission)),
        );
    }
    // A person who says that the work is done has seen the question.
    if let Some(question) = case.question.filter(|_| case.mark != UserMark::Done)
        && (state == VerdictState::AwaitingResponse
            || (question.weight == QuestionWeight::Blocking && state.is_terminal()))
    {
        return NextAction::Answer(Some(question.text.clone().into()));
    }
    let answer = || NextAction::Answer(tally.claims(Claim::Ask).find_map(first_reason));
    let has_session = tally.has_session();
    match state {
        VerdictState::Complete if warnings.contains(&Warning::WordsStopHalfWay) => {
            NextAction::LookAtLastWords { has_session }
        }
        VerdictState::Complete if warnings.contains(&Warning::WorkAtRisk) => save(tally, case),
        VerdictState::Complete | VerdictState::NoTask => NextAction::None,
        VerdictState::AwaitingResponse => answer(),
        VerdictState::RescueNeeded => save(tally, case),
        VerdictState::Stalled => fix(left),
        VerdictState::Incomplete if rule == Rule::ByYou => {
            NextAction::OwnMark { at_risk: (tally.tree == Tree::AtRisk).then(|| at_risk(tally, case)) }
        }
        VerdictState::Incomplete if rule == Rule::SaysNo && tally.is_cut_run() => NextAction::ResumeRun,
        VerdictState::Incomplete if rule == Rule::SaysNo => fix(left),
        VerdictState::Incomplete if rule == Rule::TurnCut => {
            NextAction::LookAtTurn { cut: tally.cut_turn().and_then(first_reason) }
        }
        VerdictState::Incomplete if rule == Rule::NotProven && tally.lacks_commit() => NextAction::Commit,
        VerdictState::Incomplete if rule == Rule::NotProven && case.required == Proof::Checked => {
            NextAction::RunTests { is_known: tally.evidence.iter().any(is_known_test) }
        }
        VerdictState::Incomplete if rule == Rule::NotProven => NextAction::Commit,
        VerdictState::Incomplete if rule == Rule::DecisionUnreadable => {
            NextAction::Rewrite { report: unreadable_report(tally), has_session }
        }
        VerdictState::Incomplete if rule == Rule::NothingChanged => bring_back(case),
        VerdictState::Incomplete => {
            let at_risk = (tally.tree == Tree::AtRisk).then(|| at_risk(tally, case));
            NextAction::AskWhetherDone { has_session, at_risk }
        }
        VerdictState::Working if is_asked_beside => answer(),
        VerdictState::Waiting | VerdictState::Working => NextAction::Wait,
        VerdictState::Error => repair(rule, tally),
    }
}

/// Saves the work that exists only in this work tree.
fn save(tally: &Tally<'_>, case: &Case<'_>) -> NextAction {
    match at_risk(tally, case) {
        AtRisk::KeptApart(what) => NextAction::BringIn(what),
        AtRisk::Commits(n_commits) => NextAction::KeepCommits(n_commits),
        AtRisk::OnBranch { branch, .. } => NextAction::Merge(branch),
        AtRisk::Files(n_files) => NextAction::Rescue(n_files),
    }
}

/// Brings work here that is elsewhere, if any is.
fn bring_back(case: &Case<'_>) -> NextAction {
    match whose::elsewhere(case) {
        Some(WorkElsewhere::OfRescue(branch)) => NextAction::Merge(branch),
        Some(elsewhere) => NextAction::BringBack(elsewhere),
        None => NextAction::LookAtNothing,
    }
}

/// What the session asks permission to do, if it says.
fn permission_wanted(permission: &Evidence, case: &Case<'_>) -> Option<String> {
    let asked_by = permission.session()?;
    case.sessions.iter().find(|session| session.session_name() == *asked_by)?.activity.detail.clone()
}

/// The usage limit that stopped a session, if that is the run's failure.
fn usage_limit(tally: &Tally<'_>) -> Option<Reason> {
    tally.run_failure().filter(|failure| failure.has(&Point::UsageLimit)).and_then(first_reason)
}

fn is_known_test(evidence: &Evidence) -> bool {
    evidence.source == Source::Tests && !evidence.is_rejected_as(Rejection::NotConfigured)
}

/// The work that HEAD does not have. What a rescue has already on a branch is named only if there is nothing else.
pub(super) fn at_risk(tally: &Tally<'_>, case: &Case<'_>) -> AtRisk {
    let mut dirty =
        tally.claims(Claim::Dirty).filter(|evidence| evidence.source == Source::Changes).peekable();
    let n_loose = n_unheld(case).saturating_add(n_lost(case));
    let saved_on = case.git.and_then(|git| git.saved_on.clone());
    let n_files = || changes(case).map(|changes| whose::n_of_task(changes, case.work));
    match dirty.peek() {
        Some(evidence) if scope::is_kept_apart(evidence) => return AtRisk::KeptApart(first_reason(evidence)),
        Some(_) if saved_on.is_none() => return AtRisk::Files(n_files()),
        Some(_) | None => {}
    }
    match (dirty.find(|evidence| scope::is_kept_apart(evidence)), saved_on) {
        (Some(apart), _) => AtRisk::KeptApart(first_reason(apart)),
        (None, _) if n_loose > 0 => AtRisk::Commits(n_loose),
        (None, Some(branch)) => AtRisk::OnBranch { n_files: n_files(), branch },
        (None, None) => AtRisk::Files(n_files()),
    }
}

/// Whether all work that HEAD does not have is on another branch: nothing can be lost.
pub(super) fn is_on_branch(tally: &Tally<'_>, case: &Case<'_>) -> bool {
    matches!(at_risk(tally, case), AtRisk::OnBranch { .. })
}

/// Names the first point that the agent has left to finish, and how many more there are.
fn fix(left: &LeftToDo) -> NextAction {
    let mut points = left.open().filter(|point| point.weighs && point.kind == PointKind::Finish);
    let first = points.next().map(|point: &OpenPoint| point.text.clone());
    NextAction::Fix { first, n_more: points.count() }
}

fn repair(rule: Rule, tally: &Tally<'_>) -> NextAction {
    match (rule, tally.unreadable(), usage_limit(tally)) {
        (Rule::RunFailed, _, Some(until)) => NextAction::WaitForLimit(until),
        (Rule::RequiredUnreadable, Some(evidence), _) => NextAction::Repair(evidence.reasons.last().cloned()),
        (Rule::DecisionUnreadable, ..) => {
            NextAction::Rewrite { report: unreadable_report(tally), has_session: tally.has_session() }
        }
        _ => NextAction::LookAtError(tally.run_failure().and_then(first_reason)),
    }
}

fn unreadable_report(tally: &Tally<'_>) -> Source {
    tally.unreadable_report().map_or(Source::Decision, |report| report.source)
}

fn because(rule: Rule, evidence: Option<&Evidence>) -> Why {
    evidence.and_then(first_reason).map_or(Why::Rule(rule), |reason| Why::Because(rule, reason))
}

fn first_reason(evidence: &Evidence) -> Option<Reason> {
    evidence.reasons.first().cloned()
}

/// The sources, each once; `evidence` is sorted by source.
fn sources<'a>(evidence: impl Iterator<Item = &'a Evidence>) -> Vec<Source> {
    let mut sources: Vec<Source> = evidence.map(|evidence| evidence.source).collect();
    sources.dedup_by_key(|source| source.title());
    sources
}
