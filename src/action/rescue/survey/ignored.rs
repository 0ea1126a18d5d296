//! Counts the files that ignore rules keep out of a record, because an agent can write such rules. It must not
//! read those files, and stops before counting takes long.

use std::collections::BTreeSet;

use rustix::fs::FileType;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{WorkTree, listing};
use crate::git::Git;
use crate::model::IgnoredFiles;

/// The count after which it enters no further folder.
const CAP: usize = 100_000;

/// Counts what is at or below `folders`, the paths that ignore rules match.
pub(crate) fn count(git: &Git<'_>, folders: &BTreeSet<Vec<u8>>) -> Result<IgnoredFiles, RescueError> {
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let mut ignored = IgnoredFiles::default();
    // Git names a folder that its own rules ignore entirely, and each of its files as well: count them once.
    let is_named_above = |path: &&Vec<u8>| listing::folders(path).any(|folder| folders.contains(folder));
    let mut left = Vec::new();
    for path in folders.iter().filter(|path| !is_named_above(path)) {
        match tree.stamp(path) {
            Ok(Some(stamp)) if stamp.is_folder() => left.push(path.clone()),
            Ok(Some(stamp)) => add(&mut ignored, stamp.size),
            Ok(None) | Err(_) => {}
        }
    }
    let mut walk = tree.walk();
    while let Some(folder) = left.pop() {
        if ignored.n_files >= CAP {
            ignored.is_more = true;
            break;
        }
        let Ok(children) = walk.entries(&folder) else {
            ignored.is_more = true;
            continue;
        };
        for (name, kind) in children {
            if kind == FileType::Directory {
                left.push([&folder, &b"/"[..], &name].concat());
            } else if let Some(size) = walk.size(&name) {
                add(&mut ignored, size);
            }
        }
    }
    Ok(ignored)
}

fn add(ignored: &mut IgnoredFiles, size: u64) {
    ignored.n_files += 1;
    ignored.n_bytes = ignored.n_bytes.saturating_add(size);
}
