//! Counts the files that ignore rules keep out of a record, because an agent can write such rules. It must not
//! read those files, and stops before counting takes long.

use super::coverage;
use super::error::RescueError;
use super::listing;
use super::reading::WorkTree;
use crate::git::{Git, Shadow};
use crate::model::IgnoredFiles;

/// The count at which it stops.
const CAP: usize = 100_000;

pub(super) fn count(git: &Git<'_>, shadow: &Shadow) -> Result<IgnoredFiles, RescueError> {
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let mut ignored = IgnoredFiles::default();
    let folders = coverage::ignored(git, shadow)?;
    // Git names a folder that its own rules ignore entirely, and each of its files as well: count them once.
    let is_named_above = |path: &&Vec<u8>| listing::folders(path).any(|folder| folders.contains(folder));
    let mut left: Vec<Vec<u8>> = folders.iter().filter(|path| !is_named_above(path)).cloned().collect();
    while let Some(path) = left.pop() {
        if ignored.n_files == CAP {
            ignored.is_more = true;
            break;
        }
        let Ok(Some(stamp)) = tree.stamp(&path) else { continue };
        if !stamp.is_folder() {
            ignored.n_files += 1;
            ignored.n_bytes = ignored.n_bytes.saturating_add(stamp.size);
            continue;
        }
        match tree.list(&path) {
            Ok(names) => left.extend(names.iter().map(|name| [&path, &b"/"[..], name].concat())),
            Err(_) => ignored.is_more = true,
        }
    }
    Ok(ignored)
}
