//! Where HEAD stood before, and what the commits made since have changed there. Content that HEAD already had at a
//! task's prompt is no work of that task, even in a new commit: made again after a reset, reverted twice, squashed.
//! Must not know when anybody was asked for anything; the judge compares times.

use std::collections::{HashMap, HashSet};

use super::evidence_paths::is_evidence;
use super::helpers::Helper;
use super::history::History;
use super::reader::{Commit, Id, Repo};
use super::tree_entries::{TreeEntries, trees_of};
use crate::git::{LogEntry, Read, ReflogAction};
use crate::model::{HeadStay, Timestamp};

/// At most this many of HEAD's last positions are compared.
const MOST_STAYS: usize = 32;
/// At most this many commits made since one position are compared by their paths; beyond, trees decide.
const MOST_COMPARED: usize = 100;
/// At most this many rewordings of one commit are followed back.
const MOST_REWORDED: usize = 20;

/// The paths that each commit changes, as far as they were read.
type CommitPaths = HashMap<Id, Vec<Vec<u8>>>;

/// What the positions are read from.
pub(super) struct Source<'a> {
    pub(super) repo: &'a dyn Repo,
    pub(super) history: &'a History,
    /// The log of HEAD, up to the HEAD that was read.
    pub(super) log: &'a [LogEntry],
    /// HEAD's commit.
    pub(super) tip: Option<&'a Id>,
    /// The commits since the baseline.
    pub(super) walked: &'a [Commit],
    /// Those of them that are new work.
    pub(super) new: &'a HashSet<Id>,
    pub(super) helpers: &'a [Helper],
    /// Paths, from the top, that are evidence and not work.
    pub(super) evidence: &'a [Vec<u8>],
}

/// A commit made here: when its content was made, in seconds since the epoch.
struct Own {
    id: Id,
    made: i64,
}

/// What happened after one position, gathered from the newest entry backwards.
#[derive(Default)]
struct Since {
    own: Vec<Own>,
    /// All commits made here, whether they count or not.
    made: HashSet<Id>,
    /// Where HEAD went without making a commit, and what was merged.
    arrivals: Vec<Id>,
    /// Something other than plain commits and amends happened.
    is_mixed: bool,
}

/// HEAD's last positions, oldest first, and whether all of them depend on plain commits alone. Empty if HEAD has no
/// log.
pub(super) fn read(source: &Source<'_>, entries: &mut TreeEntries<'_>) -> Read<(Vec<HeadStay>, bool)> {
    let Some(tip) = source.tip else { return Ok((Vec::new(), true)) };
    let positions = positions(source.log);
    let first = positions.len().saturating_sub(MOST_STAYS);
    let trees = source.trees(&positions[first..])?;
    let by_id: HashMap<&Id, &Commit> = source.walked.iter().map(|commit| (&commit.id, commit)).collect();
    let Some(tip_tree) = trees.get(tip) else { return Ok((Vec::new(), true)) };
    let mut since = Since::default();
    let mut stays = Vec::new();
    let mut next = source.log.len();
    let mut paths = CommitPaths::new();
    for (seconds, after, id) in positions[first..].iter().rev() {
        for entry in source.log[*after..next].iter().rev() {
            since.take(entry, source, &by_id)?;
        }
        next = *after;
        let tree = id.as_ref().and_then(|id| trees.get(id));
        let news_at = match (id, tree) {
            (_, Some(tree)) if tree == tip_tree => None,
            // The commit is gone: nobody can compare.
            (Some(_), None) => break,
            _ if since.is_mixed => {
                source.news(&since, (id.as_ref(), tree), tip_tree, (&trees, &mut paths), entries)?
            }
            _ => since.own.iter().map(|own| own.made).max(),
        };
        stays.push(HeadStay {
            from: Timestamp(seconds.saturating_mul(1000)),
            tree: tree.cloned(),
            news_at: news_at.map(|seconds| Timestamp(seconds.saturating_mul(1000))),
        });
    }
    stays.reverse();
    Ok((stays, !since.is_mixed))
}

/// Takes in that `commit` was made on top, and whether it is new work.
pub(super) fn advance(stays: &mut Vec<HeadStay>, commit: &Commit, is_work: bool) {
    let at = Timestamp(commit.time.saturating_mul(1000));
    for stay in stays.iter_mut().filter(|_| is_work) {
        stay.news_at = stay.news_at.max(Some(at));
    }
    stays.push(HeadStay { from: at, tree: Some(commit.tree.clone()), news_at: None });
    drop(stays.drain(..stays.len().saturating_sub(MOST_STAYS)));
}

/// HEAD's positions, oldest first: since when, the index of the first entry after, and the commit (`None` before the
/// first commit of a repository).
fn positions(log: &[LogEntry]) -> Vec<(i64, usize, Option<Id>)> {
    let mut positions = Vec::with_capacity(log.len() + 1);
    if let Some(first) = log.first().filter(|first| is_zero(&first.old)) {
        // A clone or a new worktree begins at a commit that was made elsewhere, and which is nobody's work here.
        positions.push(if first.action.is_making() { (0, 0, None) } else { (0, 1, Some(first.new.clone())) });
    }
    let moves = log.iter().enumerate().filter(|(_, entry)| entry.old != entry.new);
    positions.extend(moves.map(|(at, entry)| (entry.time, at + 1, Some(entry.new.clone()))));
    positions
}

fn is_zero(id: &str) -> bool {
    id.bytes().all(|digit| digit == b'0')
}

impl Since {
    /// Takes one entry more, older than those before.
    fn take(&mut self, entry: &LogEntry, source: &Source<'_>, walked: &HashMap<&Id, &Commit>) -> Read<()> {
        if entry.old == entry.new {
            return Ok(());
        }
        self.is_mixed |= !matches!(entry.action, ReflogAction::Commit | ReflogAction::Amend);
        let helper = source.helpers.iter().find(|helper| helper.after == entry.new);
        if entry.action.is_making() {
            self.made.insert(entry.new.clone());
            let commit = walked.get(&entry.new);
            if let Some(commit) = commit.filter(|commit| source.new.contains(&commit.id)) {
                let made = source.made(commit)?;
                self.own.push(Own { id: commit.id.clone(), made });
            }
            let merged = commit.into_iter().flat_map(|commit| commit.parents.iter().skip(1));
            self.arrivals.extend(merged.filter(|_| helper.is_none()).cloned());
        } else if helper.is_none() {
            self.arrivals.push(entry.new.clone());
        }
        if let Some(helper) = helper {
            let of_helper = source.repo.walk(
                std::slice::from_ref(&helper.tip),
                std::slice::from_ref(&helper.before),
                MOST_COMPARED,
            )?;
            self.own.extend(of_helper.into_iter().filter(|commit| source.new.contains(&commit.id)).map(
                |commit| {
                    let made = commit.time.min(commit.authored);
                    Own { made: made.min(helper.began.unwrap_or(made)), id: commit.id }
                },
            ));
        }
        Ok(())
    }
}

impl Source<'_> {
    /// The trees of HEAD's commit, of these positions, and of all that HEAD met since.
    fn trees(&self, positions: &[(i64, usize, Option<Id>)]) -> Read<HashMap<Id, Id>> {
        let from = positions.first().map_or(self.log.len(), |(_, after, _)| *after);
        let met = positions.iter().filter_map(|(_, _, id)| id.clone());
        let met = met.chain(self.log[from..].iter().map(|entry| entry.new.clone()));
        let merged = self.walked.iter().flat_map(|commit| commit.parents.iter().skip(1).cloned());
        trees_of(self.repo, self.walked, met.chain(merged).chain(self.tip.cloned()))
    }

    /// When the content of a commit made here was made. What a rebase or a cherry-pick repeats is as old as what it
    /// repeats, and so is a commit with another message.
    fn made(&self, commit: &Commit) -> Read<i64> {
        let mut commit = commit.clone();
        for _ in 0..MOST_REWORDED {
            match self.history.made.get(&commit.id) {
                Some(ReflogAction::Replay) => return Ok(commit.time.min(commit.authored)),
                Some(ReflogAction::Amend | ReflogAction::ReplayOver) => {}
                _ => break,
            }
            let before: Vec<Id> = self.history.before.get(&commit.id).cloned().into_iter().collect();
            match self.repo.commits(&before)?.into_iter().flatten().next() {
                Some(before) if before.tree == commit.tree => commit = before,
                _ => break,
            }
        }
        Ok(commit.time)
    }

    /// When the newest own commit was made that brought a file to where it now is, from something else at the
    /// position `id` (whose tree is `tree`), and not as an arrival brought it.
    fn news(
        &self,
        since: &Since,
        (id, tree): (Option<&Id>, Option<&Id>),
        tip_tree: &Id,
        (trees, paths): (&HashMap<Id, Id>, &mut CommitPaths),
        entries: &mut TreeEntries<'_>,
    ) -> Read<Option<i64>> {
        if since.own.len() > MOST_COMPARED {
            return Ok(since.own.iter().map(|own| own.made).max());
        }
        let arrivals: HashSet<&Id> = since.arrivals.iter().filter(|id| !since.made.contains(*id)).collect();
        let mut newest = None;
        for own in &since.own {
            if newest >= Some(own.made) {
                continue;
            }
            if !paths.contains_key(&own.id) {
                let commit = self.repo.commits(std::slice::from_ref(&own.id))?.into_iter().flatten().next();
                let found = commit.map_or(Ok(Vec::new()), |commit| self.repo.paths(&commit))?;
                paths.insert(own.id.clone(), found);
            }
            for path in paths.get(&own.id).into_iter().flatten() {
                if !is_evidence(path, self.evidence)
                    && !entries.are_same(tree, Some(tip_tree), path)?
                    && !self.arrived(&arrivals, (id, tree), tip_tree, (path.as_slice(), trees), entries)?
                {
                    newest = newest.max(Some(own.made));
                    break;
                }
            }
        }
        Ok(newest)
    }

    /// Whether a file is now as an arrival brought it: a commit that HEAD met, and that was not in its history at
    /// the position `id`. That a file is missing says something only of what is in HEAD's history now.
    fn arrived(
        &self,
        arrivals: &HashSet<&Id>,
        (id, tree): (Option<&Id>, Option<&Id>),
        tip_tree: &Id,
        (path, trees): (&[u8], &HashMap<Id, Id>),
        entries: &mut TreeEntries<'_>,
    ) -> Read<bool> {
        let is_missing = entries.are_same(None, Some(tip_tree), path)?;
        for arrival in arrivals {
            let Some(arrived) = trees.get(*arrival) else { continue };
            if Some(arrived) != tree
                && entries.are_same(Some(arrived), Some(tip_tree), path)?
                && !self.is_ancestor(arrival, id)?
                && (!is_missing || self.is_ancestor(arrival, self.tip)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_ancestor(&self, id: &Id, of: Option<&Id>) -> Read<bool> {
        let Some(of) = of else { return Ok(false) };
        Ok(id == of || self.repo.merge_base(id, of)?.as_ref() == Some(id))
    }
}
