//! An index that is split has most of its entries in a second file, `sharedindex.<sum>`, which the first names.
//! git removes such a file when it was long not used; whoever keeps the first keeps the second with it.

use std::fs;
use std::path::Path;

use super::error::RescueError;
use super::lock::WorktreeLock;
use super::names;
use crate::git::{self, Git, Input, Shadow, succeeded};

/// The most that is read of one.
const CAP: u64 = 1 << 30;

/// The name and the bytes of a second file.
pub(super) type Part = (String, Vec<u8>);

/// The second files in `folder` that an index names.
pub(super) fn parts(folder: &Path, index: &[u8]) -> Result<Vec<Part>, RescueError> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder).map_err(RescueError::io("list", folder))?.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let sum = name.strip_prefix("sharedindex.").and_then(|digits| names::unhex(digits.as_bytes()));
        let Some(sum) = sum.filter(|sum| !sum.is_empty()) else { continue };
        if index.windows(sum.len()).any(|window| window == sum)
            && let Some(bytes) = git::read(folder, &name, CAP)?
        {
            parts.push((name, bytes));
        }
    }
    parts.sort();
    Ok(parts)
}

/// Keeps in our own folder what the index needs beside itself.
pub(super) fn keep(worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    copy(parts(&worktree.repo.git_dir, index)?, &worktree.folder)
}

/// Puts back what the index needs beside itself and git removed meanwhile.
pub(super) fn put_back(worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    copy(parts(&worktree.folder, index)?, &worktree.repo.git_dir)
}

/// Gives a shadow what a kept index needs beside itself.
pub(super) fn put_into(worktree: &WorktreeLock, shadow: &Shadow, index: &[u8]) -> Result<(), RescueError> {
    copy(parts(&worktree.folder, index)?, &shadow.git_dir)
}

fn copy(parts: Vec<Part>, to: &Path) -> Result<(), RescueError> {
    for (name, bytes) in parts {
        let path = to.join(&name);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let beside = to.join(format!("{name}.closeout"));
        fs::write(&beside, bytes).map_err(RescueError::io("write", &beside))?;
        fs::rename(&beside, &path).map_err(RescueError::io("write", &path))?;
    }
    Ok(())
}

/// Makes the shadow's copy one file, so that what is made of it needs no other.
pub(super) fn join(git: &Git<'_>, shadow: &Shadow) -> Result<(), RescueError> {
    if !shadow.is_split_index() {
        return Ok(());
    }
    let args = ["update-index", "--no-split-index"];
    succeeded("update-index", git.shadowed(shadow, &shadow.objects, args, Input::Lock)?)?;
    Ok(())
}
