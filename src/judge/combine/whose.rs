//! Whose work it is (DESIGN.md 2.2, "work of a task"): finds commits and changed files that no session can
//! have made, and tests that a task removed.
//!
//! Only records that account for all of their turns can disown a change. When in doubt, a change is the task's.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::judge::GRACE_MS;
use crate::model::{
    BaselineOrigin, ChangeKind, ChangedFile, Changes, Claim, CommitSummary, Evidence, GitReason, LooseCommit,
    LoosePlace, OnDisk, Origin, Rejection, Source, Stashed, TaskWork, TestChange, Timestamp, TurnSpan,
    WorkElsewhere,
};

use super::case::{Case, changes, commits, n_unheld};

/// Whether no commit since the last prompt for work can belong to the tasks: each was made while no session
/// could commit, and touches no path that a write call names, or came from a branch that no session made. With a baseline set by a person it is never so,
/// since that already says whose commits count.
pub(super) fn are_all_others(case: &Case<'_>) -> bool {
    let Some(git) = case.git else { return false };
    let is_given = match git.baseline.origin {
        BaselineOrigin::Flag | BaselineOrigin::Configuration | BaselineOrigin::Workspace => true,
        BaselineOrigin::FirstSeen | BaselineOrigin::BranchPoint(_) => false,
    };
    !is_given && since_prompt(case).is_some_and(|mut since| since.all(|commit| is_others(commit, case.work)))
}

/// The commits since the last prompt for work; `None` if there are none, or if not all of them are known.
fn since_prompt<'a>(case: &Case<'a>) -> Option<impl Iterator<Item = &'a CommitSummary>> {
    let counts = commits(case)?;
    let newest = &counts.newest;
    let asked_at = case.prompted_at;
    let is_old =
        move |commit: &CommitSummary| asked_at.is_some_and(|asked_at| is_before(commit.at, asked_at));
    let is_all_known = counts.n_new as usize == newest.len() || newest.last().is_some_and(is_old);
    let mut since = newest.iter().filter(move |commit| !is_old(commit)).peekable();
    (is_all_known && since.peek().is_some()).then_some(since)
}

/// Whether the commits since the last prompt hold nothing but what lay in the work tree before the task began, although
/// something new was asked for. A file that no write call names and that is older than the task is the user's own.
pub(super) fn are_all_from_before(case: &Case<'_>) -> bool {
    let work = case.work;
    let Some(began_at) = work.began_at.filter(|_| work.wants_content && work.turns.is_some()) else {
        return false;
    };
    let is_from_before = |commit: &CommitSummary| {
        let paths = commit.paths.as_deref().unwrap_or_default();
        let was_there = |(path, at): (&String, &Option<Timestamp>)| {
            at.is_some_and(|at| is_before(at, began_at)) && !is_named(path, work)
        };
        !paths.is_empty()
            && paths.len() == commit.written_at.len()
            && paths.iter().zip(&commit.written_at).all(was_there)
    };
    work.has_deeds
        && !work.moves_files
        && since_prompt(case).is_some_and(|mut since| since.all(is_from_before))
}

/// Whether a rescue since the last prompt committed work of the task: a file that a write call names, or that was
/// written during a turn whose commands may write, since something new was asked for. Without a readable record, any
/// file is.
pub(super) fn is_saved(case: &Case<'_>) -> bool {
    let work = case.work;
    let is_told = work.has_deeds && !work.may_write;
    let in_a_turn = |at: Timestamp| {
        work.turns.as_ref().is_none_or(|turns| turns.iter().any(|turn| turn.has(at, GRACE_MS)))
    };
    let is_of_task = |(path, at): (&String, &Option<Timestamp>)| {
        let is_of_now = at.zip(work.content_asked_at).is_none_or(|(at, asked_at)| !is_before(at, asked_at));
        is_of_now && (is_named(path, work) || !is_told && at.is_some_and(in_a_turn))
    };
    let rescued = commits(case).into_iter().flat_map(|commits| &commits.rescued);
    let mut since =
        rescued.filter(|commit| case.prompted_at.is_none_or(|asked_at| !is_before(commit.at, asked_at)));
    since.any(|commit| match &commit.paths {
        Some(paths) => paths.iter().zip(&commit.written_at).any(is_of_task),
        None => !is_told,
    })
}

fn is_others(commit: &CommitSummary, work: &TaskWork) -> bool {
    let (Some(turns), Some(paths)) = (&work.turns, &commit.paths) else { return false };
    let is_named = || paths.iter().any(|path| is_named(path, work));
    if commit.is_merged && work.has_deeds && !work.may_branch {
        // The records tell of no branch and no other agent: what was merged is not theirs, unless they wrote it.
        return !is_named();
    }
    if (!work.has_deeds || work.is_unrecorded) && !turns.is_empty() {
        // The records name no tools: what was neither committed nor written during a
        // turn belongs to none of them.
        let in_a_turn = |at: Timestamp| turns.iter().any(|turn| turn.has(at, GRACE_MS));
        let is_theirs = |at: &Option<Timestamp>| at.is_none_or(in_a_turn);
        return !in_a_turn(commit.at) && !commit.written_at.iter().any(is_theirs);
    }
    // Commands can write any path, and some records do not tell of any deeds.
    let is_told = work.has_deeds && (work.paths().next().is_some() || !work.may_write);
    let in_a_turn = |turn: &TurnSpan| turn.may_commit && turn.has(commit.at, GRACE_MS);
    is_told && !turns.iter().any(in_a_turn) && !is_named()
}

/// Whether HEAD has no log, and nothing else shows that the commits since `asked_at` hold anything new: a file that a
/// session wrote, or can have written, since then.
pub(super) fn is_unknown_content(case: &Case<'_>, asked_at: Timestamp) -> bool {
    let Some(counts) = commits(case).filter(|counts| counts.is_blind) else { return false };
    let commands_write = case.work.may_write && !case.work.moves_files;
    let since = counts.newest.iter().filter(|commit| !is_before(commit.at, asked_at));
    let mut files = since.flat_map(|commit| commit.paths.iter().flatten().zip(&commit.written_at));
    !files.any(|(path, written_at)| {
        written_at.is_some_and(|at| !is_before(at, asked_at)) && (commands_write || is_named(path, case.work))
    })
}

/// Whether a change on disk was made while nothing of any session ran that may have made it.
fn is_beside_runs(on_disk: &OnDisk, work: &TaskWork) -> bool {
    let Some(ran) = &work.ran else { return false };
    work.has_deeds && !work.moves_files && !is_in_a_turn(on_disk.modified_at, ran)
}

/// Whether a session was working at this time.
fn is_in_a_turn(at: Timestamp, turns: &[TurnSpan]) -> bool {
    turns.iter().any(|turn| turn.has(at, GRACE_MS))
}

/// Whether the work of a task that names a branch was committed to one that is not checked out any more.
pub(super) fn is_on_another_branch(case: &Case<'_>) -> bool {
    let made = case.git.and_then(|git| git.commits.newest_elsewhere);
    let asked_at = case.work.content_asked_at.or(case.work.began_at);
    case.work.names_branch
        && made.zip(asked_at).is_some_and(|(made, asked)| made.0.saturating_add(999) >= asked.0)
}

/// How many commits of the task HEAD's history has in another form, since somebody squashed or picked them.
pub(super) fn n_landed(case: &Case<'_>) -> u32 {
    let asked_at = case.work.content_asked_at.or(case.work.began_at);
    let is_of_task = |newest: Timestamp| asked_at.is_some_and(|asked_at| !is_before(newest, asked_at));
    commits(case)
        .filter(|commits| commits.newest_landed.is_some_and(is_of_task))
        .map_or(0, |commits| commits.n_landed)
}

/// Where work of the task is that changed nothing here.
pub(super) fn elsewhere(case: &Case<'_>) -> Option<WorkElsewhere> {
    let git = case.git?;
    let asked_at = case.work.content_asked_at.or(case.work.began_at)?;
    let is_of_task = |at: &Timestamp| !is_before(*at, asked_at);
    let commits = &git.commits;
    if commits.newest_elsewhere.as_ref().is_some_and(is_of_task) {
        let branch = commits.elsewhere_on.clone();
        return Some(WorkElsewhere::OnBranch { n_commits: commits.n_elsewhere, branch });
    }
    if let Some((branch, _)) = git.rescued_to.as_ref().filter(|(_, at)| is_of_task(at)) {
        return Some(WorkElsewhere::OfRescue(branch.clone()));
    }
    let is_dropped = |commit: &&LooseCommit| {
        commit.place == LoosePlace::Lost
            && is_dropped(commit, case.work)
            && !commit.is_taken_back(&case.work.taken_back_at)
            && commit.made_at.as_ref().is_some_and(is_of_task)
    };
    let mut dropped = commits.loose.0.iter().filter(is_dropped);
    if let Some(LooseCommit { id: newest, .. }) = dropped.next() {
        let n_commits = u32::try_from(dropped.count()).unwrap_or(u32::MAX).saturating_add(1);
        return Some(WorkElsewhere::Dropped { n_commits, newest: *newest });
    }
    let (first, more) = case.work.outside.split_first()?;
    Some(WorkElsewhere::Outside(first.clone(), more.len()))
}

/// How many commits of the work are lost.
pub(super) fn n_lost(case: &Case<'_>) -> u32 {
    commits(case).map_or(0, |commits| commits.loose.n_lost_but(|commit| is_dropped(commit, case.work)))
}

/// The commits of the work that no branch holds, as something that is left to do.
pub(super) fn loose(case: &Case<'_>) -> Option<Evidence> {
    let n_loose = n_lost(case).saturating_add(n_unheld(case));
    let keep = || {
        Evidence::claim(Source::Commits, "commits on no branch", Claim::Dirty, Origin::Git.as_read())
            .because(GitReason::OnNoBranch(n_loose))
    };
    (n_loose > 0).then(keep)
}

/// Whether a person dropped a commit: they had it taken back, or reset its branch while no session was working.
pub(super) fn is_dropped(commit: &LooseCommit, work: &TaskWork) -> bool {
    let turns = work.turns.as_deref().filter(|turns| !turns.is_empty());
    let is_between_turns = commit.left_at.zip(turns).is_some_and(|(at, turns)| !is_in_a_turn(at, turns));
    commit.is_taken_back(&work.taken_back_at) || commit.is_reset && is_between_turns
}

/// Whether a stash entry was made in this work tree, or by a session of it in another one.
pub(super) fn is_stashed_here(stashed: &Stashed, work: &TaskWork) -> bool {
    stashed.is_of_branch || work.may_stash.iter().any(|turn| turn.has(stashed.at, GRACE_MS))
}

/// Whether a stash entry is the person's own: made between turns, and of files that no session names.
pub(super) fn is_persons_stash(stashed: &Stashed, work: &TaskWork) -> bool {
    let (Some(turns), Some(paths)) = (&work.turns, &stashed.paths) else { return false };
    let is_told = work.has_deeds && (work.paths().next().is_some() || !work.may_write);
    is_told && !is_in_a_turn(stashed.at, turns) && !paths.iter().any(|path| is_named(path, work))
}

/// Whether a write call names this path, relative to the top of the work tree or absolute.
pub(super) fn is_named(path: &str, work: &TaskWork) -> bool {
    is_among(path, work.paths())
}

/// Whether one of these absolute or relative paths is the path, or lies in it.
pub(super) fn is_among<'a>(path: &str, mut named: impl Iterator<Item = &'a Arc<str>>) -> bool {
    named.any(|named| {
        **named == *path || (path.ends_with('/') && named.contains(path)) || is_inside(named, path) || {
            let rest = named.strip_suffix(path);
            rest.is_some_and(|rest| rest.ends_with('/'))
        }
    })
}

/// Whether a file lies in the folder `path`, such as a submodule, which git names without a slash.
fn is_inside(named: &str, path: &str) -> bool {
    named
        .match_indices(path)
        .any(|(at, _)| named[at + path.len()..].starts_with('/') && (at == 0 || named[..at].ends_with('/')))
}

/// What the tasks' commits and uncommitted changes took from the tests without being asked to: fewer tests,
/// or more that are skipped. A green run then proves less than it says.
pub(super) fn softened(case: &Case<'_>) -> Option<Evidence> {
    if case.work.may_change_tests {
        return None;
    }
    let began_at = case.work.began_at?;
    let counts = commits(case);
    let newest = counts.into_iter().flat_map(|counts| &counts.newest);
    let newest = newest.flat_map(|commit| commit.tests.iter().map(|change| (commit.at, change)));
    let older = counts.into_iter().flat_map(|counts| &counts.older_tests).map(|(at, change)| (*at, change));
    let of_task = newest.chain(older).filter(|(at, _)| began_at.millis_since(*at) <= GRACE_MS);
    let of_tree = changes(case)
        .into_iter()
        .flat_map(|tree| tree.tests.iter().filter(|change| !are_persons(&change.path, tree, case.work)));
    let changes: Vec<_> = of_task.map(|(_, change)| change).chain(of_tree).collect();
    let sum = |count: fn(&TestChange) -> (u32, u32)| -> i64 {
        changes
            .iter()
            .map(|change| count(change))
            .map(|(before, after)| i64::from(after) - i64::from(before))
            .sum()
    };
    let n_lost = -sum(|change| (change.before.n_tests, change.after.n_tests));
    let n_left_out = sum(|change| (change.before.n_left_out, change.after.n_left_out));
    if n_lost <= 0 && n_left_out <= 0 {
        return None;
    }
    let is_softer = |change: &&&TestChange| {
        change.after.n_tests < change.before.n_tests || change.after.n_left_out > change.before.n_left_out
    };
    let mut files: Vec<&str> = changes.iter().filter(is_softer).map(|change| change.path.as_str()).collect();
    files.dedup();
    let why = GitReason::FewerTests { n_lost, n_left_out, files: files.into_iter().collect() };
    let read = Origin::Git.as_read();
    Some(Evidence::abstain(Source::Tests, "tests of the task", Rejection::Undecided, read).because(why))
}

/// Whether the content has changed since that moment, whoever changed it: HEAD came to other content, or a file was
/// written that a commit made since or the work tree has.
pub(super) fn is_changed_since(at: Timestamp, case: &Case<'_>) -> bool {
    is_one_changed_since(at, case, |_| true)
}

/// The same, without the files that git does not track: a test run leaves more than its results.
pub(super) fn is_tracked_changed_since(at: Timestamp, case: &Case<'_>) -> bool {
    is_one_changed_since(at, case, |file| file.unstaged != Some(ChangeKind::Untracked))
}

fn is_one_changed_since(at: Timestamp, case: &Case<'_>, counts: impl Fn(&ChangedFile) -> bool) -> bool {
    commits(case)
        .is_some_and(|commits| commits.brought_at.is_some_and(|brought_at| is_before(at, brought_at)))
        || written_since(at, case, counts).next().is_some()
}

/// The files that were written since that moment, by the times of commits and of the work tree.
pub(super) fn changed_since<'a>(at: Timestamp, case: &Case<'a>) -> BTreeSet<&'a str> {
    written_since(at, case, |_| true).flatten().collect()
}

/// Each file that was written since that moment, with its path if it is known: those of commits, and those changed in the
/// work tree that count.
fn written_since<'a>(
    at: Timestamp,
    case: &Case<'a>,
    counts: impl Fn(&ChangedFile) -> bool,
) -> impl Iterator<Item = Option<&'a str>> {
    let newest = commits(case).into_iter().flat_map(|commits| commits.newest.iter().chain(&commits.rescued));
    let committed = newest.flat_map(|commit| {
        let path = |n: usize| commit.paths.as_ref()?.get(n).map(String::as_str);
        let times = commit.written_at.iter().enumerate();
        // A checkout renews the time of a file, but what a commit holds was there when it was made.
        times.filter_map(move |(n, written_at)| Some((path(n), commit.at.min((*written_at)?))))
    });
    let files = changes(case).into_iter().flat_map(|changes| changes.files.iter().zip(&changes.on_disk));
    let files = files.filter(move |(file, _)| counts(file));
    let uncommitted =
        files.filter_map(|(file, on_disk)| Some((Some(file.path.as_str()), on_disk.as_ref()?.modified_at)));
    let later = committed.chain(uncommitted).filter(move |(_, written_at)| is_before(at, *written_at));
    later.map(|(path, _)| path)
}

/// Whether each of these files differs from what the commits hold, or may: of many changes only the first are named.
pub(super) fn are_uncommitted(paths: &[String], case: &Case<'_>) -> bool {
    let is_saved = case.git.is_some_and(|git| git.saved_on.is_some());
    let Some(changes) = changes(case).filter(|_| !is_saved && !paths.is_empty()) else { return false };
    let n_named = changes.files.len();
    if usize::try_from(changes.n_paths).is_ok_and(|n_paths| n_paths > n_named) {
        return true;
    }
    let named = || changes.files.iter().map(|file| &file.path).chain(&changes.noise);
    let is_changed = |path: &String| {
        let path = path.trim_start_matches("./");
        named().any(|changed| path == *changed || changed.ends_with('/') && path.starts_with(&**changed))
    };
    paths.iter().all(is_changed)
}

/// How many of the changed files are the tasks' work.
pub(super) fn n_of_task(changes: &Changes, work: &TaskWork) -> u32 {
    let Some(since) = work.first_prompt_at else { return changes.n_paths };
    let files = changes.files.iter().zip(&changes.on_disk);
    let n_before = files.filter(|(file, on_disk)| is_persons(file, on_disk.as_ref(), since, work)).count();
    changes.n_paths.saturating_sub(u32::try_from(n_before).unwrap_or(u32::MAX))
}

/// Whether the uncommitted change of this path is the person's own.
fn are_persons(path: &str, changes: &Changes, work: &TaskWork) -> bool {
    let Some(since) = work.first_prompt_at else { return false };
    let holds =
        |file: &ChangedFile| file.path == path || (file.path.ends_with('/') && path.starts_with(&file.path));
    let mut files = changes.files.iter().zip(&changes.on_disk);
    files.any(|(file, on_disk)| holds(file) && is_persons(file, on_disk.as_ref(), since, work))
}

/// Whether a change is the person's own: its content predates the first prompt or was written while nothing ran,
/// no write call names it, and no command can have brought it in with its old modification time.
pub(super) fn is_persons(
    file: &ChangedFile,
    on_disk: Option<&OnDisk>,
    since: Timestamp,
    work: &TaskWork,
) -> bool {
    let Some(on_disk) = on_disk else { return false };
    let was_there =
        is_before(on_disk.modified_at, since) && (!work.moves_files || is_before(on_disk.changed_at, since));
    file.unstaged != Some(ChangeKind::Conflicted)
        && (was_there || is_beside_runs(on_disk, work))
        && !is_named(&file.path, work)
}

/// Whether `one` is earlier than `other` by more than clocks and file systems may differ (`GRACE_MS`).
pub(super) fn is_before(one: Timestamp, other: Timestamp) -> bool {
    other.millis_since(one) > GRACE_MS
}
