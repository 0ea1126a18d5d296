//! Indexes in our own folder, whole and with their times: an undo puts back what was there, byte for byte. An index
//! that is split has most of its entries in a second file, `sharedindex.<sum>`, which the first names; git removes such
//! a file when it was long not used, so that it is kept with the first.
//!
//! It must not hand out one that is not what was kept, and must not be asked for the meaning of an index while git's
//! lock is held: git reads the index then.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::error::RescueError;
use super::journal::{KeptIndex, Move};
use super::lock::WorktreeLock;
use super::{listing, names, whole_file};
use crate::disk::write;
use crate::git::{self, Git, IndexEntry, RawIndex, Sha1, Shadow, Stdin, index_entries, succeeded};

/// The most that an index that we keep can have.
const INDEX_CAP: u64 = 1 << 30;

/// Keeps an index in our own folder: written once, whole or not at all.
pub(super) fn keep(worktree: &WorktreeLock, raw: &RawIndex) -> Result<KeptIndex, RescueError> {
    let sum = Sha1::of(&raw.bytes);
    let path = worktree.folder.join(format!("index-{sum}"));
    let since = raw.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let index = KeptIndex { sum, modified: (since.as_secs(), since.subsec_nanos()) };
    // An earlier undo may need it: one that is there whole is not touched.
    if kept(worktree, &index).is_err() {
        write::replace(&path, &raw.bytes).map_err(RescueError::io("write", &path))?;
    }
    keep_part(worktree, &raw.bytes)?;
    Ok(index)
}

/// An index that was kept, checked by its sum.
pub(super) fn kept(worktree: &WorktreeLock, kept: &KeptIndex) -> Result<RawIndex, RescueError> {
    let path = worktree.folder.join(format!("index-{}", kept.sum));
    let bytes = whole_file::read(&path, INDEX_CAP)?.unwrap_or_default();
    if Sha1::of(&bytes) != kept.sum {
        return Err(RescueError::Damage("the index that was kept is not what it was".to_owned()));
    }
    let (seconds, nanos) = kept.modified;
    Ok(RawIndex { bytes, modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos) })
}

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
            && let Some(bytes) = git::read(folder, &name, INDEX_CAP)?
        {
            parts.push((name, bytes));
        }
    }
    parts.sort();
    Ok(parts)
}

/// Keeps in our own folder what the index needs beside itself.
fn keep_part(worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    copy(parts(&worktree.repo.git_dir, index)?, &worktree.folder)
}

/// Puts back what the index needs beside itself and git removed meanwhile.
pub(super) fn put_back(worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    copy(parts(&worktree.folder, index)?, &worktree.repo.git_dir)
}

/// Gives a shadow what a kept index needs beside itself.
fn put_into(worktree: &WorktreeLock, shadow: &Shadow, index: &[u8]) -> Result<(), RescueError> {
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
    succeeded("update-index", git.shadowed(shadow, &shadow.objects, args, Stdin::Lock)?)?;
    Ok(())
}

/// Whether an index says what it said before the move. In a sparse checkout any `git status` takes the mark of
/// being skipped from files that are there, and writes that down.
pub(super) fn says_the_same(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    now: Option<&RawIndex>,
    plan: &Move,
) -> Result<bool, RescueError> {
    let entries = entries_of(git, shadow, now)?;
    let Some(before) = plan.index_before.as_ref().filter(|_| listing::digest(&entries) != plan.digest_before)
    else {
        return Ok(listing::digest(&entries) == plan.digest_before);
    };
    let before = kept(worktree, before)?;
    put_into(worktree, shadow, &before.bytes)?;
    let before = entries_of(git, shadow, Some(&before))?;
    let is_same = |(before, now): (&IndexEntry, &IndexEntry)| {
        before.is_as(now) || (before.is_unskipped(now) && worktree.repo.has(&now.path))
    };
    Ok(before.len() == entries.len() && before.iter().zip(&entries).all(is_same))
}

/// The meaning of an index, as git reads it.
fn entries_of(
    git: &Git<'_>,
    shadow: &Shadow,
    index: Option<&RawIndex>,
) -> Result<Vec<IndexEntry>, RescueError> {
    match index {
        Some(raw) => raw.write(&shadow.index).map_err(RescueError::io("write", &shadow.index))?,
        None => drop(fs::remove_file(&shadow.index)),
    }
    Ok(index_entries(git, shadow, &shadow.index)?)
}
