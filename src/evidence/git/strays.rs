//! Counts the commits made here that HEAD does not reach: on another branch, or lost. A lost commit whose content
//! HEAD's history holds after all is not lost.

use std::collections::{HashMap, HashSet};

use super::history::History;
use super::landed;
use super::reader::{Commit, Repo, TreeId};
use super::rebased;
use super::tree_entries::TreeEntries;
use crate::git::Read;
use crate::model::{CommitId, LooseCommit, LoosePlace, Timestamp};

/// At most this many commits made here are looked for outside HEAD's history.
const STRAY_LIMIT: usize = 200;
/// At most this many commits of HEAD's history are searched for the content of lost ones.
const MAX_SEARCHED: usize = 40;
/// At most this many lost commits are searched for.
const MAX_LOST: usize = 40;
/// Longer files are not compared by their lines.
const LONGEST_COMPARED: usize = 256 << 10;
/// At most this many commits are walked.
pub(super) const WALK_LIMIT: usize = 10_000;

/// The commits made here that HEAD does not reach.
#[derive(Debug, Default)]
pub(super) struct Strays {
    /// How many a branch, a remote branch or a tag reaches.
    pub(super) n_elsewhere: u32,
    /// The newest of those, and when it was made.
    pub(super) newest_elsewhere: Option<(CommitId, Timestamp)>,
    /// How many there are, and when the newest was made, if HEAD's history has all of them in another form. None of
    /// them is elsewhere or lost then.
    pub(super) landed: Option<(u32, Timestamp)>,
    /// Those that nothing reaches, and nothing holds in another form, newest first; then those that are gone.
    pub(super) lost: Vec<LooseCommit>,
}

/// The commits made since the baseline that are not among the `walked` ones, from the newest.
pub(super) fn ids(history: &History, walked: &[Commit], base: Option<CommitId>) -> Vec<CommitId> {
    let here: HashSet<&CommitId> = walked.iter().map(|commit| &commit.id).collect();
    let strays = history.standing.iter().rev().filter(|id| !here.contains(id) && base != Some(**id));
    strays.take(STRAY_LIMIT).copied().collect()
}

/// Counts the commits `ids`. `from_head` are HEAD's commit and the baseline's, `tips` all references.
pub(super) fn count(
    repo: &dyn Repo,
    history: &History,
    (ids, walked): (&[CommitId], &[Commit]),
    (base, from_head, tips): (Option<CommitId>, &[CommitId], &[CommitId]),
    entries: &mut TreeEntries<'_>,
) -> Read<Strays> {
    let found = repo.commits(ids)?;
    // What a rebase left may be gone: nobody can compare it.
    let is_left = |id: &CommitId| history.rebases.iter().any(|rebase| rebase.left.contains(id));
    let missing = ids.iter().zip(&found).filter(|(id, commit)| commit.is_none() && !is_left(id));
    let missing: Vec<CommitId> = missing.map(|(id, _)| *id).collect();
    let mut found: Vec<Commit> = found.into_iter().flatten().collect();
    let parents: Vec<CommitId> = found.iter().filter_map(|commit| commit.parents.first().copied()).collect();
    let parents: HashMap<CommitId, TreeId> =
        repo.commits(&parents)?.into_iter().flatten().map(|parent| (parent.id, parent.tree)).collect();
    let is_empty =
        |commit: &Commit| commit.parents.first().is_some_and(|id| parents.get(id) == Some(&commit.tree));
    found.retain(|commit| !is_empty(commit));
    let carried = rebased::carried(repo, &history.rebases, &found, walked, entries)?;
    found.retain(|commit| !carried.contains(&commit.id));
    let found = unreached(repo, found, from_head)?;
    if missing.is_empty()
        && let Some(newest) = found.iter().map(|commit| commit.time).max()
        && have_landed(repo, ids, (&found, &parents), (walked, base), entries)?
    {
        let n_landed = u32::try_from(found.len()).unwrap_or(u32::MAX);
        return Ok(Strays { landed: Some((n_landed, seconds(newest))), ..Strays::default() });
    }
    let n_found = found.len();
    let times: Vec<(CommitId, i64)> = found.iter().map(|commit| (commit.id, commit.time)).collect();
    let lost = unreached(repo, found, tips)?;
    let n_elsewhere = n_found - lost.len();
    let is_lost = |id: &CommitId| lost.iter().any(|lost| lost.id == *id);
    let newest_elsewhere = times.iter().filter(|(id, _)| !is_lost(id)).max_by_key(|(_, at)| *at);
    let newest_elsewhere = newest_elsewhere.map(|(id, at)| (*id, seconds(*at)));
    let again = done_again(repo, history, &lost, walked, entries)?;
    let mut lost = lost;
    lost.retain(|commit| !again.contains(&commit.id));
    lost.sort_by_key(|commit| std::cmp::Reverse(commit.time));
    let lost = lost.into_iter().map(|commit| (commit.id, commit.parents, LoosePlace::Lost));
    let gone = missing.into_iter().map(|id| (id, Vec::new(), LoosePlace::Gone));
    Ok(Strays {
        n_elsewhere: u32::try_from(n_elsewhere).unwrap_or(u32::MAX),
        newest_elsewhere,
        landed: None,
        lost: lost.chain(gone).map(|found| dated(history, found)).collect(),
    })
}

/// Whether HEAD's history has all of the `found` commits, which are among `ids` (newest first), in another form.
fn have_landed(
    repo: &dyn Repo,
    ids: &[CommitId],
    (found, parents): (&[Commit], &HashMap<CommitId, TreeId>),
    (walked, base): (&[Commit], Option<CommitId>),
    entries: &mut TreeEntries<'_>,
) -> Read<bool> {
    let base = repo.commits(base.as_slice())?.into_iter().flatten().next().map(|base| base.tree);
    let by_age = ids.iter().rev().filter_map(|id| found.iter().find(|commit| commit.id == *id));
    let left: Vec<&Commit> = by_age.collect();
    landed::have_all(repo, (&left, parents), walked, base.as_ref(), entries)
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1000))
}

fn dated(history: &History, (id, parents, place): (CommitId, Vec<CommitId>, LoosePlace)) -> LooseCommit {
    let at = |times: &HashMap<CommitId, i64>| times.get(&id).copied().map(seconds);
    let (made_at, left_at) = (at(&history.stood_at), at(&history.left_at));
    let is_reset = history.reset.contains(&id);
    LooseCommit { id, parents, place, made_at, left_at, is_reset }
}

/// The `commits` that `tips` do not reach.
pub(super) fn unreached(repo: &dyn Repo, commits: Vec<Commit>, tips: &[CommitId]) -> Read<Vec<Commit>> {
    if commits.is_empty() {
        return Ok(commits);
    }
    let ids: Vec<CommitId> = commits.iter().map(|commit| commit.id).collect();
    let unreached: HashSet<CommitId> =
        repo.walk(&ids, tips, WALK_LIMIT)?.into_iter().map(|commit| commit.id).collect();
    Ok(commits.into_iter().filter(|commit| unreached.contains(&commit.id)).collect())
}

/// Lost commits whose content is in HEAD's history after all: squashed by hand, or committed again. Where HEAD holds all
/// files as such a commit left them, it holds those made directly before it, too; where it holds some files, it holds those
/// before that changed no other. A change that was made again alone holds nothing but itself.
fn done_again(
    repo: &dyn Repo,
    history: &History,
    lost: &[Commit],
    walked: &[Commit],
    entries: &mut TreeEntries<'_>,
) -> Read<HashSet<CommitId>> {
    let mut again = HashSet::new();
    let mut further: Vec<(HashSet<CommitId>, Vec<Vec<u8>>)> = Vec::new();
    for commit in lost.iter().take(MAX_LOST) {
        if again.contains(&commit.id) {
            continue;
        }
        if walked.iter().any(|stands| stands.tree == commit.tree) {
            again.insert(commit.id);
            again.extend(history.chain(Some(commit.id)));
        } else if walked.iter().any(|stands| rebased::is_same_change(stands, commit)) {
            again.insert(commit.id);
        } else if is_held(repo, commit, walked, entries)? {
            again.insert(commit.id);
            further.push((history.chain(Some(commit.id)).collect(), repo.paths(commit)?));
        }
    }
    for commit in lost.iter().take(MAX_LOST) {
        if !again.contains(&commit.id) && further.iter().any(|(before, _)| before.contains(&commit.id)) {
            let paths = repo.paths(commit)?;
            let is_further = |path: &Vec<u8>| {
                further.iter().any(|(before, held)| before.contains(&commit.id) && held.contains(path))
            };
            if paths.iter().all(is_further) {
                again.insert(commit.id);
            }
        }
    }
    Ok(again)
}

/// Whether each file that a commit changed is somewhere in HEAD's history as the commit left it, or worked on further
/// in a commit that took its place: with the same subject and parents, as an amend by hand leaves it.
fn is_held(repo: &dyn Repo, commit: &Commit, walked: &[Commit], entries: &mut TreeEntries<'_>) -> Read<bool> {
    let follows = |stands: &&Commit| stands.subject == commit.subject && stands.parents == commit.parents;
    let successor = walked.iter().find(follows);
    'paths: for path in repo.paths(commit)? {
        for stands in walked.iter().take(MAX_SEARCHED) {
            if entries.are_same(Some(&commit.tree), Some(&stands.tree), &path)? {
                continue 'paths;
            }
        }
        let Some(successor) = successor else { return Ok(false) };
        if !is_worked_on(repo, commit, successor, &path)? {
            return Ok(false);
        }
    }
    Ok(!walked.is_empty())
}

/// Whether a file in `after` holds most of the lines that it has in `before`.
fn is_worked_on(repo: &dyn Repo, before: &Commit, after: &Commit, path: &[u8]) -> Read<bool> {
    let Ok(path) = std::str::from_utf8(path) else { return Ok(false) };
    let Some(before) = repo.file(before.id, path, LONGEST_COMPARED)? else { return Ok(false) };
    let Some(after) = repo.file(after.id, path, LONGEST_COMPARED)? else { return Ok(false) };
    let lines = |text: &[u8]| -> HashSet<Vec<u8>> {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (before, after) = (lines(&before), lines(&after));
    Ok(before.intersection(&after).count() * 2 >= before.len())
}
