//! Counts what ignore rules keep out of a record: an agent can write such rules. It must not read any of
//! those files, and stops counting before it takes long.

use std::collections::HashSet;

use super::error::RescueError;
use super::git::{Git, Input, succeeded};
use super::reading::WorkTree;
use super::shadow::Shadow;
use crate::model::IgnoredFiles;

/// So many are counted.
const CAP: usize = 100_000;

/// Counts them.
pub(super) fn count(git: &Git<'_>, shadow: &Shadow) -> Result<IgnoredFiles, RescueError> {
    let args = ["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, &shadow.objects, args, Input::Lock)?)?;
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let mut ignored = IgnoredFiles::default();
    let mut left: Vec<Vec<u8>> = output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| path.strip_suffix(b"/").unwrap_or(path).to_vec())
        .collect();
    let folders: HashSet<Vec<u8>> = left.iter().cloned().collect();
    // A folder whose own rules ignore all of it is named, and so is each of its files.
    left.retain(|path| !above(path).any(|folder| folders.contains(folder)));
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

/// The folders that a path lies in.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').filter_map(|(at, _)| path.get(..at))
}
