//! Determines which commits since the baseline are really new work.
//!
//! A plain count of `baseline..HEAD` can be fooled (`SECURITY.md` 1.4): by an empty commit, by a merge or
//! fast-forward of others' commits, by an amend that only rewords. So each commit is examined: it must change
//! content, must not be a merge without changes of its own, and must either be recorded in the logs as made
//! here or be reachable from this branch alone. In doubt a commit is not new: work that is not counted is still
//! shown, but work that is counted wrongly is believed.

use std::collections::{HashMap, HashSet};

use super::content_age::{Ages, others};
use super::evidence_paths::{is_evidence, tells_only};
use super::head_news::Source;
use super::helpers::{self, Helper};
use super::history::History;
use super::newest::{made_at, newest_first, older_tests, summary};
use super::reader::{Commit, Id, Repo, rescued};
use super::stays;
use super::strays::{self, WALK_LIMIT, unreached};
use super::tree_entries::{TreeEntries, trees_of};
use crate::git::{self, LogEntry, Read, ReflogAction, Repository};
use crate::model::{Baseline, BaselineOrigin, CommitCounts, CommitSummary, Head, Timestamp};

/// At most this many new commits are listed.
pub(super) const MAX_NEWEST: usize = 20;
/// At most this many new commits are examined for changes to tests.
const MAX_CENSUSED: usize = 100;
/// The ids of the empty tree, in SHA-1 and SHA-256.
const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

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
    (evidence, asked): (&[Vec<u8>], &[Timestamp]),
) -> Read<Counted> {
    let branch = head.branch().map(|name| format!("refs/heads/{name}"));
    let branch_log = match &branch {
        Some(name) => repo.reflog(name)?,
        None => Vec::new(),
    };
    let head_log = repo.reflog("HEAD")?;
    let head_log = settled(&head_log, head);
    let history = History::of(head_log, &branch_log, baseline);
    let mut count = Count {
        repo,
        repository,
        history,
        baseline,
        evidence,
        tip: head.commit().map(str::to_owned),
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
        tip: count.tip.as_ref(),
        walked: &walked,
        new: &new,
        helpers: &count.helpers,
        others: &others,
        evidence,
        asked,
    };
    let (stays, are_plain) = stays::read(&source, &mut entries)?;
    let mut counts = count.counts;
    mark_taken(&source, &mut counts, &mut entries)?;
    let n_counted = counts.n_new.saturating_add(counts.n_rescued);
    if n_counted > 0 && is_as_at_baseline(repo, head, baseline)? {
        counts.n_cancelled = n_counted;
        counts.n_empty = counts.n_empty.saturating_add(n_counted);
        (counts.n_new, counts.n_rescued) = (0, 0);
        counts.newest.clear();
        counts.rescued.clear();
    }
    counts.stays = stays;
    counts.is_blind = head_log.is_empty();
    let is_plain = count.is_plain && are_plain && !counts.is_cut && counts.n_cancelled == 0;
    Ok(Counted { counts, is_plain })
}

/// Marks the commits whose files another branch brought: they were picked or squashed from there.
fn mark_taken(source: &Source<'_>, counts: &mut CommitCounts, entries: &mut TreeEntries<'_>) -> Read<()> {
    let Some(tip) = source.walked.iter().find(|commit| source.tip == Some(&commit.id)) else { return Ok(()) };
    let mut ages = Ages::new(source.repo, source.others, (&tip.id, &tip.tree));
    for commit in &mut counts.newest {
        let paths = commit.paths.iter().flatten().map(|path| path.as_bytes().to_vec());
        let paths: Vec<Vec<u8>> = paths.filter(|path| !is_evidence(path, source.evidence)).collect();
        commit.is_merged |= ages.are_taken(&paths, source.log, entries)?;
    }
    Ok(())
}

/// Whether HEAD's content equals the baseline's: reverted work is not work.
fn is_as_at_baseline(repo: &dyn Repo, head: &Head, baseline: &Baseline) -> Read<bool> {
    let Some(tip) = head.commit() else { return Ok(false) };
    let ids: Vec<Id> = std::iter::once(tip.to_owned()).chain(baseline.commit.clone()).collect();
    let mut found = repo.commits(&ids)?.into_iter().flatten().map(|commit| commit.tree);
    let Some(tree) = found.next() else { return Ok(false) };
    Ok(match &baseline.commit {
        Some(_) => found.next() == Some(tree),
        None => EMPTY_TREES.contains(&tree.as_str()),
    })
}

/// The log of HEAD up to the HEAD that was read. Git writes the log before it moves the branch, so without this
/// cut a commit being made right now would look lost.
fn settled<'l>(log: &'l [LogEntry], head: &Head) -> &'l [LogEntry] {
    let is_head = |entry: &LogEntry| Some(entry.new.as_str()) == head.commit();
    match log.iter().rposition(is_head) {
        Some(last) => &log[..=last],
        None => log,
    }
}

/// How one commit counts.
enum Class {
    New,
    Empty,
    Foreign,
    /// No log mentions it; which references reach it decides.
    Unknown,
}

struct Count<'a> {
    repo: &'a dyn Repo,
    repository: &'a Repository,
    history: History,
    baseline: &'a Baseline,
    /// Paths, from the top, that are evidence and not work.
    evidence: &'a [Vec<u8>],
    tip: Option<Id>,
    /// References that stand for this branch itself.
    own_refs: Vec<String>,
    /// The tips of all other references, once read.
    refs: Option<Vec<Id>>,
    helpers: Vec<Helper>,
    /// The commits that the helpers made.
    merged: HashSet<Id>,
    is_plain: bool,
    is_detached: bool,
    counts: CommitCounts,
}

impl Count<'_> {
    fn base(&self) -> &[Id] {
        self.baseline.commit.as_slice()
    }

    /// The commits that HEAD reaches and the baseline does not.
    fn walk(&mut self) -> Read<Vec<Commit>> {
        let Some(tip) = self.tip.clone().filter(|tip| self.baseline.commit.as_ref() != Some(tip)) else {
            return Ok(Vec::new());
        };
        let mut walked = self.repo.walk(&[tip], self.base(), WALK_LIMIT + 1)?;
        self.counts.is_cut = walked.len() > WALK_LIMIT;
        walked.truncate(WALK_LIMIT);
        Ok(walked)
    }

    /// Counts the `walked` commits, and returns which of them are new work.
    fn classify(&mut self, walked: &[Commit]) -> Read<HashSet<Id>> {
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
        let ids: Vec<Id> = unknown.iter().map(|commit| commit.id.clone()).collect();
        let mut hide = self.other_refs()?.to_vec();
        hide.extend(self.received(walked));
        hide.extend(self.fetched()?);
        let here: HashSet<Id> =
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
    fn list_new(&mut self, walked: &[Commit], new: Vec<&Commit>, rescued: &HashSet<Id>) -> Read<HashSet<Id>> {
        let (rescued_here, new): (Vec<&Commit>, Vec<&Commit>) =
            new.into_iter().partition(|commit| rescued.contains(&commit.id));
        let mut paths: HashMap<&str, Vec<Vec<u8>>> = HashMap::new();
        for commit in new.iter().take(MAX_NEWEST) {
            paths.insert(&commit.id, self.repo.paths(commit)?);
        }
        let is_of_evidence = |commit: &&Commit| {
            paths.get(commit.id.as_str()).is_some_and(|paths| tells_only(paths, self.evidence))
        };
        let (of_evidence, new): (Vec<&Commit>, Vec<&Commit>) = new.into_iter().partition(is_of_evidence);
        self.counts.n_evidence = u32::try_from(of_evidence.len()).unwrap_or(u32::MAX);
        self.counts.n_rescued = u32::try_from(rescued_here.len()).unwrap_or(u32::MAX);
        self.counts.n_new = u32::try_from(new.len()).unwrap_or(u32::MAX);
        self.count_unheld(new.iter().chain(&rescued_here).chain(&of_evidence))?;
        let new: HashSet<Id> = new.iter().map(|commit| commit.id.clone()).collect();
        let sorted = newest_first(walked).into_iter().filter(|commit| new.contains(&commit.id));
        for (at, commit) in sorted.take(MAX_CENSUSED).enumerate() {
            match paths.get(commit.id.as_str()) {
                _ if at >= MAX_NEWEST => self.counts.older_tests.extend(older_tests(self.repo, commit)?),
                Some(paths) => {
                    let summary = self.summary(commit, paths)?;
                    self.counts.newest.push(summary);
                }
                None => {
                    let summary = self.summary(commit, &self.repo.paths(commit)?)?;
                    self.counts.newest.push(summary);
                }
            }
        }
        Ok(new)
    }

    /// Describes the newest commits of rescues.
    fn list_rescued(&mut self, walked: &[Commit], rescued: &HashSet<Id>) -> Read<()> {
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
        Ok(CommitSummary { at, is_merged, ..summary(self.repo, commit, paths)? })
    }

    /// Commits that only repeat a commit of the baseline in another form, after an amend of the baseline commit
    /// or a rebase of what was there when it was set.
    fn rewritten(&self, walked: &[Commit]) -> Read<HashSet<Id>> {
        let (Some(tip), Some(base)) = (&self.tip, &self.baseline.commit) else { return Ok(HashSet::new()) };
        // Compare only if history was rewritten, and only if some commit could count as made here.
        let may_count = |commit: &Commit| self.history.is_blind || self.history.made.contains_key(&commit.id);
        if walked.iter().any(|commit| commit.parents.contains(base)) || !walked.iter().any(may_count) {
            return Ok(HashSet::new());
        }
        self.repo.equivalents(tip, base)
    }

    /// The trees of the walked commits, of their first parents, and of the commits they amended.
    fn trees(&self, walked: &[Commit]) -> Read<HashMap<Id, Id>> {
        let before = walked.iter().flat_map(|commit| {
            commit.parents.first().into_iter().chain(self.history.amended.get(&commit.id)).cloned()
        });
        trees_of(self.repo, walked, before)
    }

    fn class_of(&self, commit: &Commit, trees: &HashMap<Id, Id>, same: &HashSet<Id>) -> Read<Class> {
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
            None => EMPTY_TREES.iter().copied().find(|tree| *tree == commit.tree),
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
    fn received(&self, walked: &[Commit]) -> Vec<Id> {
        let mut received = Vec::new();
        let is_of_helper = |commit: &&Commit| self.helpers.iter().any(|helper| helper.after == commit.id);
        for commit in walked.iter().filter(|commit| !is_of_helper(commit)) {
            if self.history.received.contains(&commit.id) {
                received.push(commit.id.clone());
            }
            let is_merge_here = self.history.made.contains_key(&commit.id);
            if is_merge_here && commit.parents.len() > 1 {
                received.extend(commit.parents.iter().skip(1).cloned());
            }
        }
        received
    }

    /// The commits of the last fetch, which may be on no branch.
    fn fetched(&self) -> Read<Vec<Id>> {
        let ids = git::fetched(self.repository)?;
        if ids.is_empty() {
            return Ok(ids);
        }
        Ok(self.repo.commits(&ids)?.into_iter().flatten().map(|commit| commit.id).collect())
    }

    /// The tips of all branches, remote branches and tags, except this branch itself and its helpers.
    fn other_refs(&mut self) -> Read<&[Id]> {
        if self.refs.is_none() {
            let mut tips: Vec<Id> = self
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
    fn find_strays(&mut self, walked: &[Commit], entries: &mut TreeEntries<'_>) -> Read<()> {
        let ids = strays::ids(&self.history, walked, self.baseline.commit.as_ref());
        if ids.is_empty() {
            return Ok(());
        }
        self.is_plain = false;
        let from_head: Vec<Id> = self.tip.iter().chain(self.base()).cloned().collect();
        let mut tips = self.other_refs()?.to_vec();
        for name in
            self.own_refs.iter().chain(self.helpers.iter().filter_map(|helper| helper.branch.as_ref()))
        {
            tips.extend(self.repo.refs(&[name])?.into_iter().map(|found| found.commit));
        }
        let found = strays::count(self.repo, &self.history, (&ids, walked), (&from_head, &tips), entries)?;
        self.counts.n_elsewhere = found.n_elsewhere;
        self.counts.n_lost += found.n_lost;
        Ok(())
    }

    /// On a detached HEAD, counts the commits made here that no reference reaches.
    fn count_unheld<'c>(&mut self, made: impl Iterator<Item = &'c &'c Commit>) -> Read<()> {
        if self.is_detached {
            let tips = self.other_refs()?.to_vec();
            let unheld = unreached(self.repo, made.map(|commit| (**commit).clone()).collect(), &tips)?;
            self.counts.n_unheld = u32::try_from(unheld.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }
}
