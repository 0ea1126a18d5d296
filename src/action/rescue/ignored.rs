//! Counts what ignore rules keep out of a record: an agent can write such rules. It must not read any of
//! those files, and stops counting before it takes long.

use super::coverage;
use super::error::RescueError;
use super::listing;
use super::reading::WorkTree;
use crate::git::{Git, Shadow};
use crate::model::IgnoredFiles;

/// So many are counted.
const CAP: usize = 100_000;

/// Counts them.
pub(super) fn count(git: &Git<'_>, shadow: &Shadow) -> Result<IgnoredFiles, RescueError> {
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let mut ignored = IgnoredFiles::default();
    let folders = coverage::ignored(git, shadow)?;
    // A folder whose own rules ignore all of it is named, and so is each of its files.
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
