//! Which evidence belongs to the current tasks (DESIGN.md 2.2): a YES from before the last prompt for work,
//! or from the future, does not count; other people's changes are no reason; kept, stashed and hidden work
//! counts as work.
//!
//! Must never remove a question or a failure, and of the NOs only that of a push which git shows to be done.

use crate::judge::weigh::unfinished;
use crate::judge::{GRACE_MS, words};
use crate::model::{
    Claim, Evidence, Fact, GitReason, HeadNews, HiddenFile, Operation, Origin, Point, Reason, Rejection,
    SomeNames, Source, Stashed, TaskWork, Timestamp,
};

use super::case::{Case, changes, commits};
use super::whose;

/// The evidence as it counts for what was asked last.
pub(super) fn of_this_task(evidence: Evidence, case: &Case<'_>) -> Evidence {
    match (evidence.claim, evidence.source) {
        (Claim::Yes, Source::Commits) => committed(evidence, case),
        (Claim::Yes, Source::RequiredFiles) => required(evidence, case),
        (Claim::Yes, _) => aged(evidence, case),
        (Claim::Dirty, Source::Changes) => with_ignored(uncommitted(evidence, case), case),
        (Claim::Abstain(_), Source::Changes) => with_ignored(evidence, case),
        (Claim::Abstain(_), Source::Tests) => passed(evidence, case),
        (Claim::No, Source::Command) if is_pushed(&evidence, case) => {
            Evidence { points: Vec::new(), ..evidence }.rejected(Rejection::Undecided, Fact::UpstreamHasAll)
        }
        _ => evidence,
    }
}

/// Whether this evidence misses a push, and the upstream branch has every commit of HEAD.
fn is_pushed(evidence: &Evidence, case: &Case<'_>) -> bool {
    let is_push = |point: &Point| matches!(point, Point::OrderedAct { act, .. } if act == "push");
    let upstream = case.git.and_then(|git| git.upstream.as_ref());
    !evidence.points.is_empty()
        && evidence.points.iter().all(is_push)
        && upstream.is_some_and(|upstream| upstream.ahead == 0)
}

/// Names beside the changes the files that the tasks wrote and git ignores.
fn with_ignored(evidence: Evidence, case: &Case<'_>) -> Evidence {
    let ignored = case.work.ignored.iter().map(String::as_str);
    let mut written = ignored.filter(|path| whose::is_named(path, case.work)).peekable();
    if written.peek().is_none() {
        return evidence;
    }
    let why = GitReason::Ignored(written.collect());
    evidence.because(why)
}

/// A run of a session that passed before something changed beside its record proves nothing of what is there now. What
/// changed is named.
fn passed(mut evidence: Evidence, case: &Case<'_>) -> Evidence {
    const NAMED: [Reason; 2] =
        [Reason::Fact(Fact::PassedBeforeEdit), Reason::Fact(Fact::PassedBeforeDocuments)];
    let Some(said_at) = evidence.said_at().filter(|said_at| whose::is_changed_since(*said_at, case)) else {
        return evidence;
    };
    for reason in &mut evidence.reasons {
        if matches!(reason, Reason::RunPassed(_)) {
            *reason = Fact::PassedBeforeEdit.into();
        }
    }
    let changed: SomeNames = whose::changed_since(said_at, case).into_iter().collect();
    if changed.first.is_empty() || !evidence.reasons.iter().any(|reason| NAMED.contains(reason)) {
        return evidence;
    }
    evidence.because(GitReason::ChangedAfterRun(changed))
}

fn aged(evidence: Evidence, case: &Case<'_>) -> Evidence {
    let Some(said_at) = evidence.said_at() else { return evidence };
    if whose::is_before(case.taken_at, said_at) {
        return evidence.rejected(Rejection::Undecided, Fact::InFuture);
    }
    if evidence.source == Source::Tests
        && let Some(softened) = whose::softened(case)
    {
        let reasons = [evidence.reasons, softened.reasons].concat();
        return Evidence { claim: Claim::Abstain(Rejection::Undecided), reasons, ..evidence };
    }
    let is_edited = || case.work.last_edit_at.is_some_and(|edited_at| whose::is_before(said_at, edited_at));
    if evidence.source == Source::Tests && (is_edited() || whose::is_tracked_changed_since(said_at, case)) {
        // Whoever requires test results wants them for the code as it is now. What passed before says nothing of it.
        let failed = if evidence.claim == Claim::No { evidence.reasons } else { Vec::new() };
        return Evidence { claim: Claim::No, reasons: failed, ..evidence }.because(Fact::ResultsBeforeEdit);
    }
    // All other sources are compared with the prompt where they are read.
    evidence
}

/// Names beside the required files those that no commit holds as they are.
fn required(evidence: Evidence, case: &Case<'_>) -> Evidence {
    let found = evidence.points.iter().filter_map(|point| {
        let Point::RequiredFile(paths) = point else { return None };
        paths.first().filter(|_| whose::are_uncommitted(paths, case)).cloned()
    });
    let files: SomeNames = found.collect();
    if files.first.is_empty() { evidence } else { evidence.because(GitReason::NotInCommit(files)) }
}

/// Removes the YES of commits that are not work of what was asked last.
fn committed(evidence: Evidence, case: &Case<'_>) -> Evidence {
    if let Some((rejection, why)) = why_not(evidence.said_at(), case) {
        return evidence.rejected(rejection, why);
    }
    if whose::are_all_others(case) {
        return evidence.rejected(Rejection::Foreign, Fact::MadeByHand);
    }
    if whose::are_all_from_before(case) {
        return evidence.rejected(Rejection::Vacuous, Fact::DirtyBefore);
    }
    let is_all_kept = commits(case).is_some_and(|commits| {
        n_kept(case) == commits.newest.len() && commits.n_new as usize <= commits.newest.len()
    });
    if is_all_kept && n_kept(case) > 0 {
        return evidence.rejected(Rejection::Undecided, Fact::OnlyKeepWork);
    }
    evidence
}

/// Why commits, the newest made at `said_at`, do not count for what was asked last; `None` if they do. They have to
/// change what HEAD held at that prompt: a new commit of the same content changes nothing.
fn why_not(said_at: Option<Timestamp>, case: &Case<'_>) -> Option<(Rejection, Fact)> {
    const FUTURE: (Rejection, Fact) = (Rejection::Undecided, Fact::InFuture);
    const OLD: (Rejection, Fact) = (Rejection::Stale, Fact::CommitsBefore);
    const ELSEWHERE: (Rejection, Fact) = (Rejection::Stale, Fact::CommittedElsewhere);
    const SAME: (Rejection, Fact) = (Rejection::Vacuous, Fact::SameContent);
    const CANCELLED: (Rejection, Fact) = (Rejection::Vacuous, Fact::CancelOut);
    const NO_LOG: (Rejection, Fact) = (Rejection::Undecided, Fact::NoHeadLog);
    const NO_NEWS: (Rejection, Fact) = (Rejection::Undecided, Fact::UnknownContent);
    let is_future = |at: Timestamp| whose::is_before(case.taken_at, at);
    if said_at.is_some_and(is_future) {
        return Some(FUTURE);
    }
    let is_cancelled = commits(case).is_some_and(|commits| commits.n_cancelled > 0);
    let Some(asked_at) = case.prompted_at else { return is_cancelled.then_some(CANCELLED) };
    let is_old = |at: Timestamp| whose::is_before(at, asked_at);
    let stay = commits(case).and_then(|commits| commits.stay_at(asked_at.plus_millis(-GRACE_MS)));
    match stay.map(|stay| stay.news) {
        Some(HeadNews::MadeAt(at)) if is_future(at) => Some(FUTURE),
        Some(HeadNews::MadeAt(at)) if is_old(at) => {
            Some(if said_at.is_some_and(is_old) { OLD } else { ELSEWHERE })
        }
        Some(HeadNews::MadeAt(_)) => None,
        Some(HeadNews::Unknown) => Some(if said_at.is_some_and(is_old) { OLD } else { NO_NEWS }),
        Some(HeadNews::None) => Some(if said_at.is_some_and(is_old) { OLD } else { SAME }),
        None if is_cancelled => Some(CANCELLED),
        None if said_at.is_some_and(is_old) => Some(OLD),
        None => whose::is_unknown_content(case, asked_at).then_some(NO_LOG),
    }
}

/// Removes from the uncommitted changes those that predate the first prompt or are not the task's.
fn uncommitted(evidence: Evidence, case: &Case<'_>) -> Evidence {
    let (Some(changes), Some(since)) = (changes(case), case.work.first_prompt_at) else { return evidence };
    let n_of_task = whose::n_of_task(changes, case.work);
    if n_of_task == changes.n_paths {
        return evidence;
    }
    let others = changes.files.iter().zip(&changes.on_disk);
    let named = others
        .filter(|(file, on_disk)| whose::is_persons(file, on_disk.as_ref(), since, case.work))
        .map(|(file, _)| file.path.as_str());
    let why = GitReason::NotOfTask(changes.n_paths - n_of_task, named.collect());
    if n_of_task == 0 { evidence.rejected(Rejection::Vacuous, why) } else { evidence.because(why) }
}

/// Work that git does not show as changed files and that no finishing commit holds: kept in WIP commits,
/// stashed, or hidden.
pub(super) fn kept_apart(case: &Case<'_>) -> Vec<Evidence> {
    let mut found = Vec::new();
    let mut add = |name, why: GitReason, at| {
        found.push(Evidence::claim(Source::Changes, name, Claim::Dirty, Origin::Git.at(at)).because(why));
    };
    let n_kept = n_kept(case);
    if let Some(newest) = commits(case).and_then(|commits| commits.newest.first()).filter(|_| n_kept > 0) {
        let subject = newest.subject.clone();
        add("kept work", GitReason::Kept { n: n_kept, subject }, Some(newest.at));
    }
    let Some(began_at) = case.work.began_at else { return found };
    let stashed = case.git.iter().flat_map(|git| &git.stashed_here);
    let is_of_task = |stashed: &&Stashed| {
        !case.work.stash_turns.iter().any(|turn| turn.has(stashed.at, GRACE_MS))
            && !whose::is_before(stashed.at, began_at)
            && whose::is_stashed_here(stashed, case.work)
            && !whose::is_persons_stash(stashed, case.work)
    };
    let stashed: Vec<&Stashed> = stashed.filter(is_of_task).collect();
    if let Some(newest) = stashed.first() {
        add("stash", GitReason::StashedWork(stashed.len()), Some(newest.at));
    }
    let hidden = changes(case).into_iter().flat_map(|changes| &changes.hidden);
    let hidden: Vec<&HiddenFile> =
        hidden.filter(|file| is_hidden_in_task(file, began_at, case.work)).collect();
    if let Some(first) = hidden.first() {
        let files = hidden.iter().map(|file| file.path.as_str()).collect();
        let at = first.on_disk.map(|on_disk| on_disk.modified_at);
        add("hidden files", GitReason::Hidden { behind: first.behind, files }, at);
    }
    found
}

/// A bisect that is going on, if a session of the task had a part in it: HEAD is where the search left it.
pub(super) fn bisect(case: &Case<'_>) -> Option<Evidence> {
    let operation = case.git?.operation.filter(|operation| *operation == Operation::Bisect)?;
    case.work.bisects.then(|| unfinished(operation))
}

/// One commit where a prompt asks for one for each of several things.
pub(super) fn all_in_one(case: &Case<'_>) -> Option<Evidence> {
    let is_one = commits(case).is_some_and(|commits| commits.n_new == 1 && commits.n_rescued == 0);
    (case.work.wants_commit_each && is_one).then(|| {
        let evidence = Evidence::claim(Source::Commits, "git", Claim::No, Origin::Git.as_read());
        Evidence { points: vec![Point::CommitForEach], ..evidence.because(Fact::AllInOneCommit) }
    })
}

/// Whether this evidence comes from `kept_apart`.
pub(super) fn is_kept_apart(evidence: &Evidence) -> bool {
    evidence.reasons.iter().any(|reason| matches!(reason, Reason::Git(reason) if reason.is_kept_apart()))
}

/// Whether a hidden file is work of the task: since the task began it was hidden, and it was deleted or
/// written, or a write call names it. What an older exclude hides is the person's own.
fn is_hidden_in_task(file: &HiddenFile, began_at: Timestamp, work: &TaskWork) -> bool {
    let is_written = file.on_disk.is_none_or(|on_disk| !whose::is_before(on_disk.modified_at, began_at));
    let is_told = work.sets_excludes || file.hidden_at.is_none_or(|at| !whose::is_before(at, began_at));
    is_told && (is_written || whose::is_named(&file.path, work))
}

/// How many of the newest commits merely keep work, counted down to the first that finishes some.
fn n_kept(case: &Case<'_>) -> usize {
    let newest = commits(case).into_iter().flat_map(|commits| &commits.newest);
    newest.take_while(|commit| is_kept_work(&commit.subject)).count()
}

/// Whether the subject of a commit says that it merely keeps unfinished work.
fn is_kept_work(subject: &str) -> bool {
    let subject = subject.trim().to_lowercase();
    if ["(wip)", "[wip]", "[skip wip]"].iter().any(|sign| subject.contains(sign)) || subject.ends_with(" wip")
    {
        return true;
    }
    // `feat(login): wip` keeps work just as `wip` does.
    let said = subject.split_once(": ").filter(|(kind, _)| !kind.contains(' ')).map_or("", |(_, rest)| rest);
    [subject.as_str(), said].into_iter().map(|said| said.trim_start_matches(['[', '(', '-', ' '])).any(
        |said| {
            let rest_of = |word: &str| said.strip_prefix(word);
            let is_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() && c.is_ascii());
            let is_alone = |rest: &str| {
                let rest = rest.trim_start();
                rest.is_empty()
                    || rest.starts_with([':', '#', '-', '.', '('])
                    || rest.starts_with(|c: char| c.is_ascii_digit())
                    || ["commit", "before", "after", "of work", "work"]
                        .iter()
                        .any(|word| rest.starts_with(word))
            };
            words::of("keeps").iter().filter_map(&rest_of).any(is_word)
                || words::of("keeps_alone").iter().filter_map(rest_of).any(is_alone)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_that_keep_work_are_told_from_those_that_end_it() {
        for subject in [
            "WIP", "wip: login", "[WIP] login", "fixup! Add login", "squash! x", "Checkpoint",
            "checkpoint 3", "Checkpoint: before the refactoring", "feat(login): wip", "Login page (WIP)",
            "login wip", "tmp", "temp commit", "Work in progress on login", "Save progress", "作業中",
            "snapshot before rebase",
        ] {
            assert!(is_kept_work(subject), "{subject}");
        }
        for subject in [
            "Add login page", "Wipe the cache", "Checkpoint saving for the trainer",
            "Snapshot tests for login", "Temporary files are deleted", "Backup script",
            "fix: save settings on exit", "Save settings", "feat: temp directory cleanup", "Swipe gestures",
        ] {
            assert!(!is_kept_work(subject), "{subject}");
        }
    }
}
