//! Finds which paths a commit changes, with libgit2. Reads only trees.

use std::collections::HashSet;

use git2::{Oid, Repository, Tree};

use super::libgit2::oid;
use super::reader::Commit;
use crate::model::CommitId;

/// The paths that differ from every parent; for a root commit, all paths.
pub(super) fn changed(repository: &Repository, commit: &Commit) -> Result<Vec<Vec<u8>>, git2::Error> {
    let tree = repository.find_tree(Oid::from_str(&commit.tree)?)?;
    let mut changed = against(repository, &tree, commit.parents.first())?;
    for parent in commit.parents.iter().skip(1) {
        let paths = against(repository, &tree, Some(parent))?;
        changed.retain(|path| paths.contains(path));
    }
    Ok(changed.into_iter().collect())
}

fn against(
    repository: &Repository,
    tree: &Tree<'_>,
    parent: Option<&CommitId>,
) -> Result<HashSet<Vec<u8>>, git2::Error> {
    let before = match parent {
        Some(parent) => Some(repository.find_commit(oid(*parent)?)?.tree()?),
        None => None,
    };
    let diff = repository.diff_tree_to_tree(before.as_ref(), Some(tree), None)?;
    let paths =
        diff.deltas().filter_map(|delta| delta.new_file().path_bytes().or(delta.old_file().path_bytes()));
    Ok(paths.map(<[u8]>::to_vec).collect())
}
