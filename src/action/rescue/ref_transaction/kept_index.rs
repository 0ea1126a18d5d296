//! Keeps indexes in our own folder, whole and with their times, so that an undo restores them byte for byte. A
//! split index has most of its entries in a second file, `sharedindex.<sum>`, which it names. Git deletes such
//! a file after long disuse, so it is kept along with the first.
//!
//! It must not return an index that is not what was kept, and must not be asked for an index's meaning while
//! git's lock is held: that runs git.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use crate::action::rescue::base::settings::is_partial;
use crate::action::rescue::base::{KeptIndex, Move, RescueError, names, whole_file};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::survey::listing;
use crate::disk::Folder;
use crate::disk::write::{self, NewFile, Over, Sharing};
use crate::git::{self, Git, IndexEntry, RawIndex, Sha1, Shadow, Stdin, index_entries, succeeded};
use crate::model::display_text;

/// The largest index that is kept, in bytes.
const INDEX_CAP: u64 = 1 << 30;

/// Keeps an index in our own folder; it is written once, whole or not at all.
pub(crate) fn keep(worktree: &WorktreeLock, raw: &RawIndex) -> Result<KeptIndex, RescueError> {
    let sum = Sha1::of(&raw.bytes);
    let path = worktree.folder.join(format!("index-{sum}"));
    let since = raw.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let index = KeptIndex { sum, modified: (since.as_secs(), since.subsec_nanos()) };
    // An intact copy is left alone, because an earlier undo may need it.
    if kept(worktree, &index).is_err() {
        write::replace(&path, &raw.bytes).map_err(RescueError::io("write", &path))?;
    }
    keep_part(worktree, &raw.bytes)?;
    Ok(index)
}

/// Reads a kept index and verifies its checksum.
pub(crate) fn kept(worktree: &WorktreeLock, kept: &KeptIndex) -> Result<RawIndex, RescueError> {
    let path = worktree.folder.join(format!("index-{}", kept.sum));
    let bytes = whole_file::read(&path, INDEX_CAP)?.unwrap_or_default();
    if Sha1::of(&bytes) != kept.sum {
        return Err(RescueError::Damage("the index that was kept is not what it was".to_owned()));
    }
    let (seconds, nanos) = kept.modified;
    Ok(RawIndex { bytes, modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos) })
}

/// The name and content of a shared index file.
pub(crate) type Part = (String, Vec<u8>);

/// The shared index files in `folder` that an index names.
pub(crate) fn parts(folder: &Path, index: &[u8]) -> Result<Vec<Part>, RescueError> {
    let mut parts = Vec::new();
    for entry in whole_file::entries(folder)? {
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

/// Keeps the shared index files of an index in our own folder.
fn keep_part(worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    put(parts(&worktree.repo.git_dir, index)?, &worktree.folder)
}

/// Restores shared index files that git has deleted meanwhile.
pub(crate) fn put_back(git: &Git<'_>, worktree: &WorktreeLock, index: &[u8]) -> Result<(), RescueError> {
    let sharing = git.sharing()?;
    let path = &worktree.repo.git_dir;
    let [git_dir, _] = worktree.repo.held().map_err(RescueError::io("open", path))?;
    copy(parts(&worktree.folder, index)?, &git_dir, sharing).map_err(RescueError::io("write to", path))
}

/// Gives a shadow the shared index files of a kept index.
fn put_into(worktree: &WorktreeLock, shadow: &Shadow, index: &[u8]) -> Result<(), RescueError> {
    put(parts(&worktree.folder, index)?, &shadow.git_dir)
}

/// Copies into one of our own folders.
fn put(parts: Vec<Part>, to: &Path) -> Result<(), RescueError> {
    let copied =
        Folder::open(to).map_err(io::Error::from).and_then(|folder| copy(parts, &folder, Sharing::Masked));
    copied.map_err(RescueError::io("write to", to))
}

fn copy(parts: Vec<Part>, to: &Folder, sharing: Sharing) -> io::Result<()> {
    for (name, bytes) in parts {
        if to.stat(&*name).is_err() {
            // Access as git gives it to a new file.
            let new = NewFile::create(to, 0o666, &bytes)?;
            sharing.share(new.as_file())?;
            new.put(name.as_ref(), Over::Any)?;
        }
    }
    Ok(())
}

/// Turns the shadow's copy into a single file, so that indexes derived from it need no shared file.
pub(crate) fn join(git: &Git<'_>, shadow: &Shadow) -> Result<(), RescueError> {
    if !shadow.is_split_index() {
        return Ok(());
    }
    let args = ["update-index", "--no-split-index"];
    succeeded("update-index", git.shadowed(shadow, args, Stdin::Lock)?)?;
    Ok(())
}

/// Whether an index still has the meaning it had before the move. Differences that `git status` makes in a
/// sparse checkout are allowed: it clears the skip-worktree flag of files that exist, and writes that.
pub(crate) fn says_the_same(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    now: Option<&RawIndex>,
    moving: &Move,
) -> Result<bool, RescueError> {
    let entries = entries_of(git, shadow, now)?;
    let Some(before) =
        moving.index_before.as_ref().filter(|_| listing::digest(&entries) != moving.digest_before)
    else {
        return Ok(listing::digest(&entries) == moving.digest_before);
    };
    let before = kept(worktree, before)?;
    put_into(worktree, shadow, &before.bytes)?;
    let before = entries_of(git, shadow, Some(&before))?;
    let is_same = |(before, now): (&IndexEntry, &IndexEntry)| {
        before.is_as(now) || (before.is_unskipped(now) && worktree.repo.has(&now.path))
    };
    Ok(before.len() == entries.len() && before.iter().zip(&entries).all(is_same))
}

/// Checks that the repository has what an index names that is to be put in its place, beyond what the index there
/// names already. In a partial clone, what is missing can be fetched.
///
/// # Errors
/// [`RescueError::SavedOnly`] if something of it is gone; the text says what a person can do.
pub(crate) fn check_objects(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    plan: &Move,
) -> Result<(), RescueError> {
    let Some(after) = plan.index_after.as_ref().filter(|_| plan.index_before != plan.index_after) else {
        return Ok(());
    };
    let named = |index: &KeptIndex| -> Result<Vec<IndexEntry>, RescueError> {
        let raw = kept(worktree, index)?;
        put_into(worktree, shadow, &raw.bytes)?;
        entries_of(git, shadow, Some(&raw))
    };
    let mut new = named(after)?;
    new.retain(|entry| !entry.is_gitlink() && !entry.is_intent());
    if let Some(before) = &plan.index_before {
        let before: BTreeSet<String> = named(before)?.into_iter().map(|entry| entry.id).collect();
        new.retain(|entry| !before.contains(&entry.id));
    }
    let there = listing::sizes(git, new.iter().map(|entry| &entry.id))?;
    new.retain(|entry| !there.contains_key(&entry.id));
    let Some(first) = new.first().filter(|_| !is_partial(git).unwrap_or_default()) else { return Ok(()) };
    let path = display_text::bytes(&first.path);
    let way = match plan.to {
        Some(to) => format!("`git reset --soft {to}`"),
        None => format!("`git update-ref -d {}`", plan.branch),
    };
    Err(RescueError::SavedOnly(format!(
        "what was staged as {path} is not in this repository any more ({} in all); it was made anew, or its objects \
         were removed. {way} takes the commit back and leaves everything staged",
        new.len()
    )))
}

/// The entries of an index, as git reads it.
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
