//! Packs a record once more where git left out what a pack of the repository has already: a garbage collection that is under
//! way deletes the packs that it listed before the record had its reference, and with them what nothing held then.
//!
//! It must not pack what the last commit holds.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::action::rescue::base::{RescueError, whole_file};
use crate::action::rescue::survey::Tree;
use crate::action::rescue::survey::listing::trees;
use crate::git::{Git, ObjectFormat, Shadow, Stdin, succeeded};

/// Replaces the pack in our own object directory, if it lacks any of the objects `ids`, or of those in the trees of the
/// `record`, by one that has them all. `head` is the tree of the last commit, if it can be read.
///
/// # Errors
/// [`RescueError::Git`] if something of it was deleted already.
pub(crate) fn pack_again(
    git: &Git<'_>,
    shadow: &Shadow,
    ids: impl IntoIterator<Item = String>,
    record: [&Tree; 2],
    head: Option<&Tree>,
) -> Result<(), RescueError> {
    let format = git.repo.format;
    let mut lacking: BTreeSet<String> = ids.into_iter().collect();
    for tree in record {
        lacking.extend(objects(format, tree)?);
    }
    let packs = packs(shadow)?;
    let written = written(git, shadow, &packs)?;
    for id in &written {
        lacking.remove(id);
    }
    if let Some(head) = head.filter(|_| !lacking.is_empty()) {
        for held in objects(format, head)? {
            lacking.remove(&held);
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = lacking.into_iter().chain(written).chain([String::new()]).collect();
    let base = shadow.objects.join("pack/pack");
    let args = [OsStr::new("pack-objects"), OsStr::new("-q"), OsStr::new("--"), base.as_os_str()];
    // Git looks up what it packs in the attributes of the work tree that it knows: here one of our own.
    let repo = git.repo.clone().with_top(shadow.folder().to_owned(), git.repo.key.clone());
    let packed = git.on(&repo).shadowed(shadow, args, Stdin::Bytes(names.join("\n").into_bytes()))?;
    succeeded("pack-objects", packed)?;
    for list in packs {
        for path in [list.with_extension("pack"), list] {
            fs::remove_file(&path).map_err(RescueError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// The folders of a tree, and the contents in it.
fn objects(format: ObjectFormat, tree: &Tree) -> Result<impl Iterator<Item = String>, RescueError> {
    let folders = trees(format, tree)?.into_iter().map(|folder| folder.id);
    // The commit of a repository inside is none of this one's objects.
    let contents = tree.values().filter(|entry| entry.mode != "160000").map(|entry| entry.id.clone());
    Ok(folders.chain(contents))
}

/// The lists of the packs in our own object directory.
fn packs(shadow: &Shadow) -> Result<Vec<PathBuf>, RescueError> {
    let all = whole_file::entries(&shadow.objects.join("pack"))?.into_iter().map(|entry| entry.path());
    Ok(all.filter(|path| path.extension().is_some_and(|extension| extension == "idx")).collect())
}

/// The objects in these packs.
fn written(git: &Git<'_>, shadow: &Shadow, packs: &[PathBuf]) -> Result<Vec<String>, RescueError> {
    let mut written = Vec::new();
    for path in packs {
        let list = fs::read(path).map_err(RescueError::io("read", path))?;
        let shown = succeeded("show-index", git.shadowed(shadow, ["show-index"], Stdin::Bytes(list))?)?;
        let lines = String::from_utf8_lossy(&shown.stdout).into_owned();
        written.extend(lines.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned));
    }
    Ok(written)
}
