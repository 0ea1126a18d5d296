//! Reads records from their objects: which of them the repository holds whole, and the commit behind each. Grafts and
//! replacements, by which anybody can give a commit other parents, do not count.
//!
//! It must not count on anything that branches hold: that can be missing as well.

use std::collections::BTreeSet;

use crate::action::rescue::base::RescueError;
use crate::git::{Git, Stdin, succeeded};
use crate::model::CommitId;

/// The two commits of a record: that of the work tree, and that of the index and the facts.
pub(crate) type Pair = [CommitId; 2];

/// A commit as it is stored, with the id that its bytes have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StoredCommit {
    /// The id of its tree.
    pub(crate) tree: String,
    pub(crate) parents: Vec<CommitId>,
    /// Who committed it and when, as git has it.
    pub(crate) committer: String,
}

impl StoredCommit {
    /// The commit of the index and the facts, if this is the snapshot of a record: the last parent, and the only one on an
    /// unborn branch.
    pub(crate) fn record(&self) -> Result<CommitId, RescueError> {
        let last = self.parents.last().copied();
        last.ok_or_else(|| RescueError::Damage("this is no record: it has no parent".to_owned()))
    }
}

/// Reads a commit.
///
/// # Errors
/// [`RescueError::Damage`] if its bytes are those of another one: git does not compare them with the id.
pub(crate) fn commit(git: &Git<'_>, id: CommitId) -> Result<StoredCommit, RescueError> {
    let stored = git.answer(["cat-file", "commit", &id.to_string()], Stdin::Lock)?;
    if git.repo.format.id_of_commit(&stored) != Some(id.to_string()) {
        return Err(RescueError::Damage(format!("the commit {id} is not what its id says")));
    }
    Ok(parse(&String::from_utf8_lossy(&stored)))
}

fn parse(stored: &str) -> StoredCommit {
    let header = || stored.lines().take_while(|line| !line.is_empty());
    let all = |key: &'static str| header().filter_map(move |line| line.strip_prefix(key));
    let first = |key| all(key).next().unwrap_or_default().to_owned();
    StoredCommit {
        tree: first("tree "),
        parents: all("parent ").filter_map(|id| id.parse().ok()).collect(),
        committer: first("committer "),
    }
}

/// The commit of the index and the facts behind a snapshot.
pub(crate) fn record_of(git: &Git<'_>, snapshot: CommitId) -> Result<CommitId, RescueError> {
    commit(git, snapshot)?.record()
}

/// Whether the repository has the two commits of the record.
pub(crate) fn has(git: &Git<'_>, [snapshot, record]: Pair) -> Result<bool, RescueError> {
    match record_of(git, snapshot).and_then(|found| commit(git, record).map(|_| found == record)) {
        // A git that was ended says nothing of the commits.
        Err(RescueError::Git { .. } | RescueError::Damage(_)) => Ok(false),
        has => has,
    }
}

/// Whether the repository has any of these commits.
pub(crate) fn has_any(git: &Git<'_>, commits: &[CommitId]) -> Result<bool, RescueError> {
    if commits.is_empty() {
        return Ok(false);
    }
    let names = commits.iter().fold(String::new(), |names, id| names + &id.to_string() + "\n");
    let told = git.answer(["cat-file", "--batch-check"], Stdin::Bytes(names.into_bytes()))?;
    Ok(String::from_utf8_lossy(&told).lines().any(|line| !line.ends_with(" missing")))
}

/// The snapshots of those records of which the repository lacks anything. One call of git if it lacks nothing.
pub(crate) fn lost(git: &Git<'_>, records: &[Pair]) -> Result<BTreeSet<CommitId>, RescueError> {
    if are_whole(git, records)? {
        return Ok(BTreeSet::new());
    }
    if let [[snapshot, _]] = records {
        return Ok([*snapshot].into());
    }
    let (some, others) = records.split_at(records.len() / 2);
    let mut found = lost(git, some)?;
    found.append(&mut lost(git, others)?);
    Ok(found)
}

/// What git says where an object is missing or not what it should be, and not where it fails itself.
const OF_LOSS: [&str; 7] =
    ["missing", "bad object", "tree object", "tree entry", "corrupt", "mismatch", "unable to parse"];

/// Whether the repository has every object of these records. What came before them is not part of them.
fn are_whole(git: &Git<'_>, records: &[Pair]) -> Result<bool, RescueError> {
    if records.is_empty() {
        return Ok(true);
    }
    let names = records.iter().flatten().fold(String::new(), |names, id| names + &id.to_string() + "\n");
    let args = ["rev-list", "--objects", "--no-walk", "--quiet", "--stdin"];
    let output = git.real(args, Stdin::Bytes(names.into_bytes()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.is_success() && OF_LOSS.iter().any(|words| said.contains(words)) {
        return Ok(false);
    }
    succeeded("rev-list", output)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_header_tells_of_a_commit() {
        let id = |digit: &str| digit.repeat(40);
        let (one, two) = (id("1"), id("2"));
        let stored = format!(
            "tree {}\nparent {one}\nparent {two}\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\nparent {}\ntree x\n",
            id("3"),
            id("4")
        );
        let expected = StoredCommit {
            tree: id("3"),
            parents: vec![one.parse().unwrap(), two.parse().unwrap()],
            committer: "C <c> 2 +0000".to_owned(),
        };
        assert_eq!(parse(&stored), expected);
    }
}
