//! A verdict in words: why, and what to do next. Every text from a source goes through `display_text`, so
//! that the sentence is safe on a screen, in a log and in JSON. Must not decide anything.

use crate::model::{
    Claim, Evidence, LeftToDo, NextAction, NextActionKind, OpenPoint, Point, PointKind, Proof,
    QuestionWeight, Rejection, Rule, SessionView, Source, TREE_IS_CLEAN, VerdictState, Warning, display_text,
    quantity,
};

use super::case::{Case, changes, commits};
use super::situation::Tally;
use super::table::Tree;
use super::{scope, whose};
use crate::judge::left_to_do;

/// How many characters of a source's own words are quoted in a sentence.
const QUOTE: usize = 160;

/// States the deciding rule in words, with the facts of this case.
pub(super) fn why(rule: Rule, tally: &Tally<'_>, case: &Case<'_>) -> String {
    match rule {
        Rule::SessionWorks => "the session is at work by its own word".to_owned(),
        Rule::ByYou => "by your own word".to_owned(),
        Rule::NobodyAsked => nobody_asked(tally, case),
        Rule::TurnCut => with_reason("stopped in mid-turn", tally.cut_turn()),
        Rule::DoneOutside => "it says that it is done, and it acted outside this work tree".to_owned(),
        Rule::TaskBefore => "only an answer was asked for since; the task before is as it was".to_owned(),
        Rule::Answered => "only an answer was asked for, and it was given".to_owned(),
        Rule::NothingChanged => "it says that it is done, and nothing changed".to_owned(),
        Rule::NotProven => "done by its word, and not proven as well as you require".to_owned(),
        Rule::RunFailed => match usage_limit(tally) {
            Some(until) => quote(until),
            None => with_reason("the run failed", tally.run_failure()),
        },
        Rule::RequiredUnreadable => {
            let unreadable = tally.unreadable();
            let name = unreadable.map_or("a required source", |evidence| evidence.source.title());
            with_reason(&format!("{name} cannot be read, and silence is never completion"), unreadable)
        }
        Rule::DecisionUnreadable => {
            let what = if case.rounds.n_unreadable >= case.policy.unreadable_limit {
                &format!("{} unreadable decisions in a row", case.rounds.n_unreadable)
            } else {
                left_to_do::UNREADABLE_DECISION
            };
            with_reason(what, tally.unreadable_decision())
        }
        Rule::SaysNo => {
            with_reason(&say(tally.claims(Claim::No), "it is not done"), tally.claims(Claim::No).next())
        }
        Rule::SameAgain => format!(
            "the same {} again, {} rounds in a row",
            quantity::counted(case.rounds.open_points.len(), "open point", "open points"),
            case.rounds.stage
        ),
        Rule::YesWithCommits => format!("{} since the baseline{}", new_commits(case), others_agree(tally)),
        Rule::YesUncommitted => {
            format!("{}, but {}", say(tally.yes(), "it is done"), at_risk(tally, case))
        }
        Rule::YesClean => format!("{}, and {TREE_IS_CLEAN}", say(tally.yes(), "it is done")),
        Rule::Asks if tally.permission().is_some() => "a permission is waited for".to_owned(),
        Rule::Asks => "a question waits for your answer".to_owned(),
        Rule::RoundsUsedUp => "rounds, budget or time are used up; that is not completion".to_owned(),
        Rule::Waits => "background work runs".to_owned(),
        Rule::Works => "a turn seems to run".to_owned(),
        Rule::NoEvidence => no_evidence(tally, case),
        Rule::NoOutput => "there is no visible output".to_owned(),
        Rule::OutputStands => "the output is there and asks nothing".to_owned(),
    }
}

/// What the person should do next.
pub(super) fn next_action(
    state: VerdictState,
    rule: Rule,
    tally: &Tally<'_>,
    case: &Case<'_>,
    (warnings, left): (&[Warning], &LeftToDo),
) -> NextAction {
    if let Some(permission) = tally.permission()
        && state == VerdictState::AwaitingResponse
    {
        let what = wanted(permission, case).or(permission.reasons.first().map(String::as_str));
        let what = what.unwrap_or("the permission");
        return action(NextActionKind::Answer, format!("allow or deny: {}", quote(what)));
    }
    if let Some(question) = case.question
        && (state == VerdictState::AwaitingResponse
            || (question.weight == QuestionWeight::Blocking && state.is_terminal()))
    {
        return action(NextActionKind::Answer, format!("answer: {}", quote(&question.text)));
    }
    match state {
        VerdictState::Complete => after_complete(tally, warnings),
        VerdictState::AwaitingResponse => {
            let asks = tally.claims(Claim::Ask).find_map(|evidence| evidence.reasons.first());
            let text =
                asks.map_or("answer the agent".to_owned(), |reason| format!("answer: {}", quote(reason)));
            action(NextActionKind::Answer, text)
        }
        VerdictState::RescueNeeded => rescue(tally, case),
        VerdictState::Incomplete if rule == Rule::SaysNo => fix(left),
        VerdictState::Incomplete if rule == Rule::TurnCut => {
            action(NextActionKind::Ask, "look at the session: its turn did not end".to_owned())
        }
        VerdictState::Incomplete if rule == Rule::NotProven => {
            let is_known = tally.evidence.iter().any(|evidence| {
                evidence.source == Source::Tests && !evidence.is_rejected_as(Rejection::NotConfigured)
            });
            action(
                NextActionKind::Fix,
                match case.required {
                    Proof::Checked if is_known => "run the tests".to_owned(),
                    Proof::Checked => "run the tests: no check is known here".to_owned(),
                    Proof::Said | Proof::Committed | Proof::ByYou => "commit the work".to_owned(),
                },
            )
        }
        VerdictState::Incomplete if rule == Rule::DecisionUnreadable => {
            action(NextActionKind::Repair, repair(rule, tally))
        }
        VerdictState::Incomplete => whether_done(tally, case),
        VerdictState::NoTask => action(NextActionKind::None, "nothing to do".to_owned()),
        VerdictState::Waiting | VerdictState::Working => action(NextActionKind::Wait, "wait".to_owned()),
        VerdictState::Stalled => fix(left),
        VerdictState::Error => match usage_limit(tally).filter(|_| rule == Rule::RunFailed) {
            Some(until) => action(NextActionKind::Wait, format!("wait, then go on: {}", quote(until))),
            None => action(NextActionKind::Repair, repair(rule, tally)),
        },
    }
}

/// What the session asks permission to do, if it says.
fn wanted<'a>(permission: &Evidence, case: &Case<'a>) -> Option<&'a str> {
    let asked_by = permission.session.as_ref()?;
    let is_it =
        |session: &&SessionView| session.agent == asked_by.agent && session.session_id == asked_by.session_id;
    case.sessions.iter().find(is_it)?.activity.detail.as_deref()
}

/// The usage limit that stopped a session, if that is the run's failure.
fn usage_limit<'a>(tally: &Tally<'a>) -> Option<&'a str> {
    let failure = tally.run_failure()?;
    failure.reasons.first().filter(|_| failure.has(&Point::UsageLimit)).map(String::as_str)
}

/// The advice if nothing says whether the work is done: ask the agent if possible, else the person decides.
fn whether_done(tally: &Tally<'_>, case: &Case<'_>) -> NextAction {
    let left = match tally.tree {
        Tree::AtRisk => format!("; {}", at_risk(tally, case)),
        Tree::Clean | Tree::Unknown => String::new(),
    };
    if tally.has_session() {
        action(NextActionKind::Ask, format!("ask the agent whether it is done{left}"))
    } else {
        action(
            NextActionKind::Ask,
            format!("decide whether it is done: no agent's session is known here{left}"),
        )
    }
}

fn rescue(tally: &Tally<'_>, case: &Case<'_>) -> NextAction {
    let kind = NextActionKind::Rescue;
    match dirty(tally) {
        Some(evidence) if scope::is_kept_apart(evidence) => {
            let reason =
                evidence.reasons.first().map_or("look at the work that is kept apart", String::as_str);
            action(NextActionKind::Fix, format!("bring it in: {}", quote(reason)))
        }
        None => action(
            kind,
            format!("keep {} on a branch", quantity::counted(n_loose(case), "commit", "commits")),
        ),
        Some(_) => action(kind, format!("rescue {}", n_paths(case))),
    }
}

/// The first source that reports work at risk in this work tree.
fn dirty<'a>(tally: &Tally<'a>) -> Option<&'a Evidence> {
    tally.claims(Claim::Dirty).find(|evidence| evidence.source == Source::Changes)
}

/// How many commits no ref holds.
fn n_loose(case: &Case<'_>) -> u32 {
    commits(case).map_or(0, |commits| commits.n_unheld.saturating_add(commits.n_lost))
}

/// The next action after COMPLETE: none, or something beside it that the person should look at.
fn after_complete(tally: &Tally<'_>, warnings: &[Warning]) -> NextAction {
    let has = |warning| warnings.contains(&warning);
    if has(Warning::WordsStopHalfWay) && !tally.has_session() {
        action(NextActionKind::Ask, "look at the last words: they announce more, or break off".to_owned())
    } else if has(Warning::WordsStopHalfWay) {
        action(NextActionKind::Ask, "ask the agent: its last words announce more, or break off".to_owned())
    } else {
        action(NextActionKind::None, "nothing to do".to_owned())
    }
}

/// Describes what a work tree contains in which nobody was asked for anything.
fn nobody_asked(tally: &Tally<'_>, case: &Case<'_>) -> String {
    let n_commits = commits(case).map_or(0, |commits| commits.n_new);
    let mut lies = Vec::new();
    if n_commits > 0 {
        lies.push(quantity::counted(n_commits, "new commit", "new commits"));
    }
    if tally.tree == Tree::AtRisk {
        lies.push(at_risk(tally, case));
    }
    let what = "nobody was asked for anything here";
    if lies.is_empty() { what.to_owned() } else { format!("{what}; {}", lies.join(", ")) }
}

/// Describes the work that exists only in this work tree.
fn at_risk(tally: &Tally<'_>, case: &Case<'_>) -> String {
    match dirty(tally) {
        Some(evidence) if scope::is_kept_apart(evidence) => {
            evidence.reasons.first().map_or_else(|| "work is kept apart".to_owned(), |reason| quote(reason))
        }
        None if n_loose(case) > 0 => {
            format!("{} on no branch", quantity::counted(n_loose(case), "commit is", "commits are"))
        }
        Some(_) | None => format!("{} not committed", is_are_files(case)),
    }
}

/// Names the first point that the agent has left to finish, and how many more there are.
fn fix(left: &LeftToDo) -> NextAction {
    let points: Vec<&OpenPoint> =
        left.open().filter(|point| point.weighs && point.kind == PointKind::Finish).collect();
    let text = match points.as_slice() {
        [] => "send it back with what is missing".to_owned(),
        [point] => format!("fix: {}", quote(&point.text)),
        [point, rest @ ..] => format!("fix: {} (and {} more)", quote(&point.text), rest.len()),
    };
    action(NextActionKind::Fix, text)
}

fn repair(rule: Rule, tally: &Tally<'_>) -> String {
    match (rule, tally.unreadable()) {
        (Rule::RequiredUnreadable, Some(evidence)) => evidence
            .reasons
            .last()
            .map_or("repair: git".to_owned(), |reason| format!("repair: {}", quote(reason))),
        (Rule::DecisionUnreadable, _) if tally.has_session() => {
            "repair: let the agent write the decision file again".to_owned()
        }
        (Rule::DecisionUnreadable, _) => "repair: the decision file has to be written again".to_owned(),
        _ => with_reason("look at the error", tally.run_failure()),
    }
}

fn no_evidence(tally: &Tally<'_>, case: &Case<'_>) -> String {
    if tally.has_yes() {
        "something says done, but the work tree was not looked at".to_owned()
    } else if tally.tree == Tree::AtRisk {
        format!("{}, and no evidence that the work is done", at_risk(tally, case))
    } else {
        "no evidence that the work is done".to_owned()
    }
}

fn action(kind: NextActionKind, text: String) -> NextAction {
    NextAction { kind, text }
}

fn quote(text: &str) -> String {
    display_text::shorten(&display_text::line(text.trim()), QUOTE).into_owned()
}

/// Joins sources and their statement: `the tests and the plan say it is done`.
fn say<'a>(by: impl Iterator<Item = &'a Evidence>, what: &str) -> String {
    let (names, is_one) = named(by);
    match names.as_str() {
        "" => what.to_owned(),
        names => format!("{names} {} {what}", if is_one { "says" } else { "say" }),
    }
}

/// Lists the sources in words, and says whether the verb takes the singular.
fn named<'a>(by: impl Iterator<Item = &'a Evidence>) -> (String, bool) {
    let mut sources: Vec<Source> = by.map(|evidence| evidence.source).collect();
    sources.dedup_by_key(|source| source.title());
    let is_several = |source: &Source| source.title().ends_with('s');
    let is_one = sources.len() == 1 && !sources.iter().any(is_several);
    let mut titles: Vec<String> = sources.iter().map(|source| format!("the {}", source.title())).collect();
    let last = titles.pop().unwrap_or_default();
    let names = if titles.is_empty() { last } else { format!("{} and {last}", titles.join(", ")) };
    (names, is_one)
}

fn with_reason(what: &str, evidence: Option<&Evidence>) -> String {
    match evidence.and_then(|evidence| evidence.reasons.first()) {
        None => what.to_owned(),
        Some(reason) => format!("{what}: {}", quote(reason)),
    }
}

fn others_agree(tally: &Tally<'_>) -> String {
    match named(tally.yes().filter(|evidence| evidence.source != Source::Commits)) {
        (names, _) if names.is_empty() => names,
        (names, is_one) => format!("; {names} {}", if is_one { "agrees" } else { "agree" }),
    }
}

fn new_commits(case: &Case<'_>) -> String {
    let Some(commits) = commits(case) else { return "new commits".to_owned() };
    if commits.n_new == 0 && commits.n_rescued > 0 {
        return format!("{} of a rescue", quantity::counted(commits.n_rescued, "commit", "commits"));
    }
    quantity::counted(commits.n_new, "new commit", "new commits")
}

fn n_paths(case: &Case<'_>) -> String {
    changes(case).map_or("uncommitted work".to_owned(), |changes| {
        quantity::counted(whose::n_of_task(changes, case.work), "file", "files")
    })
}

fn is_are_files(case: &Case<'_>) -> String {
    changes(case).map_or("work is".to_owned(), |changes| {
        quantity::counted(whose::n_of_task(changes, case.work), "file is", "files are")
    })
}
