//! Detects an unfinished git operation from the files that it leaves.
//!
//! It must not read more of these files than it takes to tell the operations apart.

use super::call_error::GitError;
use super::file::read_small;
use super::repository::{RefStorage, Repository};
use super::runner::{Git, Stdin};
use crate::model::Operation;

/// The operation in progress.
///
/// # Errors
/// Git did not respond; it is asked only if references are stored as reftable.
pub fn operation(git: &Git<'_>) -> Result<Option<Operation>, GitError> {
    let found = operation_in_files(git.repo);
    if found.is_some() || git.repo.refs != RefStorage::Reftable {
        return Ok(found);
    }
    // Picking or reverting a single commit leaves a reference, which is not a file in that storage.
    for (name, operation) in [("CHERRY_PICK_HEAD", Operation::CherryPick), ("REVERT_HEAD", Operation::Revert)]
    {
        if is_resolved(git, name)? {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}

/// The operation in progress, as far as files show.
pub fn operation_in_files(repository: &Repository) -> Option<Operation> {
    let has = |name: &str| repository.git_dir.join(name).symlink_metadata().is_ok();
    if has("rebase-merge") {
        Some(Operation::Rebase)
    } else if has("rebase-apply") {
        Some(if has("rebase-apply/applying") { Operation::ApplyMailbox } else { Operation::Rebase })
    } else if has("MERGE_HEAD") {
        Some(Operation::Merge)
    } else if has("CHERRY_PICK_HEAD") {
        Some(Operation::CherryPick)
    } else if has("REVERT_HEAD") {
        Some(Operation::Revert)
    } else if has("sequencer") {
        // Between two picks of one command only the todo list exists.
        let todo = read_small(&repository.git_dir, "sequencer/todo").ok().flatten().unwrap_or_default();
        Some(if todo.starts_with(b"revert") { Operation::Revert } else { Operation::CherryPick })
    } else if has("BISECT_LOG") {
        Some(Operation::Bisect)
    } else {
        None
    }
}

/// The full name of the branch that a rebase will return to.
pub fn rebased_branch(repository: &Repository) -> Option<String> {
    ["rebase-merge/head-name", "rebase-apply/head-name"].iter().find_map(|name| {
        let text = read_small(&repository.git_dir, name).ok()??;
        let name = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        name.starts_with("refs/").then_some(name)
    })
}

/// Whether git finds a reference called `name`.
fn is_resolved(git: &Git<'_>, name: &str) -> Result<bool, GitError> {
    let args = ["rev-parse", "-q", "--verify", "--end-of-options", name];
    Ok(git.real(args, Stdin::Lock)?.is_success())
}
