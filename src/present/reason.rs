//! The reasons of evidence in words. They may contain untrusted text: whoever displays them cleans them.

use serde::{Serialize, Serializer};

use std::borrow::Cow;

use super::phrases::{point, reason as say, verdict};
use super::texts::shown;
use super::{baseline, counts, problem, runs, sets};
use crate::model::{Evidence, GitReason, Point, Reason, SomeNames};

/// All reasons of a piece of evidence in words.
pub fn all(evidence: &Evidence) -> Vec<String> {
    evidence.reasons.iter().map(label).collect()
}

/// A reason in words.
pub fn label(reason: &Reason) -> String {
    match reason {
        Reason::Words(words) => words.clone(),
        Reason::Fact(fact) => sets::fact(*fact).to_owned(),
        Reason::CannotVerify(error) => say::cannot_verify(error),
        Reason::UnusableReport(error) => say::unusable_report(error),
        Reason::Unconfirmed(Some(percent)) => say::unconfirmed_at(percent),
        Reason::Unconfirmed(None) => say::unconfirmed().to_owned(),
        Reason::AllCompleted(n_items) => counts::completed_items(n_items),
        Reason::CommitsSince(n_commits) => say::ask_again(counts::commits(n_commits)),
        Reason::Decision(reason) => sets::decision_reason(*reason).to_owned(),
        Reason::FileNotUsed(reason) => say::file_not_used(sets::decision_reason(*reason)),
        Reason::ProbeFailed(failure) => sets::probe_failure(*failure).to_owned(),
        Reason::RunFailed(command) => say::run_failed(command),
        Reason::RunFailedBeside(command) => say::run_failed_beside(command),
        Reason::RunPassed(command) => say::run_passed(command),
        Reason::Demanded(what, found) => say::demanded(what, sets::fact(*found)),
        Reason::CommandEnded(end) => say::it(runs::command_end(*end)),
        Reason::RunOver(over) => runs::over(over),
        Reason::Calls(call) => say::calls(call),
        Reason::Background(work) => say::background(work),
        Reason::Permission(call) => say::permission(call),
        Reason::UnreadSessions(n) => counts::unread_sessions(n),
        Reason::LastReply(error) => say::last_reply(error),
        Reason::UsageLimit(until) => say::usage_limit(until),
        Reason::Offer(words) => say::offer(words),
        Reason::Declined(words) => say::declined(words),
        Reason::MayAsk(words) => say::may_ask(words),
        Reason::StopsHalfWay(sign) => say::stops_half_way(sign),
        Reason::MayBeOpen(words) => say::may_be_open(words),
        Reason::PutsOff(words) => say::puts_off(words),
        Reason::MissesBound { bound, words } => say::misses_bound(bound, words),
        Reason::Git(reason) => of_git(reason),
        Reason::CannotRead(why) => problem::of_reading(why),
        Reason::SupervisedRun { phase, iteration, max_iterations } => {
            say::supervised(runs::does(*phase), iteration, max_iterations)
        }
    }
}

fn of_git(reason: &GitReason) -> String {
    match reason {
        GitReason::NewCommits { n, is_at_least: true } => {
            say::at_least(verdict::since_baseline(counts::new_commits(n)))
        }
        GitReason::NewCommits { n, is_at_least: false } => verdict::since_baseline(counts::new_commits(n)),
        GitReason::Cancelled(n) => verdict::since_baseline(counts::commits(n)),
        GitReason::Aside(aside, n) => say::some_commits(counts::commits(n), sets::commit_aside(*aside)),
        GitReason::Stashed(n) => say::in_stash(counts::stash_entries(n)),
        GitReason::Unfinished(operation) => say::unfinished(sets::operation(*operation)),
        GitReason::Uncommitted(changes) => {
            let files = verdict::not_committed(counts::files_are(changes.n_paths));
            say::listed(files, baseline::change_counts(changes).join(", "))
        }
        GitReason::NotOfTask(n, files) => say::listed(say::not_of_task(counts::files_were(n)), some(files)),
        GitReason::Noise(files) => say::noise(some(files)),
        GitReason::Kept { n, subject } => say::listed(counts::kept_commits(n), shown(subject)),
        GitReason::OnNoBranch(n) => verdict::on_no_branch(counts::commits_are(n)),
        GitReason::StashedWork(n) => say::in_task_stash(counts::stash_entries(n)),
        GitReason::Hidden { behind, files } => {
            let n_files = files.first.len() + files.n_more;
            say::listed(say::hidden(counts::changed_files_are(n_files), behind), some(files))
        }
        GitReason::Ignored(files) => say::ignored(some(files)),
        GitReason::ChangedAfterRun(files) => say::changed_after_run(some(files)),
        GitReason::NotInCommit(files) => verdict::not_committed(some(files)),
        GitReason::FewerTests { n_lost, n_left_out, files } => {
            let lost = (*n_lost > 0).then(|| counts::fewer_tests(n_lost));
            let left_out = (*n_left_out > 0).then(|| counts::skipped_tests(n_left_out));
            let what: Vec<String> = lost.into_iter().chain(left_out).collect();
            say::listed(what.join(", "), some(files))
        }
    }
}

fn some(names: &SomeNames) -> String {
    let more = (names.n_more > 0).then(|| say::more_names(names.n_more));
    names.first.iter().map(|name| shown(name)).chain(more).collect::<Vec<_>>().join(", ")
}

/// A point in words; `None` for one that its evidence words.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other point is worded by its evidence")]
pub(crate) fn of_point(point: &Point) -> Option<Cow<'_, str>> {
    Some(match point {
        Point::Step(text) | Point::Goal(text) | Point::Pending(text) => text.into(),
        Point::MayBeOpen(text) => say::may_be_open(text).into(),
        Point::MissingFile(name) => point::missing(name).into(),
        Point::EmptyFile(name) => point::empty(name).into(),
        Point::FailingTest(name) => point::fails(name).into(),
        Point::OrderedRun(what) => point::run(what).into(),
        Point::FailedRun { tool, failing: Some(failing) } => point::fails_in(failing, tool).into(),
        _ => return None,
    })
}

/// In JSON a reason is its words.
impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&label(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChangeCounts, Operation};

    #[test]
    fn the_kinds_of_changes_add_up_to_the_files() {
        let said = |n_staged, n_unstaged, n_untracked, n_paths| {
            let counts = ChangeCounts { n_staged, n_unstaged, n_untracked, n_paths, n_conflicted: 0 };
            label(&GitReason::Uncommitted(counts).into())
        };
        assert_eq!(said(0, 1, 0, 1), "1 file is not committed: 1 not staged");
        assert_eq!(said(1, 1, 2, 4), "4 files are not committed: 1 staged, 1 not staged, 2 untracked");
        assert_eq!(
            said(1, 1, 3, 4),
            "4 files are not committed: 1 staged, 1 not staged, 3 untracked, 1 counts twice"
        );
        assert_eq!(said(3, 3, 0, 4), "4 files are not committed: 3 staged, 3 not staged, 2 count twice");
    }

    #[test]
    fn a_number_has_its_noun_and_its_verb() {
        let said = |reason: GitReason| label(&reason.into());
        let files: SomeNames = ["a", "b", "c", "d"].into_iter().collect();
        assert_eq!(
            said(GitReason::FewerTests { n_lost: 1, n_left_out: 2, files }),
            "1 fewer test than before the task, 2 more tests are skipped than before the task: \
             a, b, c, 1 more"
        );
        assert_eq!(
            said(GitReason::NewCommits { n: 1, is_at_least: true }),
            "at least 1 new commit since the baseline"
        );
        assert_eq!(said(GitReason::Unfinished(Operation::Merge)), "a merge was started but not finished");
    }
}
