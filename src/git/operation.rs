//! Which operation of git was begun and not ended, by the files that it leaves.
//!
//! It must not read more of these files than tells one operation from another.

use super::file::read_small;
use super::repository::Repository;
use crate::model::Operation;

/// The operation in progress. Where references are kept as reftable, a cherry-pick or revert of one commit leaves a
/// reference and no file.
pub fn operation(repository: &Repository) -> Option<Operation> {
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
        // Between two picks of one command only its list is there.
        let todo = read_small(&repository.git_dir, "sequencer/todo").ok().flatten().unwrap_or_default();
        Some(if todo.starts_with(b"revert") { Operation::Revert } else { Operation::CherryPick })
    } else if has("BISECT_LOG") {
        Some(Operation::Bisect)
    } else {
        None
    }
}

/// The branch that a rebase will come back to, by its full name.
pub fn rebased_branch(repository: &Repository) -> Option<String> {
    ["rebase-merge/head-name", "rebase-apply/head-name"].iter().find_map(|name| {
        let text = read_small(&repository.git_dir, name).ok()??;
        let name = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        name.starts_with("refs/").then_some(name)
    })
}
