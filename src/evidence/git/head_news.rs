//! What the commits made here since one position of HEAD changed of what it held there. What arrived from elsewhere,
//! or lies on another branch since before, is nobody's new work here. Where the cost reaches its bound, the answer is
//! unknown and never "own work". Must not know what anybody was asked for.

use std::collections::{HashMap, HashSet};

use super::content_age::{Ages, Other};
use super::helpers::Helper;
use super::history::History;
use super::not_work::NotWork;
use super::reader::{Commit, Repo, TreeId};
use super::tree_entries::TreeEntries;
use crate::git::{LogEntry, Read, ReflogAction};
use crate::model::{CommitId, HeadNews, Timestamp};

/// At most this many own commits are compared by their paths, for all positions together.
const MAX_COMPARED: usize = 500;
/// At most this many paths, and as many trees for one of them, are compared for all positions together.
const MAX_LOOKUPS: usize = 20_000;
/// Whether one commit holds another is worth so many of those comparisons: history is walked for it.
const ANCESTRY: usize = 100;
/// At most this many rewordings of one commit are followed back.
const MAX_REWORDED: usize = 20;
/// Content that is older than the first prompt by this many seconds is new at no prompt, whatever HEAD held.
const SURELY_OLD: i64 = 60;

/// What the positions are read from.
pub(super) struct Source<'a> {
    pub(super) repo: &'a dyn Repo,
    pub(super) history: &'a History,
    /// The log of HEAD, up to the HEAD that was read.
    pub(super) log: &'a [LogEntry],
    /// HEAD's commit.
    pub(super) tip: Option<CommitId>,
    /// The commits since the baseline.
    pub(super) walked: &'a [Commit],
    /// Those of them that are new work.
    pub(super) new: &'a HashSet<CommitId>,
    pub(super) helpers: &'a [Helper],
    pub(super) others: &'a [Other],
    /// The paths that are not work.
    pub(super) not_work: &'a NotWork,
    /// When anybody was asked for anything.
    pub(super) asked: &'a [Timestamp],
}

/// Where HEAD stood.
pub(super) struct Position {
    /// When it arrived there, in seconds since the epoch.
    pub(super) from: i64,
    /// The index of the first log entry after it.
    pub(super) after: usize,
    /// The commit; `None` before the first commit of a repository.
    pub(super) id: Option<CommitId>,
}

/// A commit made here: when its content was made, in seconds since the epoch.
struct Own {
    id: CommitId,
    made: i64,
}

/// What happened after one position, gathered from the newest entry backwards.
#[derive(Default)]
pub(super) struct Since {
    /// The newest content first.
    own: Vec<Own>,
    /// All commits made here, whether they count or not.
    made: HashSet<CommitId>,
    /// Where HEAD went without making a commit, and what was merged.
    arrivals: HashSet<CommitId>,
    /// Something other than plain commits and amends happened.
    is_mixed: bool,
}

impl Since {
    /// Something other than plain commits and amends happened.
    pub(super) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// The newest content of all.
    pub(super) fn newest(&self) -> HeadNews {
        self.own.first().map_or(HeadNews::None, |own| made_at(own.made))
    }

    /// Takes one entry more, older than those before.
    pub(super) fn take(
        &mut self,
        entry: &LogEntry,
        source: &Source<'_>,
        walked: &HashMap<CommitId, &Commit>,
    ) -> Read<()> {
        if entry.old == entry.new {
            return Ok(());
        }
        self.is_mixed |= !matches!(entry.action, ReflogAction::Commit | ReflogAction::Amend);
        let helper = source.helpers.iter().find(|helper| Some(helper.after) == entry.new);
        let Some(new) = entry.new else { return Ok(()) };
        if entry.action.is_making() {
            self.made.insert(new);
            self.arrivals.remove(&new);
            let commit = walked.get(&new);
            if let Some(commit) = commit.filter(|commit| source.new.contains(&commit.id)) {
                self.own(commit.id, source.made(commit)?);
            }
            let merged = commit.into_iter().flat_map(|commit| commit.parents.iter().skip(1));
            merged.filter(|_| helper.is_none()).for_each(|id| self.arrive(*id));
        } else if helper.is_none() {
            self.arrive(new);
        }
        if let Some(helper) = helper {
            for commit in
                helper.commits(source.repo)?.into_iter().filter(|commit| source.new.contains(&commit.id))
            {
                let made = commit.time.min(commit.authored);
                self.own(commit.id, made.min(helper.began.unwrap_or(made)));
            }
        }
        Ok(())
    }

    fn own(&mut self, id: CommitId, made: i64) {
        let at = self.own.partition_point(|own| own.made >= made);
        self.own.insert(at, Own { id, made });
    }

    fn arrive(&mut self, id: CommitId) {
        if !self.made.contains(&id) {
            self.arrivals.insert(id);
        }
    }
}

impl Source<'_> {
    /// When the content of a commit made here was made. What a rebase or a cherry-pick repeats is as old as what it
    /// repeats, and so is a commit with another message.
    fn made(&self, commit: &Commit) -> Read<i64> {
        let mut commit = commit.clone();
        for _ in 0..MAX_REWORDED {
            match self.history.made.get(&commit.id) {
                Some(ReflogAction::Replay) => return Ok(commit.time.min(commit.authored)),
                Some(ReflogAction::Amend | ReflogAction::ReplayOver) => {}
                _ => break,
            }
            let before: Vec<CommitId> =
                self.history.before.get(&commit.id).copied().flatten().into_iter().collect();
            match self.repo.commits(&before)?.into_iter().flatten().next() {
                Some(before) if before.tree == commit.tree => commit = before,
                _ => break,
            }
        }
        Ok(commit.time)
    }
}

fn made_at(seconds: i64) -> HeadNews {
    HeadNews::MadeAt(Timestamp(seconds.saturating_mul(1000)))
}

/// A bound was reached: nobody looked further.
struct Bounded;

/// The comparisons of all positions, with what they cost so far.
pub(super) struct Search<'a, 'e, 'r> {
    source: &'a Source<'a>,
    /// The trees of the commits that HEAD met.
    trees: &'a HashMap<CommitId, TreeId>,
    tip_tree: &'a TreeId,
    entries: &'e mut TreeEntries<'r>,
    /// The paths that each commit changes, as far as they were read.
    paths: HashMap<CommitId, Vec<Vec<u8>>>,
    is_ancestor: HashMap<(CommitId, CommitId), bool>,
    /// What was found for a commit, with the numbers of own commits and arrivals that were compared.
    known: HashMap<CommitId, (usize, usize, HeadNews)>,
    ages: Ages<'a>,
    n_lookups: usize,
}

impl<'a, 'e, 'r> Search<'a, 'e, 'r> {
    pub(super) fn new(
        source: &'a Source<'a>,
        trees: &'a HashMap<CommitId, TreeId>,
        tip: (CommitId, &'a TreeId),
        entries: &'e mut TreeEntries<'r>,
    ) -> Search<'a, 'e, 'r> {
        Search {
            source,
            trees,
            tip_tree: tip.1,
            entries,
            ages: Ages::new(source.repo, source.others, tip),
            paths: HashMap::new(),
            is_ancestor: HashMap::new(),
            known: HashMap::new(),
            n_lookups: 0,
        }
    }

    /// When the newest content was made here that brought a file to where it now is, from something else at
    /// `position` (whose tree is `tree`), and neither as an arrival brought it nor as another branch holds it.
    pub(super) fn news(
        &mut self,
        since: &Since,
        position: &Position,
        tree: Option<&TreeId>,
    ) -> Read<HeadNews> {
        let compared = (since.own.len(), since.arrivals.len());
        let known = position.id.as_ref().and_then(|id| self.known.get(id));
        if let Some((_, _, news)) = known.filter(|(own, arrivals, _)| (*own, *arrivals) == compared) {
            return Ok(*news);
        }
        let news = self.compare(since, position, tree)?;
        if let Some(id) = &position.id {
            self.known.insert(*id, (compared.0, compared.1, news));
        }
        Ok(news)
    }

    fn compare(&mut self, since: &Since, position: &Position, tree: Option<&TreeId>) -> Read<HeadNews> {
        let old =
            self.source.asked.iter().min().map_or(i64::MIN, |first| first.0.div_euclid(1000) - SURELY_OLD);
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut newest: Option<i64> = None;
        for own in &since.own {
            if newest.is_some_and(|newest| newest >= own.made) {
                break;
            }
            if own.made < old {
                return Ok(made_at(newest.unwrap_or(own.made)));
            }
            let Ok(paths) = self.paths_of(own.id)? else { return Ok(HeadNews::Unknown) };
            for path in paths {
                if newest == Some(own.made) || self.source.not_work.has(&path) || !seen.insert(path.clone()) {
                    continue;
                }
                self.n_lookups += 1 + since.arrivals.len();
                if self.n_lookups > MAX_LOOKUPS {
                    return Ok(HeadNews::Unknown);
                }
                if !self.entries.are_same(tree, Some(self.tip_tree), &path)?
                    && !self.arrived(since, own, position.id, tree, &path)?
                {
                    newest = newest.max(Some(self.ages.age(own.made, &path, self.entries)?));
                }
            }
        }
        Ok(newest.map_or(HeadNews::None, made_at))
    }

    fn paths_of(&mut self, id: CommitId) -> Read<Result<Vec<Vec<u8>>, Bounded>> {
        if let Some(paths) = self.paths.get(&id) {
            return Ok(Ok(paths.clone()));
        }
        if self.paths.len() == MAX_COMPARED {
            return Ok(Err(Bounded));
        }
        let repo = self.source.repo;
        let commit = repo.commits(&[id])?.into_iter().flatten().next();
        let paths = commit.map_or(Ok(Vec::new()), |commit| repo.paths(&commit))?;
        self.paths.insert(id, paths.clone());
        Ok(Ok(paths))
    }

    /// Whether a file is now as an arrival brought it: a commit that HEAD met, that was not in its history at the
    /// position `id`, and that does not itself hold the own commit. That a file is missing says something only of
    /// what is in HEAD's history now.
    fn arrived(
        &mut self,
        since: &Since,
        own: &Own,
        id: Option<CommitId>,
        tree: Option<&TreeId>,
        path: &[u8],
    ) -> Read<bool> {
        let is_missing = self.entries.are_same(None, Some(self.tip_tree), path)?;
        for &arrival in &since.arrivals {
            let Some(arrived) = self.trees.get(&arrival) else { continue };
            if Some(arrived) != tree
                && self.entries.are_same(Some(arrived), Some(self.tip_tree), path)?
                && !self.is_ancestor(arrival, id)?
                && !self.is_ancestor(own.id, Some(arrival))?
                && (!is_missing || self.is_ancestor(arrival, self.source.tip)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_ancestor(&mut self, id: CommitId, of: Option<CommitId>) -> Read<bool> {
        let Some(of) = of else { return Ok(false) };
        let key = (id, of);
        if let Some(is_ancestor) = self.is_ancestor.get(&key) {
            return Ok(*is_ancestor);
        }
        self.n_lookups += ANCESTRY;
        let is_ancestor = id == of || self.source.repo.merge_base(id, of)? == Some(id);
        self.is_ancestor.insert(key, is_ancestor);
        Ok(is_ancestor)
    }
}
