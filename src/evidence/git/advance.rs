//! Updates known facts after new commits on top of them. This is by far the most common change; it costs what
//! the new commits cost, not what the whole branch costs.

use super::commit_classes::MAX_NEWEST;
use super::commits;
use super::content_age::{self, Ages};
use super::memory::{Facts, Stamp};
use super::newest::summary;
use super::not_work::NotWork;
use super::reader::{Commit, Repo, rescued};
use super::stays;
use super::targets;
use super::tree_entries::TreeEntries;
use crate::git::{self, LogEntry, Read, ReflogAction, Repository};
use crate::model::{CommitCounts, CommitId, Timestamp};

/// Up to this many new commits are added one by one; with more, everything is counted again.
const LIMIT: usize = 32;

/// The facts after commits were made on top of the known HEAD and nothing else happened; `None` if everything
/// must be read again.
pub(super) fn advanced(
    known: &Facts,
    stamp: Stamp,
    repo: &dyn Repo,
    repository: &Repository,
    not_work: &NotWork,
) -> Read<Option<Facts>> {
    let Some(before) = &known.stamp else { return Ok(None) };
    let (Some(old), Some(new)) = (before.head().commit(), stamp.head().commit()) else { return Ok(None) };
    // What was stashed may be committed now.
    if !known.git.stashed_here.is_empty()
        || !known.is_plain
        || !stamp.is_further_on_branch(before)
        || old == new
    {
        return Ok(None);
    }
    let log = git::recent_log(repository)?;
    let Some(made) = made_on_top(&log, old, new) else { return Ok(None) };
    let base = known.git.baseline.commit;
    let ids: Vec<CommitId> = std::iter::once(old).chain(made).chain(base).collect();
    let Some(mut commits) = repo.commits(&ids)?.into_iter().collect::<Option<Vec<Commit>>>() else {
        return Ok(None);
    };
    let base = base.and_then(|_| commits.pop());
    if commits.last().is_some_and(|tip| holds_again(known, base.as_ref(), tip)) {
        return Ok(None);
    }
    let rescued = rescued(repo, &commits.iter().skip(1).collect::<Vec<_>>())?;
    let others = content_age::others(repo, &log)?;
    let mut entries = TreeEntries::new(repo, repository.format.id_length());
    let mut facts = known.clone();
    for (before, commit) in commits.iter().zip(commits.iter().skip(1)) {
        if commit.parents != [before.id] {
            return Ok(None);
        }
        let mut work = Vec::new();
        if commit.tree == before.tree {
            facts.git.commits.n_empty += 1;
        } else if rescued.contains(&commit.id) {
            facts.git.commits.n_rescued += 1;
            let told = summary(repo, commit, &not_work.work_among(&repo.paths(commit)?))?;
            facts.git.commits.rescued.insert(0, told);
        } else {
            let paths = repo.paths(commit)?;
            if not_work.has_all(&paths) {
                facts.git.commits.n_evidence += 1;
                facts.git.commits.n_noise += u32::from(not_work.has_noise(&paths));
            } else {
                facts.git.commits.n_new += 1;
                work = not_work.work_among(&paths);
                let mut told = summary(repo, commit, &work)?;
                let mut ages = Ages::new(repo, &others, (commit.id, &commit.tree));
                told.is_merged = ages.are_taken(&work, &told, &log, &mut entries)?;
                facts.git.commits.newest.insert(0, told);
            }
        }
        stays::advance(repo, &others, &mut facts.git.commits.stays, commit, &work, &mut entries)?;
    }
    // A commit brings nothing; it can only have again what was there before.
    if facts.git.commits.brought_at.is_some() {
        facts.git.commits.brought_at = brought_at(repo, &log, &facts.git.commits)?;
    }
    keep_newest(&mut facts.git.commits);
    move_on(&mut facts, &commits);
    facts.targets = targets::of(repository, stamp.head(), known.upstream_name.as_deref());
    facts.git.head = stamp.head().clone();
    facts.stamp = Some(stamp.until_read_anew());
    Ok(Some(facts))
}

/// As [`commits::brought_at`], by the end of the log; what came before it is known.
fn brought_at(repo: &dyn Repo, log: &[LogEntry], counts: &CommitCounts) -> Read<Option<Timestamp>> {
    let is_before = |at: &Timestamp| log.first().is_none_or(|first| first.time.saturating_mul(1000) > at.0);
    let found = commits::brought_at(repo, log, counts)?;
    Ok(found.or(counts.brought_at.filter(is_before)))
}

/// Whether HEAD holds again with `tip` what it held before: reverted work must be counted again. So must a history without
/// a baseline commit, since it may become empty again.
fn holds_again(known: &Facts, base: Option<&Commit>, tip: &Commit) -> bool {
    base.is_none_or(|base| tip.tree == base.tree)
        || known.git.commits.stays.iter().any(|stay| stay.tree.as_ref() == Some(&tip.tree))
}

/// Moves HEAD's tree, and how far it is ahead, over `commits`, the first of which was known.
fn move_on(facts: &mut Facts, commits: &[Commit]) {
    if let Some(upstream) = &mut facts.git.upstream {
        upstream.ahead += u32::try_from(commits.len() - 1).unwrap_or_default();
    }
    facts.git.tree = commits.last().map(|commit| commit.tree.clone());
}

/// Keeps of all but the newest commits only what they did to the tests.
fn keep_newest(counts: &mut CommitCounts) {
    let older = counts.newest.split_off(counts.newest.len().min(MAX_NEWEST));
    let tests =
        older.into_iter().flat_map(|commit| commit.tests.into_iter().map(move |test| (commit.at, test)));
    counts.older_tests.extend(tests);
    counts.rescued.truncate(MAX_NEWEST);
}

/// The commits between `old` and `new`, oldest first, if the log records each as made on top of the one before.
fn made_on_top(log: &[LogEntry], old: CommitId, new: CommitId) -> Option<Vec<CommitId>> {
    let mut made = Vec::new();
    let mut tip = new;
    for entry in log.iter().rev().take(LIMIT) {
        if entry.new != Some(tip) || entry.action != ReflogAction::Commit {
            return None;
        }
        made.push(tip);
        tip = entry.old?;
        if tip == old {
            made.reverse();
            return Some(made);
        }
    }
    None
}
