//! The one interface to a repository, behind which two readers stand: libgit2 in this process and
//! the git program. What is counted and shown is decided above it, once for both.

use std::collections::HashSet;

use crate::git::{Gitlink, Gitlinks, LogEntry, Read};
use crate::model::{ChangeKind, GitReader, Head};

/// A full object id in hexadecimal.
pub(super) type Id = String;

/// What can be asked of a repository. Nothing here writes or runs code of the repository.
pub(super) trait Repo {
    /// Who answers.
    fn reader(&self) -> GitReader;

    /// Where HEAD stands.
    fn head(&self) -> Read<Head>;

    /// The log of a reference, oldest entry first; empty when there is none.
    fn reflog(&self, name: &str) -> Read<Vec<LogEntry>>;

    /// The commit that a revision names; `None` when it names none.
    fn resolve(&self, rev: &str) -> Read<Option<Id>>;

    /// The commits with these ids; `None` for each that is missing or no commit.
    fn commits(&self, ids: &[Id]) -> Read<Vec<Option<Commit>>>;

    /// The content of a regular file in the tree of `commit`; `None` where there is none. `path` is from
    /// the top. What is longer than `most` bytes is no file.
    fn file(&self, commit: &str, path: &str, most: usize) -> Read<Option<Vec<u8>>>;

    /// The folders of the tree `root` as git stores them; `None` for each that is not there, or no folder.
    fn trees(&self, root: &Id, folders: &[Vec<u8>]) -> Read<Vec<Option<Vec<u8>>>>;

    /// The commits that `from` reach and `hide` do not, at most `limit`, newest first. All ids must exist.
    fn walk(&self, from: &[Id], hide: &[Id], limit: usize) -> Read<Vec<Commit>>;

    /// How many commits `head` has that `other` lacks, and the other way round.
    fn ahead_behind(&self, head: &str, other: &str) -> Read<(u32, u32)>;

    /// The best common ancestor.
    fn merge_base(&self, one: &str, two: &str) -> Read<Option<Id>>;

    /// References whose full name is one of `names` or lies below it, that lead to commits.
    fn refs(&self, names: &[&str]) -> Read<Vec<Ref>>;

    /// The commits of `head` (not of `base`) that make the same change as one of `base` (not of `head`).
    fn equivalents(&self, head: &str, base: &str) -> Read<HashSet<Id>>;

    /// The paths that a commit without other parents changes; those of its first parent, or of nothing.
    fn paths(&self, commit: &Commit) -> Read<Vec<Vec<u8>>>;

    /// Whether a merge has a path that differs from all its parents.
    fn has_own_changes(&self, merge: &Commit) -> Read<bool>;

    /// The full name of the upstream of the branch `name` (short), if it is set and exists.
    fn upstream(&self, name: &str) -> Read<Option<String>>;

    /// The submodules that the index names; `of_file` are those that its file names.
    fn gitlinks(&self, of_file: Gitlinks) -> Read<Vec<Gitlink>>;

    /// What differs between HEAD, index and work tree; a wholly untracked folder is one entry. What
    /// the work tree holds of the submodules (`gitlinks` are all of them) need not be among it. Where HEAD has
    /// `index_tree`, the tree of all entries of the index, nothing is staged.
    fn status(&self, gitlinks: &[Gitlink], index_tree: Option<&str>) -> Read<Vec<Entry>>;

    /// Untracked, not ignored files below an untracked folder, from the top.
    fn untracked_below(&self, folder: &[u8]) -> Read<Vec<Vec<u8>>>;
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// Its id.
    pub(super) id: Id,
    /// The id of its tree.
    pub(super) tree: Id,
    /// Its parents.
    pub(super) parents: Vec<Id>,
    /// Committer time, seconds since the epoch.
    pub(super) time: i64,
    /// When its content was written first, which a rebase and a cherry-pick keep: author time, seconds since the epoch.
    pub(super) authored: i64,
    /// First line of its message.
    pub(super) subject: String,
    /// Whether its message says that it is a rescue by closeout ([`is_rescue`]).
    pub(super) is_rescue: bool,
}

/// The line in the message of a commit that a rescue made.
const RESCUE_TRAILER: &[u8] = b"Rescued-by: closeout";
/// How git begins the message of several commits made one (`git merge --squash`).
const SQUASHED: &[u8] = b"Squashed commit of the following:";

/// Whether a message says that it is a rescue by closeout, or nothing but rescues made one.
pub(super) fn is_rescue(message: &[u8]) -> bool {
    let lines = || message.split(|byte| *byte == b'\n');
    if !message.starts_with(SQUASHED) {
        return lines().any(|line| line == RESCUE_TRAILER);
    }
    let n_commits = lines().filter(|line| line.starts_with(b"commit ")).count();
    let n_rescued = lines().filter(|line| line.trim_ascii() == RESCUE_TRAILER).count();
    n_rescued > 0 && n_rescued >= n_commits
}

/// One reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ref {
    /// Full name.
    pub(super) name: String,
    /// The commit that it leads to.
    pub(super) commit: Id,
    /// The reference that it stands for, if it is symbolic.
    pub(super) target: Option<String>,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// From the top; a wholly untracked folder ends with `/`.
    pub(super) path: Vec<u8>,
    /// How the index differs from HEAD.
    pub(super) staged: Option<ChangeKind>,
    /// How the work tree differs from the index; also `Untracked` and `Conflicted`.
    pub(super) unstaged: Option<ChangeKind>,
}

/// Above the references to the commits that rescues made.
pub(super) const RESCUES: &str = "refs/closeout/visible";

/// Those of `commits` that a rescue made: by their messages, or by the hidden references that a rescue gives each
/// commit, whoever wrote its message.
pub(super) fn rescued(repo: &dyn Repo, commits: &[&Commit]) -> Read<HashSet<Id>> {
    let mut rescued: HashSet<Id> =
        commits.iter().filter(|commit| commit.is_rescue).map(|commit| commit.id.clone()).collect();
    if rescued.len() < commits.len() {
        rescued.extend(repo.refs(&[RESCUES])?.into_iter().map(|found| found.commit));
    }
    Ok(rescued)
}
