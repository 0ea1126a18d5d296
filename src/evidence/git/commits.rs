//! Determines which commits since the baseline are really new work.
//!
//! A plain count of `baseline..HEAD` can be fooled (`SECURITY.md` 1.4): by an empty commit, by a merge or
//! fast-forward of others' commits, by an amend that only rewords. So each commit is examined: it must change
//! content, must not be a merge without changes of its own, and must either be recorded in the logs as made
//! here or be reachable from this branch alone. In doubt a commit is not new: work that is not counted is still
//! shown, but work that is counted wrongly is believed.

use std::collections::HashSet;

use super::commit_classes::Count;
use super::content_age::{Ages, others};
use super::head_news::Source;
use super::helpers;
use super::history::History;
use super::not_work::NotWork;
use super::reader::Repo;
use super::stays;
use super::tree_entries::TreeEntries;
use crate::git::{self, LogEntry, Read, ReflogAction, Repository};
use crate::model::{Baseline, CommitCounts, CommitId, Head, Timestamp};

/// So many rows of moves between commits are looked at, the newest first, and so many commits behind each.
const MAX_MOVES: usize = 16;

/// What happened since the baseline.
pub(super) struct Counted {
    pub(super) counts: CommitCounts,
    /// The counts depend only on the commits of this branch and the log of HEAD.
    pub(super) is_plain: bool,
}

pub(super) fn count(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    baseline: &Baseline,
    not_work: &NotWork,
    asked: &[Timestamp],
) -> Read<Counted> {
    let branch = head.branch().map(|name| format!("refs/heads/{name}"));
    let branch_log = branch.as_deref().map_or(Ok(Vec::new()), |name| repo.reflog(name))?;
    let head_log = repo.reflog("HEAD")?;
    let head_log = settled(&head_log, head);
    let history = History::of(head_log, &branch_log, baseline);
    let mut count = Count {
        repo,
        repository,
        history,
        baseline,
        not_work,
        tip: head.commit(),
        own_refs: branch.into_iter().chain(git::rebased_branch(repository)).collect(),
        refs: None,
        helpers: Vec::new(),
        merged: HashSet::new(),
        is_plain: true,
        is_detached: matches!(head, Head::Detached { .. }),
        counts: CommitCounts::default(),
    };
    // On a detached HEAD the counts also depend on what other references reach.
    count.is_plain = !count.history.is_blind && !count.is_detached;
    let walked = count.walk()?;
    count.helpers = helpers::find(repo, head_log, baseline, &walked)?;
    for helper in &count.helpers {
        count.merged.extend(helper.commits(repo)?.into_iter().map(|commit| commit.id));
    }
    let new = count.classify(&walked)?;
    let mut entries = TreeEntries::new(repo, repository.format.id_length());
    count.find_strays(&walked, &mut entries)?;
    let others = if new.is_empty() { Vec::new() } else { others(repo, head_log)? };
    let source = Source {
        repo,
        history: &count.history,
        log: head_log,
        tip: count.tip,
        walked: &walked,
        new: &new,
        helpers: &count.helpers,
        others: &others,
        not_work,
        asked,
    };
    let (stays, are_plain) = stays::read(&source, &mut entries)?;
    let mut counts = count.counts;
    mark_taken(&source, &mut counts, &mut entries)?;
    let n_counted = counts.n_new.saturating_add(counts.n_rescued);
    if n_counted > 0 && is_as_at_baseline(repo, repository, head, baseline)? {
        counts.n_cancelled = n_counted;
        counts.n_empty = counts.n_empty.saturating_add(n_counted);
        (counts.n_new, counts.n_rescued) = (0, 0);
        counts.newest.clear();
        counts.rescued.clear();
    }
    counts.stays = stays;
    counts.brought_at = brought_at(repo, head_log, &counts)?;
    counts.is_blind = head_log.is_empty();
    let is_plain = count.is_plain && are_plain && !counts.is_cut && counts.n_cancelled == 0;
    Ok(Counted { counts, is_plain })
}

/// Marks the commits whose files another branch brought: they were picked or squashed from there.
fn mark_taken(source: &Source<'_>, counts: &mut CommitCounts, entries: &mut TreeEntries<'_>) -> Read<()> {
    let Some(tip) = source.walked.iter().find(|commit| source.tip == Some(commit.id)) else { return Ok(()) };
    let mut ages = Ages::new(source.repo, source.others, (tip.id, &tip.tree));
    for commit in &mut counts.newest {
        let paths: Vec<Vec<u8>> =
            commit.paths.iter().flatten().map(|path| path.as_bytes().to_vec()).collect();
        commit.is_merged |= ages.are_taken(&paths, commit, source.log, entries)?;
    }
    Ok(())
}

/// When HEAD last came to content that no commit made here brought. Moves after which HEAD has again what it had before bring
/// nothing: a switch to `main` and a fast-forward to what was left, or a soft reset and one commit in place of three.
pub(super) fn brought_at(
    repo: &dyn Repo,
    log: &[LogEntry],
    counts: &CommitCounts,
) -> Read<Option<Timestamp>> {
    let is_made = |entry: &LogEntry| {
        matches!(entry.action, ReflogAction::Commit | ReflogAction::Amend)
            || counts.rescued.iter().any(|commit| Some(commit.id) == entry.new)
    };
    let mut end = log.len();
    for _ in 0..MAX_MOVES {
        let Some(last) = log[..end].iter().rposition(|entry| !is_made(entry)) else { return Ok(None) };
        let first = log[..last].iter().rposition(is_made).map_or(0, |made| made + 1);
        let brought = Some(Timestamp(log[last].time.saturating_mul(1000)));
        let Some(old) = log[first].old else { return Ok(brought) };
        let since = log[last..].iter().take(MAX_MOVES).chain(log.last());
        let ids: Vec<CommitId> = std::iter::once(old).chain(since.filter_map(|entry| entry.new)).collect();
        let mut trees = repo.commits(&ids)?.into_iter().map(|commit| commit.map(|commit| commit.tree));
        let before = trees.next().flatten();
        if before.is_none() || !trees.any(|tree| tree == before) {
            return Ok(brought);
        }
        end = first;
    }
    Ok(None)
}

/// Whether HEAD's content equals the baseline's: reverted work is not work.
fn is_as_at_baseline(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    baseline: &Baseline,
) -> Read<bool> {
    let Some(tip) = head.commit() else { return Ok(false) };
    let ids: Vec<CommitId> = std::iter::once(tip).chain(baseline.commit).collect();
    let mut found = repo.commits(&ids)?.into_iter().flatten().map(|commit| commit.tree);
    let Some(tree) = found.next() else { return Ok(false) };
    Ok(match &baseline.commit {
        Some(_) => found.next() == Some(tree),
        None => tree == repository.format.empty_tree(),
    })
}

/// The log of HEAD up to the HEAD that was read. Git writes the log before it moves the branch, so without this
/// cut a commit being made right now would look lost.
fn settled<'l>(log: &'l [LogEntry], head: &Head) -> &'l [LogEntry] {
    let is_head = |entry: &LogEntry| entry.new.is_some() && entry.new == head.commit();
    match log.iter().rposition(is_head) {
        Some(last) => &log[..=last],
        None => log,
    }
}
