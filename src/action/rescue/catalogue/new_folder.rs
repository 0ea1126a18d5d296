//! Writes files of a record into a new or empty folder, or one in which an earlier attempt ended.
//!
//! It must not write into a folder that holds anything else, replace a file, or write through a link, not even one that comes
//! while it writes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::RescueError;
use crate::action::rescue::catalogue::already::{Files, ONLY_INTO, already, id_of_file};
use crate::action::rescue::survey::{TreeEntry, listing};
use crate::disk::Folder;
use crate::disk::write::{Below, Missing, NewFile, Over, folder_in, sync_file_system_of};
use crate::git::{Git, Stdin};
use crate::model::{Restored, SkipReason, display_text};

/// The most that is read from git at once, in bytes. A larger file goes to disk separately.
const AT_ONCE: u64 = 32 << 20;
/// How many damaged files an error names.
const MAX_NAMED: usize = 20;

/// Writes the files `chosen` of the record into the folder `into`. Those of `all` that are in it already stay.
///
/// # Errors
/// [`RescueError::Refused`] if the folder holds anything else; nothing is written then. Any other error says how much was
/// written. Where a content is damaged, the other files are written, and the error names those that are not; after any
/// other, the same call again writes the rest.
pub(crate) fn write(
    rescuer: &Rescuer,
    git: &Git<'_>,
    all: &Files,
    chosen: &Files,
    into: &Path,
) -> Result<Restored, RescueError> {
    let sizes = listing::sizes(git, all.values().map(|entry| &entry.id))?;
    check_present(chosen, &sizes)?;
    let new = NewFolder::open(into)?;
    let there = already(git, &new.folder, all, &sizes, into)?;
    for left in &there.left {
        let removed = new.below(left)?.remove();
        removed.map_err(RescueError::io("remove", &into.join(left)))?;
    }
    let missing = chosen.iter().filter(|(path, _)| !there.files.contains(*path));
    let (links, plain): (Vec<_>, Vec<_>) = missing.partition(|(_, entry)| entry.mode == "120000");
    let mut so_far = SoFar::of(chosen.keys().filter(|path| there.files.contains(*path)));
    // Links come last, so that nothing can be written through them.
    let groups = groups(plain.into_iter().chain(links), &sizes);
    let written = groups.iter().try_for_each(|group| match group[..] {
        [(path, entry)] if is_large(entry, &sizes) => {
            let written = write_large(git, &new, path, entry);
            so_far.count(path, written)
        }
        _ => write_group(git, &new, group, &mut so_far),
    });
    if let Err(error) = written {
        so_far.skip_rest(chosen);
        return Err(so_far.ended_by(error, into, "; the same restore again writes the rest"));
    }
    // Success is reported only after it is on disk.
    if rescuer.is_synced
        && let Err(error) = sync_file_system_of(&new.folder)
    {
        let rest = ", but perhaps not all on the disk; the same restore again makes sure";
        return Err(so_far.ended_by(RescueError::io("write", into)(error), into, rest));
    }
    match so_far.first.take() {
        None => Ok(so_far.restored),
        Some(error) => {
            let without = so_far.without();
            Err(so_far.ended_by(error, into, &without))
        }
    }
}

/// What a restore has done.
struct SoFar {
    restored: Restored,
    /// Why the first file whose content is damaged could not be written.
    first: Option<RescueError>,
}

impl SoFar {
    /// Before anything is written, where these are there already.
    fn of<'f>(there: impl Iterator<Item = &'f PathBuf>) -> SoFar {
        let skipped = there.map(|path| (path.clone(), SkipReason::AlreadyThere)).collect();
        SoFar { restored: Restored { written: Vec::new(), skipped }, first: None }
    }

    /// Counts as not written what nothing became of.
    fn skip_rest(&mut self, chosen: &Files) {
        let Restored { written, skipped } = &mut self.restored;
        let done: BTreeSet<PathBuf> =
            written.iter().chain(skipped.iter().map(|(path, _)| path)).cloned().collect();
        let rest = chosen.keys().filter(|path| !done.contains(*path));
        skipped.extend(rest.map(|path| (path.clone(), SkipReason::NotReached)));
    }

    /// The error of a restore that did this much, with what the person can do about the rest.
    fn ended_by(self, error: RescueError, into: &Path, rest: &str) -> RescueError {
        let Restored { written, skipped } = &self.restored;
        let (n_files, n_all) = (self.restored.n_files(), written.len() + skipped.len());
        let part = format!("{n_files} of {n_all} files are in {}{rest}", display_text::path(into));
        error.restoring(part, self.restored)
    }

    /// Counts a file that was written. One that is damaged is in nobody's way; any other error ends the restore.
    fn count(&mut self, path: &Path, written: Result<(), RescueError>) -> Result<(), RescueError> {
        match written {
            Ok(()) => self.restored.written.push(path.to_owned()),
            Err(error @ (RescueError::Damage(_) | RescueError::Git { .. })) => {
                self.restored.skipped.push((path.to_owned(), SkipReason::Damaged));
                self.first.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Names what is damaged.
    fn without(&self) -> String {
        let n_bad = self.restored.n_skipped(SkipReason::Damaged);
        let bad = self.restored.skipped.iter().filter(|(_, reason)| *reason == SkipReason::Damaged);
        let shown: Vec<_> = bad.take(MAX_NAMED).map(|(path, _)| display_text::path(path)).collect();
        let more = match n_bad - shown.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        format!(", without {}{more}", shown.join(", "))
    }
}

/// The new folder, held open: what others put in its place or on the way to it gets nothing.
struct NewFolder {
    folder: Folder,
    path: PathBuf,
}

impl NewFolder {
    /// Opens the folder, or makes it.
    fn open(into: &Path) -> Result<NewFolder, RescueError> {
        let made = || match (into.parent(), into.file_name()) {
            (Some(above), Some(name)) => folder_in(&Folder::open_resolved(above)?, name),
            _ => Err(Errno::NOENT),
        };
        let opened = match Folder::open_resolved(into) {
            Err(Errno::NOENT) => made(),
            opened => opened,
        };
        match opened {
            Ok(folder) => Ok(NewFolder { folder, path: into.to_owned() }),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let message = format!("{ONLY_INTO}; {} is none", display_text::path(into));
                Err(RescueError::Refused(message))
            }
            Err(errno) => Err(RescueError::io("make", into)(errno.into())),
        }
    }

    /// The place for a file below, in a folder that is made if it is missing.
    fn below(&self, path: &Path) -> Result<Below, RescueError> {
        let opened = Below::open(&self.folder, path, Missing::CreatePrivate);
        opened.map_err(RescueError::io("make", &self.path.join(path)))
    }
}

fn check_present(files: &Files, sizes: &BTreeMap<String, u64>) -> Result<(), RescueError> {
    match files.iter().find(|(_, entry)| !sizes.contains_key(&entry.id)) {
        None => Ok(()),
        Some((path, _)) => {
            Err(RescueError::Damage(format!("the content of {} is missing", display_text::path(path))))
        }
    }
}

fn is_large(entry: &TreeEntry, sizes: &BTreeMap<String, u64>) -> bool {
    entry.mode != "120000" && sizes.get(&entry.id).is_some_and(|size| *size > AT_ONCE)
}

/// Groups the files that are read together; a large file forms its own group.
fn groups<'f>(
    files: impl Iterator<Item = (&'f PathBuf, &'f TreeEntry)>,
    sizes: &BTreeMap<String, u64>,
) -> Vec<Vec<(&'f PathBuf, &'f TreeEntry)>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    let mut n_bytes = AT_ONCE;
    for file in files {
        let size = sizes.get(&file.1.id).copied().unwrap_or(0) + 100;
        if n_bytes + size > AT_ONCE || groups.is_empty() {
            groups.push(Vec::new());
            n_bytes = 0;
        }
        n_bytes += size;
        if let Some(group) = groups.last_mut() {
            group.push(file);
        }
    }
    groups
}

/// Writes the files of a group and counts each. Where git fails at one, it reads the others without it.
fn write_group(
    git: &Git<'_>,
    new: &NewFolder,
    group: &[(&PathBuf, &TreeEntry)],
    so_far: &mut SoFar,
) -> Result<(), RescueError> {
    let ids: String = group.iter().map(|(_, entry)| entry.id.clone() + "\n").collect();
    let answered = git.answer(["cat-file", "--batch"], Stdin::Bytes(ids.into_bytes()));
    let output = match (answered.map_err(RescueError::from), group) {
        (Ok(output), _) => output,
        (Err(error), [(path, _)]) => return so_far.count(path, Err(error)),
        (Err(RescueError::Git { .. }), _) => {
            let (one, other) = group.split_at(group.len() / 2);
            write_group(git, new, one, so_far)?;
            return write_group(git, new, other, so_far);
        }
        (Err(error), _) => return Err(error),
    };
    let mut answer = &output[..];
    for (path, entry) in group {
        let next = listing::next_object(answer, &entry.id, "blob");
        let written = match next {
            Some((content, _)) if git.repo.format.id_of(content).as_ref() == Some(&entry.id) => {
                write_one(new, path, entry, content)
            }
            _ => Err(not_as_listed(path)),
        };
        so_far.count(path, written)?;
        // Where an answer is of another kind, no other can be found behind it: each then counts as damaged.
        answer = next.map_or(&[][..], |(_, rest)| rest);
    }
    Ok(())
}

fn not_as_listed(path: &Path) -> RescueError {
    RescueError::Damage(format!("the content of {} is not as listed", display_text::path(path)))
}

/// The mode of a file of the record: it is accessible to this user only.
fn mode(entry: &TreeEntry) -> u32 {
    if entry.mode == "100755" { 0o700 } else { 0o600 }
}

/// Writes a file beside its place and moves it there, so that no part of one stays where this is killed.
fn write_one(new: &NewFolder, path: &Path, entry: &TreeEntry, content: &[u8]) -> Result<(), RescueError> {
    let place = new.below(path)?;
    let written = if entry.mode == "120000" {
        place.create_link(OsStr::from_bytes(content))
    } else {
        NewFile::create(place.folder(), mode(entry), content)
            .and_then(|file| file.put(place.name(), Over::Nothing))
    };
    written.map_err(RescueError::io("write", &new.path.join(path)))
}

/// Has git write a large content to a file beside, then reads it again to verify it.
fn write_large(git: &Git<'_>, new: &NewFolder, path: &Path, entry: &TreeEntry) -> Result<(), RescueError> {
    let (place, shown) = (new.below(path)?, new.path.join(path));
    let unwritten = || RescueError::io("write", &shown);
    let new = NewFile::create(place.folder(), mode(entry), b"").map_err(unwritten())?;
    let file = Arc::new(new.as_file().try_clone().map_err(unwritten())?);
    git.write_blob(&entry.id, &file)?;
    if id_of_file(git, &file, &shown)?.as_ref() != Some(&entry.id) {
        return Err(not_as_listed(path));
    }
    new.put(place.name(), Over::Nothing).map_err(unwritten())
}
