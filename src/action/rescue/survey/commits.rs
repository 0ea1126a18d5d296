//! Reads commits for a plan that shows them. It must not judge them.

use std::collections::BTreeSet;

use crate::action::rescue::base::error::RescueError;
use crate::action::rescue::survey::listing::{self, Tree};
use crate::git::{Git, Stdin, line, succeeded};
use crate::model::ShownCommit;

/// Refuses if the repository lacks the commit: it was replaced by another repository, or lost it.
pub(in crate::action::rescue) fn check_there(git: &Git<'_>, commit: &str) -> Result<(), RescueError> {
    let args = ["cat-file", "-e", "--end-of-options", commit];
    if git.real(args, Stdin::Lock)?.is_success() {
        return Ok(());
    }
    Err(RescueError::Refused(format!(
        "the commit {commit} is not in this repository any more; it was made anew, or its objects were removed"
    )))
}

/// A commit as a plan shows it.
pub(in crate::action::rescue) fn shown(git: &Git<'_>, id: &str) -> Result<ShownCommit, RescueError> {
    let output = succeeded("cat-file", git.real(["cat-file", "commit", id], Stdin::Lock)?)?;
    let text = line(&output);
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let parent = head.lines().find_map(|line| line.strip_prefix("parent "));
    let before = parent.map_or_else(|| Ok(Tree::new()), |parent| listing::tree(git, parent))?;
    Ok(ShownCommit {
        commit: id.to_owned(),
        subject: message.lines().next().unwrap_or_default().to_owned(),
        n_paths: differing(&before, &listing::tree(git, id)?).len(),
    })
}

/// The paths that differ between two trees, sorted by bytes.
pub(in crate::action::rescue) fn differing(before: &Tree, after: &Tree) -> Vec<Vec<u8>> {
    let all: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}
