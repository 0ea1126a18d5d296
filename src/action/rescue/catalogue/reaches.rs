//! Tells whether the work of a record has reached a branch: each of its files that was not so in the last commit. The same
//! content at another path is another file.
//!
//! It must not take an answer that git did not give for a yes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::base::record_objects::Pair;
use crate::action::rescue::survey::listing;
use crate::git::{Git, ObjectFormat, Stdin};
use crate::model::{CommitId, Reach};

/// What branches reach, read once per starting commit.
#[derive(Default)]
pub(crate) struct Reaches {
    /// Whether nothing is known of branches.
    is_without_branches: bool,
    since: BTreeMap<Option<CommitId>, BTreeSet<File>>,
}

/// The path and the blob of a file.
type File = (Vec<u8>, String);

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
        let mut files = changed(git, &before, &snapshot.to_string())?;
        let listed = listing::tree(git, record)?;
        let is_staged = |path: &[u8]| path.starts_with(b"s0/");
        if listed.keys().any(|path| is_staged(path)) {
            files.extend(changed(git, &before, &format!("{record}:s0"))?);
        }
        // What a record has beside the tree has no path of its own, and is sought by its content.
        let others = listed.into_iter().filter(|(path, entry)| {
            let is_work = path.starts_with(b"x/") || (path.starts_with(b"s") && path.get(2) == Some(&b'/'));
            is_work && !is_staged(path) && entry.mode != "160000"
        });
        let others: BTreeSet<String> = others.map(|(_, entry)| entry.id).collect();
        let reached = match self.since.entry(head) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(reached_since(git, head)?),
        };
        let contents: BTreeSet<&String> = reached.iter().map(|(_, id)| id).collect();
        let n_others = others.iter().filter(|id| !contents.contains(id)).count();
        Ok(files.iter().filter(|file| !reached.contains(*file)).count() + n_others)
    }
}

/// The files of `to` that are not so in `from`.
fn changed(git: &Git<'_>, from: &str, to: &str) -> Result<BTreeSet<File>, RescueError> {
    let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", from, to];
    Ok(files(&git.answer(args, Stdin::Lock)?, git.repo.format))
}

/// The files that the commits of the branches changed, without those of `head`'s history.
fn reached_since(git: &Git<'_>, head: Option<CommitId>) -> Result<BTreeSet<File>, RescueError> {
    const COMMITS: [&str; 9] =
        ["diff-tree", "--stdin", "-m", "--root", "-r", "-z", "--raw", "--no-renames", "--no-commit-id"];
    let head = head.map(|id| id.to_string());
    let not = head.iter().flat_map(|head| ["--not", head]);
    let commits = git.lines(["rev-list", "--branches"].into_iter().chain(not))?;
    let names: String = commits.iter().flat_map(|commit| [commit, "\n"]).collect();
    Ok(files(&git.answer(COMMITS, Stdin::Bytes(names.into_bytes()))?, git.repo.format))
}

/// The files that raw output of `diff-tree -z` names as they are after a change.
fn files(raw: &[u8], format: ObjectFormat) -> BTreeSet<File> {
    let mut files = BTreeSet::new();
    let mut fields = raw.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let Some(change) = std::str::from_utf8(field).ok().and_then(|field| field.strip_prefix(':')) else {
            continue;
        };
        let mut values = change.split(' ');
        let (mode, id) = (values.nth(1), values.nth(1));
        let (Some(mode), Some(id), Some(path)) = (mode, id, fields.next()) else { break };
        if mode != "160000" && id != format.zero() {
            files.insert((path.to_vec(), id.to_owned()));
        }
    }
    files
}
