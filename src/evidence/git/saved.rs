//! Finds the branch to which a rescue committed what the work tree still holds. It looks only at what closeout pinned
//! for this worktree; that another branch happens to hold the same says nothing of this work.

use super::reader::Repo;
use crate::git::{Read, Repository};
use crate::model::{CommitId, Head};

/// At most so many rescues are compared, the newest first.
const MAX_RESCUES: usize = 20;

const BRANCHES: &str = "refs/heads/";

/// The branch, by its short name, whose last commit is one of a rescue and has exactly `content`. Untrusted text.
pub(super) fn branch(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    content: &str,
) -> Read<Option<String>> {
    let mut pins = repo.refs(&[&format!("refs/closeout/visible/{}", repository.key)])?;
    // Their names begin with the time of the rescue.
    pins.sort_unstable_by(|one, other| other.name.cmp(&one.name));
    pins.truncate(MAX_RESCUES);
    let ids: Vec<CommitId> = pins.iter().map(|pin| pin.commit).collect();
    let commits = repo.commits(&ids)?;
    let holding: Vec<CommitId> = commits
        .into_iter()
        .flatten()
        .filter(|commit| commit.tree == content)
        .map(|commit| commit.id)
        .collect();
    if holding.is_empty() {
        return Ok(None);
    }
    let branches = repo.refs(&["refs/heads"])?.into_iter().filter(|branch| holding.contains(&branch.commit));
    let mut names = branches.filter_map(|branch| branch.name.strip_prefix(BRANCHES).map(str::to_owned));
    Ok(names.find(|name| Some(name.as_str()) != head.branch()))
}
