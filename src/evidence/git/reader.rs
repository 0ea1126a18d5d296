//! The interface to a repository, implemented by two readers: libgit2 in this process and the git program. What
//! is counted and shown is decided above it, once for both.

use std::collections::HashSet;

use crate::git::{Gitlink, Gitlinks, LogEntry, Read};
use crate::model::{ChangeKind, CommitId, GitReader, Head};

/// The full id of a tree in hexadecimal.
pub(super) type TreeId = String;

/// What can be asked of a repository. No method writes or runs code of the repository.
pub(super) trait Repo {
    /// Which reader this is.
    fn reader(&self) -> GitReader;

    /// Where HEAD stands.
    fn head(&self) -> Read<Head>;

    /// The log of a reference, oldest entry first; empty if it has none.
    fn reflog(&self, name: &str) -> Read<Vec<LogEntry>>;

    /// The commit that a revision names; `None` if it names none.
    fn resolve(&self, rev: &str) -> Read<Option<CommitId>>;

    /// The commits with these ids; `None` for each that is missing or not a commit.
    fn commits(&self, ids: &[CommitId]) -> Read<Vec<Option<Commit>>>;

    /// The content of a regular file in the tree of `commit`; `None` if there is none or it is longer than
    /// `most` bytes. `path` is from the top.
    fn file(&self, commit: CommitId, path: &str, most: usize) -> Read<Option<Vec<u8>>>;

    /// These folders of the tree `root` as raw tree objects; `None` for each that is missing or not a folder.
    fn trees(&self, root: &TreeId, folders: &[Vec<u8>]) -> Read<Vec<Option<Vec<u8>>>>;

    /// The commits reachable from `from` but not from `hide`, newest first, at most `limit`. All
    /// given ids must exist.
    fn walk(&self, from: &[CommitId], hide: &[CommitId], limit: usize) -> Read<Vec<Commit>>;

    /// How many commits `head` has that `other` lacks, and vice versa.
    fn ahead_behind(&self, head: CommitId, other: CommitId) -> Read<(u32, u32)>;

    /// The best common ancestor; `None` if there is none.
    fn merge_base(&self, one: CommitId, two: CommitId) -> Read<Option<CommitId>>;

    /// References that lead to commits and whose full name is in `names` or lies below one of them.
    fn refs(&self, names: &[&str]) -> Read<Vec<Ref>>;

    /// The commits of `head` (not of `base`) that make the same change as one of `base` (not of `head`).
    fn equivalents(&self, head: CommitId, base: CommitId) -> Read<HashSet<CommitId>>;

    /// The paths that a commit changes compared with every parent, or with nothing for a root commit.
    fn paths(&self, commit: &Commit) -> Read<Vec<Vec<u8>>>;

    /// The full name of the upstream of the branch `name` (a short name), if it is set and exists.
    fn upstream(&self, name: &str) -> Read<Option<String>>;

    /// The submodules in the index; `of_file` are those that a direct read of the index file found.
    fn gitlinks(&self, of_file: Gitlinks) -> Read<Vec<Gitlink>>;

    /// What differs between HEAD, index and work tree; a wholly untracked folder is one entry. Changes inside of
    /// submodules may be missing. A path can be twice in it: staged, and not.
    fn status(&self, of: &Compared<'_>) -> Read<Vec<Entry>>;

    /// Whether git ignores each of these paths from the top. What the index has is not ignored.
    fn are_ignored(&self, paths: &[&str]) -> Read<Vec<bool>>;

    /// The untracked, not ignored files below an untracked folder, from the top.
    fn untracked_below(&self, folder: &[u8]) -> Read<Vec<Vec<u8>>>;
}

/// A commit, as far as it is needed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: CommitId,
    /// The id of its tree.
    pub(super) tree: TreeId,
    pub(super) parents: Vec<CommitId>,
    /// Committer time, seconds since the epoch.
    pub(super) time: i64,
    /// Author time, seconds since the epoch: when its content was first written. A rebase or cherry-pick does
    /// not change it.
    pub(super) authored: i64,
    /// First line of its message.
    pub(super) subject: String,
    /// Whether its message marks it as a rescue by closeout ([`is_rescue`]).
    pub(super) is_rescue: bool,
}

/// The trailer in the message of a rescue commit.
const RESCUE_TRAILER: &[u8] = b"Rescued-by: closeout";
/// How git begins the message of a squash (`git merge --squash`).
const SQUASHED: &[u8] = b"Squashed commit of the following:";

/// Whether a message marks a rescue by closeout, or a squash of nothing but rescues.
pub(super) fn is_rescue(message: &[u8]) -> bool {
    let lines = || message.split(|byte| *byte == b'\n');
    if !message.starts_with(SQUASHED) {
        return lines().any(|line| line == RESCUE_TRAILER);
    }
    let n_commits = lines().filter(|line| line.starts_with(b"commit ")).count();
    let n_rescued = lines().filter(|line| line.trim_ascii() == RESCUE_TRAILER).count();
    n_rescued > 0 && n_rescued >= n_commits
}

/// A reference that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ref {
    /// Full name.
    pub(super) name: String,
    /// The commit that it leads to.
    pub(super) commit: CommitId,
    /// The reference that it points to, if it is symbolic.
    pub(super) target: Option<String>,
}

/// What a look has read before it compares.
pub(super) struct Compared<'a> {
    /// The commit on which HEAD stood.
    pub(super) head: Option<CommitId>,
    /// All submodules in the index.
    pub(super) gitlinks: &'a [Gitlink],
    /// The tree of all index entries, if the index caches it. Where it is HEAD's, nothing is staged.
    pub(super) index_tree: Option<&'a str>,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Path from the top; a wholly untracked folder ends with `/`.
    pub(super) path: Vec<u8>,
    /// How the index differs from HEAD.
    pub(super) staged: Option<ChangeKind>,
    /// How the work tree differs from the index; also `Untracked` and `Conflicted`.
    pub(super) unstaged: Option<ChangeKind>,
}

/// Sorts by path, and makes one entry of those of one path.
pub(super) fn join(entries: &mut Vec<Entry>) {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    entries.dedup_by(|next, entry| {
        let is_same = next.path == entry.path;
        if is_same {
            entry.staged = entry.staged.or(next.staged);
            entry.unstaged = entry.unstaged.or(next.unstaged);
        }
        is_same
    });
}

/// The parent of the references that rescues give to their commits.
pub(super) const RESCUES: &str = "refs/closeout/visible";

/// The `commits` that a rescue made, recognised by their message or by the hidden reference that a rescue gives
/// each commit, whoever wrote the message.
pub(super) fn rescued(repo: &dyn Repo, commits: &[&Commit]) -> Read<HashSet<CommitId>> {
    let mut rescued: HashSet<CommitId> =
        commits.iter().filter(|commit| commit.is_rescue).map(|commit| commit.id).collect();
    if rescued.len() < commits.len() {
        rescued.extend(repo.refs(&[RESCUES])?.into_iter().map(|found| found.commit));
    }
    Ok(rescued)
}
