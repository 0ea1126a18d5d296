//! Finds the branch to which a rescue committed what the work tree still holds, or held until it was cleaned. It looks
//! only at what closeout pinned for this worktree; that another branch happens to hold the same says nothing of this work.

use super::baseline;
use super::reader::{Commit, Ref, Repo, TreeId};
use super::tree_entries::TreeEntries;
use crate::git::{Read, Repository};
use crate::model::{CommitId, Head, Timestamp};

/// At most so many rescues are compared, the newest first.
const MAX_RESCUES: usize = 20;

/// The branch, by its short name, whose last commit is one of a rescue and has exactly `content`. Untrusted text.
pub(super) fn branch(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    content: &str,
) -> Read<Option<String>> {
    let mut holding = commits(repo, repository)?;
    holding.retain(|commit| commit.tree == content);
    if holding.is_empty() {
        return Ok(None);
    }
    let branches = repo.refs(&["refs/heads"])?;
    Ok(holding.iter().find_map(|commit| ending_with(commit.id, &branches, head)))
}

/// The branch that ends with the newest rescue of which HEAD does not have all, and when that was made. Untrusted text.
pub(super) fn left_behind(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    tree: Option<&TreeId>,
) -> Read<Option<(String, Timestamp)>> {
    let rescued = commits(repo, repository)?;
    let Some(tip) = head.commit().filter(|_| !rescued.is_empty()) else { return Ok(None) };
    let branches = repo.refs(&["refs/heads"])?;
    for commit in &rescued {
        let Some(name) = ending_with(commit.id, &branches, head) else { continue };
        if repo.ahead_behind(commit.id, tip)?.0 > 0 && !is_held(repo, repository, commit, tree)? {
            return Ok(Some((name, Timestamp(commit.time.saturating_mul(1000)))));
        }
    }
    Ok(None)
}

/// The commits of the newest rescues of this work tree, the newest first.
fn commits(repo: &dyn Repo, repository: &Repository) -> Read<Vec<Commit>> {
    let mut pins = repo.refs(&[&format!("refs/closeout/visible/{}", repository.key)])?;
    // Their names begin with the time of the rescue.
    pins.sort_unstable_by(|one, other| other.name.cmp(&one.name));
    pins.truncate(MAX_RESCUES);
    let ids: Vec<CommitId> = pins.iter().map(|pin| pin.commit).collect();
    Ok(repo.commits(&ids)?.into_iter().flatten().collect())
}

/// A branch other than HEAD's that ends with this commit, by its short name.
fn ending_with(commit: CommitId, branches: &[Ref], head: &Head) -> Option<String> {
    let mut names = branches_ending_with(commit, branches);
    names.find(|name| Some(*name) != head.branch()).map(str::to_owned)
}

/// The branches that end with this commit, by their short names.
pub(super) fn branches_ending_with(commit: CommitId, branches: &[Ref]) -> impl Iterator<Item = &str> {
    let ending = branches.iter().filter(move |branch| branch.commit == commit);
    ending.map(|branch| baseline::short(&branch.name))
}

/// Whether HEAD's `tree` has all files that a commit changed as it left them: it was picked or squashed.
fn is_held(repo: &dyn Repo, repository: &Repository, commit: &Commit, tree: Option<&TreeId>) -> Read<bool> {
    let mut entries = TreeEntries::new(repo, repository.format.id_length());
    for path in repo.paths(commit)? {
        if !entries.are_same(Some(&commit.tree), tree, &path)? {
            return Ok(false);
        }
    }
    Ok(true)
}
