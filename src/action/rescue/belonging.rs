//! Checks that a repository lists the work tree from which it was reached. A file `.git` can name anybody's
//! repository, and a rescue there would move someone else's branch and index.
//!
//! It must not change anything and must not guess: what cannot be proved is refused, naming both sides.

use std::fs;
use std::path::Path;

use super::error::RescueError;
use crate::git::{self, Git, Repository, Stdin};
use crate::model::display_text;

/// Refuses a work tree that its repository does not list.
///
/// # Errors
/// [`RescueError::Refused`] names the work tree, the git directory and the way out.
pub(super) fn check(git: &Git<'_>) -> Result<(), RescueError> {
    let repo = git.repo;
    if repo.git_dir != repo.common_dir {
        return check_linked(repo);
    }
    let is_own = repo.top.join(".git").symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if is_own {
        return Ok(());
    }
    // The git directory of another folder's work tree, reached through a `.git` file or link.
    let owner = repo.git_dir.parent().filter(|_| repo.git_dir.ends_with(".git"));
    let Some(owner) = owner.filter(|owner| *owner != repo.top) else { return Ok(()) };
    // With `core.worktree` set, the comparison happens when the settings are read.
    if git.real(["config", "--get", "core.worktree"], Stdin::Lock)?.is_success() {
        return Ok(());
    }
    refused(repo, &format!("it belongs to the work tree {}; go there", display_text::path(owner)))
}

/// Checks a linked worktree: its folder in the repository must name this work tree.
fn check_linked(repo: &Repository) -> Result<(), RescueError> {
    let is_place = repo.git_dir.parent().is_some_and(|folder| folder == repo.common_dir.join("worktrees"));
    let named = git::read_small(&repo.git_dir, "gitdir")?.unwrap_or_default();
    if is_place && is_same(&repo.git_dir.join(names_of(&named)), &repo.top.join(".git")) {
        return Ok(());
    }
    let words = format!(
        "its folder names {:?}; if the worktree was moved, run `git worktree repair` in it",
        display_text::bytes(named.trim_ascii())
    );
    refused(repo, &words)
}

fn names_of(text: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(text.trim_ascii()))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

fn refused(repo: &Repository, words: &str) -> Result<(), RescueError> {
    Err(RescueError::Refused(format!(
        "{} uses the repository {}, which does not list it: {words}",
        display_text::path(&repo.top),
        display_text::path(&repo.common_dir)
    )))
}
