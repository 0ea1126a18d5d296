//! A verdict in words: why, and what to do next. Texts of sources are cleaned and shortened here, so that a
//! sentence is safe on a screen, in a log and in JSON.

use super::phrases::{next, verdict as say};
use super::reason::label;
use super::texts::shown;
use super::{counts, sets};
use crate::model::{
    AtRisk, Claim, Fact, GitReason, NextAction, Part, PartRole, Reason, Rejection, Rule, Source, Verdict,
    Why, WorkElsewhere, display_text,
};

/// How many characters of a source's own words are quoted in a sentence.
const MAX_QUOTE: usize = 160;

/// Stands in the place of a claim where a source makes none.
const NO_CLAIM: &str = "-";

/// The deciding rule in words, with the facts of the case.
pub fn why(verdict: &Verdict) -> String {
    of_why(&verdict.why)
}

/// What the user would do next, in words.
pub fn next_action(verdict: &Verdict) -> String {
    of_next(&verdict.next_action)
}

/// The claim of a source in a word. That a source is silent can decide, and then it is no abstention.
pub(crate) fn claim(part: &Part) -> &'static str {
    match (part.role, part.evidence.claim) {
        (PartRole::Decided, Claim::Abstain(_)) => NO_CLAIM,
        (_, claim) => claim.name(),
    }
}

/// What a source says, in a line: its first reason, or its claim where it gives none.
pub fn said(part: &Part) -> String {
    let reason = part.evidence.reasons.first().map(label);
    reason.map_or_else(
        || part.evidence.claim.name().to_owned(),
        |reason| display_text::line(&reason).into_owned(),
    )
}

/// The pairs of sources that contradict one another.
pub(crate) fn conflicts(verdict: &Verdict) -> impl Iterator<Item = [&Part; 2]> {
    let part = |at: usize| verdict.parts.get(at);
    verdict.conflicts.iter().filter_map(move |pair| Some([part(pair.yes)?, part(pair.against)?]))
}

/// The sources that say nothing, a sentence for each role: `not there: closer, decision`.
pub fn silent(verdict: &Verdict) -> impl Iterator<Item = String> {
    let n_left = verdict.parts.iter().filter(|part| is_left_over(part)).count();
    let left = (n_left > 0).then(|| counts::left_over(n_left));
    let silent = PartRole::SILENT.into_iter().filter_map(|role| {
        let mut titles: Vec<&str> = Vec::new();
        for part in verdict.parts.iter().filter(|part| part.role == role) {
            let title = part.evidence.source.title();
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        (!titles.is_empty()).then(|| format!("{}: {}", sets::role(role), titles.join(", ")))
    });
    left.into_iter().chain(silent)
}

/// The sources that say something: of the others [`silent`] has one line each.
pub(crate) fn speaking(verdict: &Verdict) -> impl Iterator<Item = &Part> {
    verdict.parts.iter().filter(|part| !part.role.is_silent() && !is_left_over(part))
}

/// Whether it is of a session that was left.
fn is_left_over(part: &Part) -> bool {
    part.evidence.is_rejected_as(Rejection::LeftOver)
}

/// A reason in words.
pub(super) fn of_why(why: &Why) -> String {
    match why {
        Why::Rule(rule) => sets::rule(*rule).to_owned(),
        Why::Because(Rule::RunFailed, reason @ (Reason::LastReply(_) | Reason::RunOver(_)))
        | Why::UsageLimit(reason)
        | Why::RunOver(reason) => quoted(reason),
        Why::Because(rule, reason) => because(sets::rule(*rule), Some(reason)),
        Why::NobodyAsked { n_commits, at_risk } => {
            let commits = (*n_commits > 0).then(|| counts::new_commits(n_commits));
            let lies: Vec<String> = commits.into_iter().chain(at_risk.as_ref().map(of_work)).collect();
            beside(sets::rule(Rule::NobodyAsked), Some(lies.join(", ")).filter(|lies| !lies.is_empty()))
        }
        Why::Unreadable(source, reason) => because(&say::unreadable(source.title()), reason.as_ref()),
        Why::UnreadableReport(report, reason) => {
            because(&say::unusable(report_file(*report)), reason.as_ref())
        }
        Why::UnreadableInARow(n, reason) => because(&counts::unreadable_decisions(n), reason.as_ref()),
        Why::SaysNo(by, Some(reason)) if says_by_itself(by, reason) => quoted(reason),
        Why::SaysNo(by, reason) => because(&said_by(by, sets::rule(Rule::SaysNo)), reason.as_ref()),
        Why::SameAgain { n_points, n_rounds } => say::same_again(counts::open_points(n_points), n_rounds),
        Why::Commits { n_new: 0, n_rescued: n_rescued @ 1.., agree } => {
            say::and(said_by(agree, say::it_is_done()), say::saved_by_rescue(counts::commits(n_rescued)))
        }
        Why::Commits { n_new, agree, .. } => {
            let commits = match n_new {
                0 => sets::rule(Rule::YesWithCommits).to_owned(),
                _ => counts::new_commits(n_new),
            };
            let agree = match (names(agree), is_singular(agree)) {
                (None, _) => None,
                (Some(names), true) => Some(say::agrees(names)),
                (Some(names), false) => Some(say::agree(names)),
            };
            beside(&say::since_baseline(commits), agree)
        }
        Why::Uncommitted(by, work) => say::but(said_by(by, say::it_is_done()), of_work(work)),
        Why::Clean(by) => clean(by, say::tree_is_clean()),
        Why::Permission => say::permission().to_owned(),
        Why::TreeUnread => say::tree_unread().to_owned(),
        Why::Landed(n_commits) => say::landed(counts::commits(*n_commits)),
        Why::ChangedElsewhere(work) => say::changed_elsewhere(of_elsewhere(work)),
        Why::OnlyAtRisk(work) => say::and(of_work(work), sets::rule(Rule::NoEvidence)),
    }
}

/// Whether a reason against the work is a whole sentence about it: what a machine counted, and a fact of the record
/// that the source itself does not say.
fn says_by_itself(by: &[Source], reason: &Reason) -> bool {
    let is_counted = matches!(by, [Source::Plan | Source::Tests | Source::RequiredFiles | Source::Command]);
    is_counted || matches!(reason, Reason::Fact(Fact::NoneOfItsWork) | Reason::RunOver(_))
}

/// What to do about a turn that did not end by itself.
fn turn_that_was_cut(cut: Option<&Reason>) -> &'static str {
    match cut {
        Some(Reason::Fact(Fact::TurnInterrupted | Fact::TaskCut | Fact::BrokeOff)) => next::go_on(),
        Some(Reason::Fact(Fact::ProcessGone)) => next::resume(),
        Some(_) | None => next::look_at_turn(),
    }
}

/// The words of [`Why::Clean`], with the state of the work tree as given.
pub(super) fn clean(by: &[Source], tree: &str) -> String {
    say::and(said_by(by, say::it_is_done()), tree)
}

/// A next action in words.
pub(super) fn of_next(action: &NextAction) -> String {
    match action {
        NextAction::None => next::nothing().to_owned(),
        NextAction::Wait => next::wait().to_owned(),
        NextAction::WaitForLimit(until) => next::wait_for_limit(quoted(until)),
        NextAction::Allow(Some(what)) => next::allow(quoted(what)),
        NextAction::Allow(None) => next::allow(next::the_permission()),
        NextAction::Answer(Some(question)) => next::answer(quoted(question)),
        NextAction::Answer(None) => next::answer_agent().to_owned(),
        NextAction::Rescue(Some(n_files)) => next::rescue(counts::files(n_files)),
        NextAction::Rescue(None) => next::rescue(next::uncommitted_work()),
        NextAction::KeepCommits(n) => next::keep(counts::commits(n)),
        NextAction::Merge(branch) => next::merge(shown(branch)),
        NextAction::BringIn(Some(Reason::Git(GitReason::Kept { n, subject }))) => {
            next::reword(counts::commits(n), shown(subject))
        }
        NextAction::BringIn(Some(what)) => next::bring_in(quoted(what)),
        NextAction::BringIn(None) => next::bring_in(say::kept_apart()),
        NextAction::ResumeRun => next::resume_run().to_owned(),
        NextAction::Fix { first: None, .. } => next::send_back().to_owned(),
        NextAction::Fix { first: Some(point), n_more: 0 } => next::fix(quote(point)),
        NextAction::Fix { first: Some(point), n_more } => next::fix_more(quote(point), n_more),
        NextAction::RunTests { is_known: true } => next::run_tests().to_owned(),
        NextAction::RunTests { is_known: false } => next::run_unknown_tests().to_owned(),
        NextAction::Commit => next::commit().to_owned(),
        NextAction::AskWhetherDone { has_session, at_risk } => {
            let ask = if *has_session { next::ask() } else { next::decide() };
            beside(ask, at_risk.as_ref().map(of_work))
        }
        NextAction::LookAtNothing => next::look_at_nothing().to_owned(),
        NextAction::BringBack(work) => bring_back(work),
        NextAction::OwnMark { at_risk } => beside(next::own_mark(), at_risk.as_ref().map(of_work)),
        NextAction::LookAtTurn { cut } => turn_that_was_cut(cut.as_ref()).to_owned(),
        NextAction::LookAtLastWords { has_session: true } => next::ask_about_last_words().to_owned(),
        NextAction::LookAtLastWords { has_session: false } => next::look_at_last_words().to_owned(),
        NextAction::Repair(Some(what)) => next::repair(quoted(what)),
        NextAction::Repair(None) => next::repair("git"),
        NextAction::Rewrite { report, has_session: true } => next::agent_rewrites(report_file(*report)),
        NextAction::Rewrite { report, has_session: false } => next::rewrite(report_file(*report)),
        // The words "look at the error" already say that the reply is one.
        NextAction::LookAtError(Some(Reason::LastReply(error))) => {
            say::because(next::look_at_error(), quote(error))
        }
        NextAction::LookAtError(reason) => because(next::look_at_error(), reason.as_ref()),
    }
}

/// What is wrong with an unusable report: the decision file or the closer's.
pub(crate) fn unusable(report: Source, why: &str) -> String {
    say::because(say::unusable(report_file(report)), why)
}

/// The file in which a source reports.
fn report_file(report: Source) -> &'static str {
    if report == Source::Closer { say::closer_report() } else { say::decision_file() }
}

/// Describes the work that HEAD does not have.
pub(super) fn of_work(work: &AtRisk) -> String {
    match work {
        AtRisk::Files(Some(n)) => say::not_committed(counts::files_are(n)),
        AtRisk::Files(None) => say::not_committed(say::work_is()),
        AtRisk::OnBranch { n_files, branch } => {
            let files = n_files.map_or_else(|| say::work_is().to_owned(), counts::files_are);
            say::only_on(say::not_committed(files), shown(branch))
        }
        AtRisk::Commits(n) => say::on_no_branch(counts::commits_are(n)),
        AtRisk::KeptApart(Some(reason)) => quoted(reason),
        AtRisk::KeptApart(None) => say::kept_apart().to_owned(),
    }
}

/// Describes where the work is that changed nothing here.
fn of_elsewhere(work: &WorkElsewhere) -> String {
    match work {
        WorkElsewhere::OnBranch { n_commits, branch: Some(branch) } => {
            say::on_branch(counts::commits_are(n_commits), shown(branch))
        }
        WorkElsewhere::OnBranch { n_commits, branch: None } => {
            say::on_another_branch(counts::commits_are(n_commits))
        }
        WorkElsewhere::OfRescue(branch) => say::rescued_to(shown(branch)),
        WorkElsewhere::Outside(file, 0) => say::wrote(shown(file)),
        WorkElsewhere::Outside(file, n_more) => say::wrote_more(shown(file), n_more),
        WorkElsewhere::Dropped { n_commits, .. } => say::on_no_branch(counts::commits_are(n_commits)),
    }
}

/// How to bring such work back.
fn bring_back(work: &WorkElsewhere) -> String {
    match work {
        WorkElsewhere::OnBranch { branch: Some(branch), .. } => next::switch(shown(branch)),
        WorkElsewhere::OnBranch { branch: None, .. } => next::switch_to_another().to_owned(),
        WorkElsewhere::Outside(file, _) => next::look_outside(shown(file)),
        WorkElsewhere::OfRescue(branch) => next::merge(shown(branch)),
        WorkElsewhere::Dropped { n_commits, newest } => {
            next::take_back(format!("{newest:.8}"), counts::commits(n_commits))
        }
    }
}

fn because(what: &str, reason: Option<&Reason>) -> String {
    reason.map_or_else(|| what.to_owned(), |reason| say::because(what, quoted(reason)))
}

fn beside(what: &str, more: Option<String>) -> String {
    more.map_or_else(|| what.to_owned(), |more| say::beside(what, more))
}

fn quoted(reason: &Reason) -> String {
    quote(&label(reason))
}

fn quote(text: &str) -> String {
    display_text::shorten(&shown(text.trim()), MAX_QUOTE).into_owned()
}

/// Joins sources and their statement: `the tests and the plan say it is done`.
fn said_by(by: &[Source], what: &str) -> String {
    match names(by) {
        None => what.to_owned(),
        Some(names) if is_singular(by) => say::says(names, what),
        Some(names) => say::say(names, what),
    }
}

/// Whether the verb behind [`names`] takes the singular.
fn is_singular(sources: &[Source]) -> bool {
    matches!(sources, [one] if !one.title().ends_with('s'))
}

fn names(sources: &[Source]) -> Option<String> {
    let titles: Vec<String> = sources.iter().map(|source| say::the(source.title())).collect();
    let (last, before) = titles.split_last()?;
    Some(if before.is_empty() { last.clone() } else { say::all(before.join(", "), last) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_with_kept_work_depends_on_where_it_is() {
        let next = |reason: GitReason| of_next(&NextAction::BringIn(Some(reason.into())));
        let kept = GitReason::Kept { n: 2, subject: "wip".to_owned() };
        assert_eq!(next(kept), "finish the work, or reword 2 commits: wip");
        assert!(next(GitReason::StashedWork(1)).starts_with("bring it in: 1 "));
    }
}
