//! Tells whether the work of a record has reached a branch: each of its contents that was not in the last commit.
//!
//! It must not take an answer that git did not give for a yes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::base::record_objects::Pair;
use crate::action::rescue::survey::listing;
use crate::git::{Git, ObjectFormat, Stdin};
use crate::model::{CommitId, Reach};

/// The objects that branches reach, read once per starting commit.
#[derive(Default)]
pub(crate) struct Reaches {
    /// Whether nothing is known of branches.
    is_without_branches: bool,
    since: BTreeMap<Option<CommitId>, BTreeSet<String>>,
}

impl Reaches {
    /// What is known where git gets to see no branch.
    pub(crate) fn without_branches(is_without_branches: bool) -> Reaches {
        Reaches { is_without_branches, ..Reaches::default() }
    }

    /// Whether everything that the record added to its last commit has reached a branch.
    pub(crate) fn of(&mut self, git: &Git<'_>, record: Pair, head: Option<CommitId>) -> Reach {
        if self.is_without_branches {
            return Reach::Unknown;
        }
        self.missing(git, record, head).map_or(Reach::Unknown, |n_missing| match n_missing {
            0 => Reach::InBranch,
            n => Reach::Missing(n),
        })
    }

    fn missing(
        &mut self,
        git: &Git<'_>,
        [snapshot, record]: Pair,
        head: Option<CommitId>,
    ) -> Result<usize, RescueError> {
        let before = head.map_or_else(|| git.repo.format.empty_tree().to_owned(), |id| id.to_string());
        let mut contents = changed(git, &before, &snapshot.to_string())?;
        let listed = listing::tree(git, record)?;
        let is_staged = |path: &[u8]| path.starts_with(b"s0/");
        if listed.keys().any(|path| is_staged(path)) {
            contents.extend(changed(git, &before, &format!("{record}:s0"))?);
        }
        let others = listed.into_iter().filter(|(path, entry)| {
            let is_work = path.starts_with(b"x/") || (path.starts_with(b"s") && path.get(2) == Some(&b'/'));
            is_work && !is_staged(path) && entry.mode != "160000"
        });
        contents.extend(others.map(|(_, entry)| entry.id));
        let reached = match self.since.entry(head) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(reached_since(git, head)?),
        };
        Ok(contents.iter().filter(|id| !reached.contains(*id)).count())
    }
}

/// The blobs of `to` that are not at the same path in `from`.
fn changed(git: &Git<'_>, from: &str, to: &str) -> Result<BTreeSet<String>, RescueError> {
    let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", from, to];
    let listed = git.answer(args, Stdin::Lock)?;
    let zero = ObjectFormat::zero(git.repo.format);
    Ok(listed
        .split(|byte| *byte == 0)
        .filter_map(|field| std::str::from_utf8(field).ok()?.strip_prefix(':'))
        .filter_map(|text| {
            let mut fields = text.split(' ');
            let (mode, id) = (fields.nth(1)?, fields.nth(1)?);
            (mode != "160000" && id != zero).then(|| id.to_owned())
        })
        .collect())
}

/// Every object of the branches that is not in `head`'s history.
fn reached_since(git: &Git<'_>, head: Option<CommitId>) -> Result<BTreeSet<String>, RescueError> {
    let mut args = vec!["rev-list", "--objects", "--no-object-names", "--branches"];
    let head = head.map(|id| id.to_string());
    args.extend(head.iter().flat_map(|head| ["--not", head]));
    Ok(git.lines(args)?.into_iter().collect())
}
