//! Writes files of a record into a new or empty folder, or one in which an earlier attempt ended.
//!
//! It must not write into a folder that holds anything else, replace a file, or write through a link, not even one that comes
//! while it writes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;
use rustix::io::Errno;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::RescueError;
use crate::action::rescue::catalogue::already::{Files, already, id_of_file};
use crate::action::rescue::survey::{TreeEntry, listing};
use crate::disk::Folder;
use crate::disk::write::{Below, Missing, folder_in, sync_file_system_of};
use crate::git::{Git, Stdin};
use crate::model::{Restored, display_text};

/// The most that is read from git at once, in bytes. A larger file goes to disk separately.
const AT_ONCE: u64 = 32 << 20;

/// Writes the files `chosen` of the record into the folder `into`. Those of `all` that are in it already stay.
///
/// # Errors
/// [`RescueError::Refused`] if the folder holds anything else; nothing is written then. Any other error says how much was
/// written, and the same call again writes the rest.
pub(crate) fn write(
    rescuer: &Rescuer,
    git: &Git<'_>,
    (all, chosen): (&Files, &Files),
    into: &Path,
) -> Result<Restored, RescueError> {
    let sizes = sizes(git, chosen)?;
    let new = NewFolder::open(into)?;
    let there = already(git.repo.format, &new.folder, all, into)?;
    let missing = chosen.iter().filter(|(path, _)| !there.contains(*path));
    let (links, plain): (Vec<_>, Vec<_>) = missing.partition(|(_, entry)| entry.mode == "120000");
    let mut restored = Restored { n_written: 0, n_there: chosen.len() - links.len() - plain.len() };
    // Links come last, so that nothing can be written through them.
    for group in groups(plain.into_iter().chain(links), &sizes) {
        let written = match group[..] {
            [(path, entry)] if is_large(entry, &sizes) => {
                write_large(git, &new, path, entry).map(|()| restored.n_written += 1)
            }
            _ => write_group(git, &new, &group, &mut restored.n_written),
        };
        written.map_err(|error| error.in_the_middle(&part(restored, chosen.len(), into)))?;
    }
    // Success is reported only after it is on disk.
    if rescuer.is_synced {
        sync_file_system_of(&new.folder).map_err(RescueError::io("write", into))?;
    }
    Ok(restored)
}

/// Says what there is after a restore that failed.
fn part(restored: Restored, n_files: usize, into: &Path) -> String {
    format!(
        "{} of {n_files} files are in {}; the same restore again writes the rest",
        restored.n_files(),
        display_text::path(into)
    )
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
                Err(RescueError::Refused("a record is restored only into a new or empty folder".to_owned()))
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

fn sizes(git: &Git<'_>, files: &Files) -> Result<BTreeMap<String, u64>, RescueError> {
    let sizes = listing::sizes(git, files.values().map(|entry| &entry.id))?;
    match files.iter().find(|(_, entry)| !sizes.contains_key(&entry.id)) {
        None => Ok(sizes),
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

/// Writes the files of a group and counts each.
fn write_group(
    git: &Git<'_>,
    new: &NewFolder,
    group: &[(&PathBuf, &TreeEntry)],
    n_written: &mut usize,
) -> Result<(), RescueError> {
    let ids: String = group.iter().map(|(_, entry)| entry.id.clone() + "\n").collect();
    let output = git.answer(["cat-file", "--batch"], Stdin::Bytes(ids.into_bytes()))?;
    let mut answer = &output[..];
    for (path, entry) in group {
        let next = listing::next_object(answer, &entry.id, "blob");
        let is_whole = |content: &[u8]| git.repo.format.id_of(content).as_ref() == Some(&entry.id);
        let Some((content, rest)) = next.filter(|(content, _)| is_whole(content)) else {
            return Err(not_as_listed(path));
        };
        answer = rest;
        write_one(new, path, entry, content)?;
        *n_written += 1;
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

fn write_one(new: &NewFolder, path: &Path, entry: &TreeEntry, content: &[u8]) -> Result<(), RescueError> {
    let place = new.below(path)?;
    let written = if entry.mode == "120000" {
        place.create_link(OsStr::from_bytes(content))
    } else {
        place
            .create(mode(entry))
            .and_then(|mut file| file.write_all(content).inspect_err(|_| take_away(&place, &file)))
    };
    written.map_err(RescueError::io("write", &new.path.join(path)))
}

/// Removes a file that could not be written to its end, if it is still the one that was made.
fn take_away(place: &Below, made: &File) {
    let is_same = |one: &Stat, other: &Stat| (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino);
    if let (Ok(made), Ok(there)) = (rustix::fs::fstat(made), place.folder().stat(place.name()))
        && is_same(&made, &there)
    {
        // One that stays is named by the next attempt.
        let _ = place.remove();
    }
}

/// Has git write a large content to the file, then reads it again to verify it.
fn write_large(git: &Git<'_>, new: &NewFolder, path: &Path, entry: &TreeEntry) -> Result<(), RescueError> {
    let (place, shown) = (new.below(path)?, new.path.join(path));
    let file = Arc::new(place.create(mode(entry)).map_err(RescueError::io("make", &shown))?);
    let written = git.write_blob(&entry.id, &file).map_err(RescueError::from).and_then(|()| {
        let id = id_of_file(git.repo.format, &file).map_err(RescueError::io("read", &shown))?;
        if id.as_ref() == Some(&entry.id) { Ok(()) } else { Err(not_as_listed(path)) }
    });
    written.inspect_err(|_| take_away(&place, &file))
}
