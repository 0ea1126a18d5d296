//! Sorts the commits since the baseline into classes: new work, empty, others', unknown; and lists the new ones.
//! Must not decide whether the work as a whole counts.

use std::collections::{HashMap, HashSet};

use super::helpers::Helper;
use super::history::History;
use super::newest::{made_at, newest_first, older_tests, summary};
use super::not_work::NotWork;
use super::reader::{Commit, Repo, TreeId, rescued};
use super::saved;
use super::strays::{self, WALK_LIMIT, unreached};
use super::tree_entries::{TreeEntries, trees_of};
use crate::git::{self, Read, ReflogAction, Repository};
use crate::model::{
    Baseline, BaselineOrigin, CommitCounts, CommitId, CommitSummary, LooseCommit, LoosePlace,
};

/// At most this many new commits are listed.
pub(super) const MAX_NEWEST: usize = 20;
/// At most this many new commits are examined for changes to tests.
const MAX_CENSUSED: usize = 100;

/// How one commit counts.
enum Class {
    New,
    Empty,
    Foreign,
    /// No log mentions it; which references reach it decides.
    Unknown,
}

/// The commits since the baseline, while they are sorted.
pub(super) struct Count<'a> {
    pub(super) repo: &'a dyn Repo,
    pub(super) repository: &'a Repository,
    pub(super) history: History,
    pub(super) baseline: &'a Baseline,
    /// The paths that are not work.
    pub(super) not_work: &'a NotWork,
    pub(super) tip: Option<CommitId>,
    /// References that stand for this branch itself.
    pub(super) own_refs: Vec<String>,
    /// The tips of all other references, once read.
    pub(super) refs: Option<Vec<CommitId>>,
    pub(super) helpers: Vec<Helper>,
    /// The commits that the helpers made.
    pub(super) merged: HashSet<CommitId>,
    pub(super) is_plain: bool,
    pub(super) is_detached: bool,
    pub(super) counts: CommitCounts,
}

impl Count<'_> {
    fn base(&self) -> &[CommitId] {
        self.baseline.commit.as_slice()
    }

    /// The commits that HEAD reaches and the baseline does not.
    pub(super) fn walk(&mut self) -> Read<Vec<Commit>> {
        let Some(tip) = self.tip.filter(|tip| self.baseline.commit != Some(*tip)) else {
            return Ok(Vec::new());
        };
        let mut walked = self.repo.walk(&[tip], self.base(), WALK_LIMIT + 1)?;
        self.counts.is_cut = walked.len() > WALK_LIMIT;
        walked.truncate(WALK_LIMIT);
        Ok(walked)
    }

    /// Counts the `walked` commits, and returns which of them are new work.
    pub(super) fn classify(&mut self, walked: &[Commit]) -> Read<HashSet<CommitId>> {
        if walked.is_empty() {
            return Ok(HashSet::new());
        }
        let same = self.rewritten(walked)?;
        let trees = self.trees(walked)?;
        let mut new: Vec<&Commit> = Vec::new();
        let mut unknown: Vec<&Commit> = Vec::new();
        for commit in walked {
            match self.class_of(commit, &trees, &same)? {
                Class::New => new.push(commit),
                Class::Empty => self.counts.n_empty += 1,
                Class::Foreign => self.counts.n_foreign += 1,
                Class::Unknown => unknown.push(commit),
            }
        }
        self.is_plain &= unknown.is_empty() && same.is_empty();
        self.take_unknown(unknown, walked, &mut new)?;
        let rescued = rescued(self.repo, &new)?;
        let new = self.list_new(walked, new, &rescued)?;
        self.list_rescued(walked, &rescued)?;
        Ok(new)
    }

    /// Adds those of the `unknown` commits to `new` that no other ref and no fetch brought here.
    fn take_unknown<'a>(
        &mut self,
        unknown: Vec<&'a Commit>,
        walked: &[Commit],
        new: &mut Vec<&'a Commit>,
    ) -> Read<()> {
        if unknown.is_empty() {
            return Ok(());
        }
        let ids: Vec<CommitId> = unknown.iter().map(|commit| commit.id).collect();
        let mut hide = self.other_refs()?.to_vec();
        hide.extend(self.received(walked));
        hide.extend(self.fetched()?);
        let here: HashSet<CommitId> =
            self.repo.walk(&ids, &hide, WALK_LIMIT)?.into_iter().map(|commit| commit.id).collect();
        for commit in unknown {
            if here.contains(&commit.id) {
                new.push(commit);
            } else {
                self.counts.n_foreign += 1;
            }
        }
        Ok(())
    }

    /// Counts and describes the `new` commits that hold work, and returns their ids. A rescue saves work; nobody
    /// has said that the work is done.
    fn list_new(
        &mut self,
        walked: &[Commit],
        new: Vec<&Commit>,
        rescued: &HashSet<CommitId>,
    ) -> Read<HashSet<CommitId>> {
        let (rescued_here, new): (Vec<&Commit>, Vec<&Commit>) =
            new.into_iter().partition(|commit| rescued.contains(&commit.id));
        let mut paths: HashMap<CommitId, Vec<Vec<u8>>> = HashMap::new();
        for commit in new.iter().take(MAX_NEWEST) {
            paths.insert(commit.id, self.repo.paths(commit)?);
        }
        let is_of_evidence =
            |commit: &&Commit| paths.get(&commit.id).is_some_and(|paths| self.not_work.has_all(paths));
        let (of_evidence, new): (Vec<&Commit>, Vec<&Commit>) = new.into_iter().partition(is_of_evidence);
        self.counts.n_evidence = u32::try_from(of_evidence.len()).unwrap_or(u32::MAX);
        let of_noise = of_evidence.iter().filter_map(|commit| paths.get(&commit.id));
        let n_noise = of_noise.filter(|paths| self.not_work.has_noise(paths)).count();
        self.counts.n_noise = u32::try_from(n_noise).unwrap_or(u32::MAX);
        self.counts.n_rescued = u32::try_from(rescued_here.len()).unwrap_or(u32::MAX);
        self.counts.n_new = u32::try_from(new.len()).unwrap_or(u32::MAX);
        self.count_unheld(new.iter().chain(&rescued_here).chain(&of_evidence))?;
        let new: HashSet<CommitId> = new.iter().map(|commit| commit.id).collect();
        let sorted = newest_first(walked).into_iter().filter(|commit| new.contains(&commit.id));
        for (at, commit) in sorted.take(MAX_CENSUSED).enumerate() {
            if at >= MAX_NEWEST {
                self.counts.older_tests.extend(older_tests(self.repo, commit)?);
                continue;
            }
            let summary = match paths.get(&commit.id) {
                Some(paths) => self.summary(commit, paths)?,
                None => self.summary(commit, &self.repo.paths(commit)?)?,
            };
            self.counts.newest.push(summary);
        }
        Ok(new)
    }

    /// Describes the newest commits of rescues.
    fn list_rescued(&mut self, walked: &[Commit], rescued: &HashSet<CommitId>) -> Read<()> {
        let of_rescues = newest_first(walked).into_iter().filter(|commit| rescued.contains(&commit.id));
        for commit in of_rescues.take(MAX_NEWEST) {
            let summary = self.summary(commit, &self.repo.paths(commit)?)?;
            self.counts.rescued.push(summary);
        }
        Ok(())
    }

    fn summary(&self, commit: &Commit, paths: &[Vec<u8>]) -> Read<CommitSummary> {
        let at = made_at(self.repo, &self.history, commit)?;
        let is_merged = self.merged.contains(&commit.id);
        Ok(CommitSummary { at, is_merged, ..summary(self.repo, commit, &self.not_work.work_among(paths))? })
    }

    /// Commits that only repeat a commit of the baseline in another form, after an amend of the baseline commit
    /// or a rebase of what was there when it was set.
    fn rewritten(&self, walked: &[Commit]) -> Read<HashSet<CommitId>> {
        let (Some(tip), Some(base)) = (self.tip, self.baseline.commit) else { return Ok(HashSet::new()) };
        // Compare only if history was rewritten, and only if some commit could count as made here.
        let may_count = |commit: &Commit| self.history.is_blind || self.history.made.contains_key(&commit.id);
        if walked.iter().any(|commit| commit.parents.contains(&base)) || !walked.iter().any(may_count) {
            return Ok(HashSet::new());
        }
        self.repo.equivalents(tip, base)
    }

    /// The trees of the walked commits, of their first parents, and of the commits they amended.
    fn trees(&self, walked: &[Commit]) -> Read<HashMap<CommitId, TreeId>> {
        let before = walked.iter().flat_map(|commit| {
            commit.parents.first().into_iter().chain(self.history.amended.get(&commit.id)).copied()
        });
        trees_of(self.repo, walked, before)
    }

    fn class_of(
        &self,
        commit: &Commit,
        trees: &HashMap<CommitId, TreeId>,
        same: &HashSet<CommitId>,
    ) -> Read<Class> {
        let made = self.history.made.get(&commit.id);
        if commit.parents.len() > 1 {
            let is_by_hand = matches!(made, Some(ReflogAction::MergeByHand | ReflogAction::Amend));
            return Ok(if is_by_hand && !self.repo.paths(commit)?.is_empty() {
                Class::New
            } else if made.is_none() && self.is_from_before(commit) {
                Class::Foreign
            } else {
                Class::Empty
            });
        }
        let before = match commit.parents.first() {
            Some(parent) => trees.get(parent).map(String::as_str),
            None => Some(self.repository.format.empty_tree()).filter(|tree| *tree == commit.tree),
        };
        let rewords =
            self.history.amended.get(&commit.id).is_some_and(|old| {
                !self.history.made.contains_key(old) && trees.get(old) == Some(&commit.tree)
            });
        if before == Some(commit.tree.as_str()) || same.contains(&commit.id) || rewords {
            return Ok(Class::Empty);
        }
        Ok(match made {
            Some(_) => Class::New,
            None if self.is_from_before(commit) => Class::Foreign,
            None => Class::Unknown,
        })
    }

    /// Whether a commit that no log mentions is older than the first look at the workspace.
    fn is_from_before(&self, commit: &Commit) -> bool {
        self.baseline.origin == BaselineOrigin::FirstSeen
            && self.baseline.commit.is_some()
            && commit.time < self.baseline.set_at.0.div_euclid(1000)
    }

    /// Commits known to come from elsewhere: tips of fast-forwards, and the merged sides of merges.
    fn received(&self, walked: &[Commit]) -> Vec<CommitId> {
        let mut received = Vec::new();
        let is_of_helper = |commit: &&Commit| self.helpers.iter().any(|helper| helper.after == commit.id);
        for commit in walked.iter().filter(|commit| !is_of_helper(commit)) {
            if self.history.received.contains(&commit.id) {
                received.push(commit.id);
            }
            let is_merge_here = self.history.made.contains_key(&commit.id);
            if is_merge_here && commit.parents.len() > 1 {
                received.extend(commit.parents.iter().skip(1));
            }
        }
        received
    }

    /// The commits of the last fetch, which may be on no branch.
    fn fetched(&self) -> Read<Vec<CommitId>> {
        let ids = git::fetched(self.repository)?;
        if ids.is_empty() {
            return Ok(ids);
        }
        Ok(self.repo.commits(&ids)?.into_iter().flatten().map(|commit| commit.id).collect())
    }

    /// The tips of all branches, remote branches and tags, except this branch itself and its helpers.
    fn other_refs(&mut self) -> Read<&[CommitId]> {
        if self.refs.is_none() {
            let mut tips: Vec<CommitId> = self
                .repo
                .refs(&["refs/heads", "refs/remotes", "refs/tags"])?
                .into_iter()
                .filter(|found| !self.own_refs.contains(&found.name))
                .filter(|found| {
                    !self.helpers.iter().any(|helper| helper.branch.as_ref() == Some(&found.name))
                })
                .map(|found| found.commit)
                .collect();
            tips.sort();
            tips.dedup();
            self.refs = Some(tips);
        }
        Ok(self.refs.as_deref().unwrap_or_default())
    }

    /// Counts commits made here since the baseline that HEAD does not reach: on another branch, or lost.
    pub(super) fn find_strays(&mut self, walked: &[Commit], entries: &mut TreeEntries<'_>) -> Read<()> {
        let ids = strays::ids(&self.history, walked, self.baseline.commit);
        if ids.is_empty() {
            return Ok(());
        }
        self.is_plain = false;
        let from_head: Vec<CommitId> = self.tip.iter().chain(self.base()).copied().collect();
        let mut tips = self.other_refs()?.to_vec();
        for name in
            self.own_refs.iter().chain(self.helpers.iter().filter_map(|helper| helper.branch.as_ref()))
        {
            tips.extend(self.repo.refs(&[name])?.into_iter().map(|found| found.commit));
        }
        let found = strays::count(
            self.repo,
            &self.history,
            (&ids, walked),
            (self.baseline.commit, &from_head, &tips),
            entries,
        )?;
        self.counts.n_elsewhere = found.n_elsewhere;
        if let Some((n_landed, newest)) = found.landed {
            (self.counts.n_landed, self.counts.newest_landed) = (n_landed, Some(newest));
        }
        if let Some((newest, at)) = found.newest_elsewhere {
            self.counts.newest_elsewhere = Some(at);
            let branches = self.repo.refs(&["refs/heads"])?;
            let mut ending = saved::branches_ending_with(newest, &branches);
            self.counts.elsewhere_on = ending.next().map(str::to_owned);
        }
        self.counts.n_lost = u32::try_from(found.lost.len()).unwrap_or(u32::MAX);
        self.counts.loose.0.extend(found.lost);
        Ok(())
    }

    /// On a detached HEAD, counts the commits made here that no reference reaches.
    fn count_unheld<'c>(&mut self, made: impl Iterator<Item = &'c &'c Commit>) -> Read<()> {
        if self.is_detached {
            let tips = self.other_refs()?.to_vec();
            let unheld = unreached(self.repo, made.map(|commit| (**commit).clone()).collect(), &tips)?;
            self.counts.n_unheld = u32::try_from(unheld.len()).unwrap_or(u32::MAX);
            let tip = self.tip.into_iter().filter(|_| !unheld.is_empty());
            self.counts.loose.0.splice(..0, tip.map(|id| LooseCommit::at(LoosePlace::Head, id)));
        }
        Ok(())
    }
}
