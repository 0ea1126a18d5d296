//! Commits that no reference holds: how many of them are lost, and which a rescue would keep. It must not know who
//! asked for what: which ones a person dropped is given.

use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

use super::{CommitId, Timestamp};

/// The commits made here that no branch, remote branch or tag holds: HEAD's own where it is on no branch, then the lost
/// ones, newest first. As JSON the newest of each line of those that the repository has, by full object id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LooseCommits(pub Vec<LooseCommit>);

/// A commit made here that no branch, remote branch or tag holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LooseCommit {
    /// Its id.
    pub id: CommitId,
    /// Its parents, if it is lost and there; any of them may be loose, too.
    pub parents: Vec<CommitId>,
    /// Where it is.
    pub place: LoosePlace,
    /// When it was made; `None` if the log does not tell.
    pub made_at: Option<Timestamp>,
    /// When HEAD left it for the last time; `None` if that is not known.
    pub left_at: Option<Timestamp>,
    /// Whether it left it by a reset, which takes a commit from its branch on purpose.
    pub is_reset: bool,
}

/// Where a commit is that no branch, remote branch or tag holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoosePlace {
    /// HEAD stands at it, on no branch.
    Head,
    /// HEAD left it, and the repository still has it.
    Lost,
    /// HEAD left it, and the repository no longer has it.
    Gone,
}

impl LooseCommit {
    /// A commit there, of which nothing else is known.
    pub fn at(place: LoosePlace, id: CommitId) -> LooseCommit {
        LooseCommit { id, parents: Vec::new(), place, made_at: None, left_at: None, is_reset: false }
    }

    /// Whether a person had it taken back at one of these moments: they can only have meant what HEAD held then. Logs
    /// have whole seconds.
    pub fn is_taken_back(&self, taken_back_at: &[Timestamp]) -> bool {
        let was_held = |at: &Timestamp| {
            self.made_at.is_some_and(|made| made <= *at)
                && self.left_at.is_none_or(|left| left.plus_millis(999) >= *at)
        };
        taken_back_at.iter().any(was_held)
    }
}

impl LooseCommits {
    /// How many were lost that no person dropped.
    pub fn n_lost_but(&self, is_dropped: impl Fn(&LooseCommit) -> bool) -> u32 {
        let is_lost = |commit: &&LooseCommit| commit.place != LoosePlace::Head && !is_dropped(commit);
        u32::try_from(self.0.iter().filter(is_lost).count()).unwrap_or(u32::MAX)
    }

    /// The newest of each line of those that are there and that no person dropped, newest first.
    pub fn newest_but(&self, is_dropped: impl Fn(&LooseCommit) -> bool) -> Vec<CommitId> {
        let is_kept = |commit: &&LooseCommit| match commit.place {
            LoosePlace::Head => true,
            LoosePlace::Lost => !is_dropped(commit),
            LoosePlace::Gone => false,
        };
        let kept = || self.0.iter().filter(is_kept);
        let parents: HashMap<CommitId, &[CommitId]> =
            self.0.iter().map(|commit| (commit.id, &commit.parents[..])).collect();
        let mut below: HashSet<CommitId> = HashSet::new();
        let mut open: Vec<CommitId> = kept().flat_map(|commit| &commit.parents).copied().collect();
        while let Some(id) = open.pop() {
            if let Some(parents) = parents.get(&id).filter(|_| below.insert(id)) {
                open.extend(*parents);
            }
        }
        kept().map(|commit| commit.id).filter(|id| !below.contains(id)).collect()
    }
}

impl Serialize for LooseCommits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.newest_but(|_| false).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> CommitId {
        digit.repeat(40).parse().unwrap()
    }

    fn lost(digit: &str, parent: &str, made: i64, left: i64) -> LooseCommit {
        LooseCommit {
            parents: vec![id(parent)],
            made_at: Some(Timestamp(made * 1000)),
            left_at: Some(Timestamp(left * 1000)),
            ..LooseCommit::at(LoosePlace::Lost, id(digit))
        }
    }

    fn kept(loose: &[LooseCommit], taken_back_at: i64) -> (u32, Vec<CommitId>) {
        let (loose, at) = (LooseCommits(loose.to_vec()), [Timestamp(taken_back_at)]);
        let is_dropped = |commit: &LooseCommit| commit.is_taken_back(&at);
        (loose.n_lost_but(is_dropped), loose.newest_but(is_dropped))
    }

    #[test]
    fn only_what_head_held_at_the_moment_is_taken_back() {
        let one = [lost("a", "e", 10, 20)];
        let one_kept = (1, vec![id("a")]);
        for (at, expected) in
            [(9_999, &one_kept), (10_000, &(0, vec![])), (20_999, &(0, vec![])), (21_000, &one_kept)]
        {
            assert_eq!(&kept(&one, at), expected, "{at}");
        }
        let undated = [LooseCommit { made_at: None, ..one[0].clone() }];
        assert_eq!(kept(&undated, 15_000), one_kept);
        let at_head = [LooseCommit { place: LoosePlace::Head, ..one[0].clone() }];
        assert_eq!(kept(&at_head, 15_000), (0, one_kept.1));
    }

    #[test]
    fn each_line_is_kept_by_its_newest_commit_that_was_not_taken_back() {
        let line = [lost("c", "b", 30, 40), lost("b", "a", 20, 40), lost("a", "e", 10, 12)];
        assert_eq!(kept(&line, 0), (3, vec![id("c")]));
        // One that was taken back is kept where a newer one needs it.
        assert_eq!(kept(&line, 11_000), (2, vec![id("c")]));
        assert_eq!(kept(&line, 25_000), (2, vec![id("c")]), "and what lies below it is held with it");
        assert_eq!(kept(&line, 35_000), (1, vec![id("a")]));
    }

    #[test]
    fn what_is_gone_is_lost_and_nobody_can_keep_it() {
        let gone = LooseCommit { place: LoosePlace::Gone, parents: Vec::new(), ..lost("9", "e", 10, 20) };
        let all = [gone, lost("a", "e", 10, 20)];
        assert_eq!(kept(&all, 0), (2, vec![id("a")]));
        assert_eq!(
            serde_json::to_value(LooseCommits(all.to_vec())).unwrap(),
            serde_json::json!(["a".repeat(40)])
        );
    }
}
