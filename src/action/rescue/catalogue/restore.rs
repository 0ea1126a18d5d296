//! Writes the work tree of a record into a new, empty folder.
//!
//! It must not write into a folder that holds anything or through a link, not even one that comes while it writes, and must
//! not write anything before every name is known to be safe.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use crate::action::rescue::base::{RescueError, Saved, Settings, names, references, repository, worktrees};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::survey::{TreeEntry, listing};
use crate::action::rescue::vault::Opened;
use crate::action::rescue::{Rescuer, catalogue};
use crate::disk::write::{Below, Missing, folder_in, sync_file_system_of};
use crate::disk::{self, Folder};
use crate::git::{Git, Stdin};
use crate::model::{CommitId, display_text};

/// The most that is read from git at once, in bytes. A larger file goes to disk separately.
const AT_ONCE: u64 = 32 << 20;
/// The folder for files whose names git refuses; each is named by its number in the record. If the work tree
/// has this name too, a number is appended.
const REFUSED_NAMES: &str = "names-that-git-refuses";

/// The files to write, by path below the new folder.
type Files = BTreeMap<PathBuf, TreeEntry>;

impl Rescuer {
    /// Writes the files of the record `reference` into `into`, which must be empty or absent. Returns how many
    /// were written. Files get the current time and are accessible to this user only.
    ///
    /// # Errors
    /// [`RescueError::Refused`] if `into` holds something or a name in the record is not safe. Nothing is
    /// written then.
    pub fn restore(&self, workspace: &Path, reference: &str, into: &Path) -> Result<usize, RescueError> {
        self.restore_paths(workspace, reference, &[], into)
    }

    /// Like [`Rescuer::restore`], but only for these paths of the record, each a file or a folder. Empty
    /// `paths` means all. A record that exists only in the vault is read from there.
    ///
    /// # Errors
    /// [`RescueError::Refused`] also if the record does not hold one of the paths.
    pub fn restore_paths(
        &self,
        workspace: &Path,
        reference: &str,
        paths: &[Vec<u8>],
        into: &Path,
    ) -> Result<usize, RescueError> {
        let worktree = WorktreeLock::take_to_read(self, workspace)?;
        if !references::is_of_record(reference) {
            return Err(RescueError::Refused("this is no reference of a record".to_owned()));
        }
        let git = worktree.git();
        let into = &place_of(into)?;
        check_outside(&worktree, into)?;
        let known = catalogue::known(&worktree, reference)?;
        // Git may hang in the repository of a record that is not in it.
        let is_there = known.as_ref().is_none_or(|(_, saved)| !saved.shown.is_vault_only);
        if is_there
            && let Some(snapshot) = snapshot_of(&git, known.as_ref().map(|(_, saved)| saved), reference)?
        {
            return restore(self, &git, snapshot, paths, into);
        }
        let bundle = known.as_ref().and_then(|(place, saved)| catalogue::bundle(place, saved));
        match bundle.filter(|bundle| bundle.is_file()) {
            Some(bundle) => {
                let (opened, snapshot) = Opened::open(self, &bundle, &worktree.work())?;
                restore(self, &opened.git(), snapshot, paths, into)
            }
            None if known.is_some() => {
                if let Some(reason) = &worktree.unusable {
                    return Err(RescueError::Unusable(reason.clone()));
                }
                // If git cannot use the repository, nothing is known of the record.
                Settings::read(&git)?;
                let message = "the record is gone from the repository, with its objects";
                Err(RescueError::Damage(message.to_owned()))
            }
            None => Err(RescueError::Refused("there is no such record".to_owned())),
        }
    }

    /// Restores from a bundle of the vault. The repository that it came from need not exist any more.
    pub fn restore_vault(&self, bundle: &Path, paths: &[Vec<u8>], into: &Path) -> Result<usize, RescueError> {
        let into = &place_of(into)?;
        let folder = repository::own_folder(&self.state, Path::new(worktrees::RESCUE).join("opened"))?;
        let _lock = lock::lock(&folder)?;
        let (opened, snapshot) = Opened::open(self, bundle, &folder.join("work"))?;
        restore(self, &opened.git(), snapshot, paths, into)
    }
}

/// The commit of the record's work tree, or `None` if its objects are gone. The journal decides, not the
/// reference: anyone can move or remove a reference, and the objects remain until git collects them.
///
/// # Errors
/// [`RescueError::Damage`] if the commits are not the ones that the journal names.
fn snapshot_of(
    git: &Git<'_>,
    known: Option<&Saved>,
    reference: &str,
) -> Result<Option<CommitId>, RescueError> {
    let Some(saved) = known else { return references::at(git, reference) };
    let args = ["cat-file", "-e", "--end-of-options", &format!("{}^{{commit}}", saved.snapshot)];
    if !git.real(args, Stdin::Lock)?.is_success() {
        return Ok(None);
    }
    if catalogue::record_of(git, saved.snapshot)? == saved.record {
        return Ok(Some(saved.snapshot));
    }
    Err(RescueError::Damage("the record is not the one that the journal names".to_owned()))
}

/// The path of a folder, which need not exist, without links on the way: none that comes later is followed.
fn place_of(into: &Path) -> Result<PathBuf, RescueError> {
    let real = |path: &Path| path.canonicalize().map_err(RescueError::io("find", path));
    let Some(name) = into.file_name() else { return real(into) };
    let above = into.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(real(above.unwrap_or(Path::new(".")))?.join(name))
}

/// Refuses a folder of git's or closeout's own: files there would be mistaken for references or objects.
fn check_outside(worktree: &WorktreeLock, into: &Path) -> Result<(), RescueError> {
    let (repo, own) = (&worktree.repo, disk::resolve(&worktree.folder));
    let own = own.map_err(RescueError::io("find", &worktree.folder))?;
    if [&repo.git_dir, &repo.common_dir, &own].iter().any(|folder| into.starts_with(folder)) {
        let message = "this folder is git's or closeout's own; choose one outside of it";
        return Err(RescueError::Refused(message.to_owned()));
    }
    Ok(())
}

fn restore(
    rescuer: &Rescuer,
    git: &Git<'_>,
    snapshot: CommitId,
    paths: &[Vec<u8>],
    into: &Path,
) -> Result<usize, RescueError> {
    let files = chosen(files(git, snapshot)?, paths)?;
    check_names(&files)?;
    let sizes = sizes(git, &files)?;
    let new = NewFolder::open(into)?;
    let (links, plain): (Vec<_>, Vec<_>) = files.iter().partition(|(_, entry)| entry.mode == "120000");
    // Links come last, so that nothing can be written through them.
    for group in groups(plain.into_iter().chain(links), &sizes) {
        let written = match group[..] {
            [(path, entry)] if is_large(entry, &sizes) => write_large(git, &new, path, entry),
            _ => write_group(git, &new, &group),
        };
        written.map_err(|error| {
            if !matches!(error, RescueError::Cancelled { .. }) {
                return error;
            }
            let into = display_text::path(into);
            RescueError::Failed(format!("ended on request; {into} holds only a part of the record"))
        })?;
    }
    // Success is reported only after it is on disk.
    if rescuer.is_synced {
        sync_file_system_of(&new.folder).map_err(RescueError::io("write", into))?;
    }
    Ok(files.len())
}

/// All files of the record, those with refused names in a folder of their own.
fn files(git: &Git<'_>, snapshot: CommitId) -> Result<Files, RescueError> {
    let mut files = Files::new();
    for (path, entry) in listing::tree(git, snapshot)? {
        if names::is_refused(&path, &entry.mode) {
            return Err(RescueError::Refused("the record holds a name that is not safe".to_owned()));
        }
        if entry.mode != "160000" {
            files.insert(PathBuf::from(OsStr::from_bytes(&path)), entry);
        }
    }
    let folder = free_name(&files);
    for (path, entry) in listing::tree(git, catalogue::record_of(git, snapshot)?)? {
        if let Some(number) = path.strip_prefix(b"x/") {
            let path = folder.join(OsStr::from_bytes(number));
            if !number.iter().all(u8::is_ascii_digit) || files.insert(path, entry).is_some() {
                return Err(RescueError::Refused("the record holds a name that is not safe".to_owned()));
            }
        }
    }
    Ok(files)
}

/// A top-level name that no file, folder or link of the record has.
fn free_name(files: &Files) -> PathBuf {
    let tops: BTreeSet<&OsStr> = files.keys().filter_map(|path| path.iter().next()).collect();
    let mut name = REFUSED_NAMES.to_owned();
    let mut number = 1_u64;
    while tops.contains(OsStr::new(&name)) {
        name = format!("{REFUSED_NAMES}-{number}");
        number += 1;
    }
    name.into()
}

/// The requested files, or all if no path is given.
fn chosen(files: Files, paths: &[Vec<u8>]) -> Result<Files, RescueError> {
    if paths.is_empty() {
        return Ok(files);
    }
    let mut chosen = Files::new();
    for path in paths {
        let path = Path::new(OsStr::from_bytes(path));
        let found = files.iter().filter(|(file, _)| file.starts_with(path));
        let n_before = chosen.len();
        let is_there = files.keys().any(|file| file.starts_with(path));
        chosen.extend(found.map(|(file, entry)| (file.clone(), entry.clone())));
        if chosen.len() == n_before && !is_there {
            let message = format!("the record does not hold {}", display_text::path(path));
            return Err(RescueError::Refused(message));
        }
    }
    Ok(chosen)
}

/// Refuses a name that is both a file and a folder. Git accepts such a tree, and writing it could follow a
/// link.
fn check_names(files: &Files) -> Result<(), RescueError> {
    let is_twice = |path: &PathBuf| path.ancestors().skip(1).any(|parent| files.contains_key(parent));
    match files.keys().find(|path| is_twice(path)) {
        None => Ok(()),
        Some(path) => {
            let message = format!("{} lies below a file or link", display_text::path(path));
            Err(RescueError::Refused(message))
        }
    }
}

/// The new folder, held open: what others put in its place or on the way to it gets nothing.
struct NewFolder {
    folder: Folder,
    path: PathBuf,
}

impl NewFolder {
    /// Opens the folder, which must be empty, or makes it.
    fn open(into: &Path) -> Result<NewFolder, RescueError> {
        let made = || match (into.parent(), into.file_name()) {
            (Some(above), Some(name)) => folder_in(&Folder::open_resolved(above)?, name),
            _ => Err(Errno::NOENT),
        };
        let opened = match Folder::open_resolved(into) {
            Err(Errno::NOENT) => made(),
            opened => opened,
        };
        let is_empty = |folder: &Folder| {
            let names = folder.entries()?.map(|entry| Ok(entry?.file_name().to_bytes().len()));
            // Every folder has `.` and `..`.
            names.sum::<rustix::io::Result<usize>>().map(|length| length == ".".len() + "..".len())
        };
        match opened.and_then(|folder| is_empty(&folder).map(|is_empty| (folder, is_empty))) {
            Ok((folder, true)) => Ok(NewFolder { folder, path: into.to_owned() }),
            Ok((_, false)) | Err(Errno::LOOP | Errno::NOTDIR) => {
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

fn write_group(git: &Git<'_>, new: &NewFolder, group: &[(&PathBuf, &TreeEntry)]) -> Result<(), RescueError> {
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
        place.create(mode(entry)).and_then(|mut file| file.write_all(content))
    };
    written.map_err(RescueError::io("write", &new.path.join(path)))
}

/// Has git write a large content to the file, then reads it again to verify it.
fn write_large(git: &Git<'_>, new: &NewFolder, path: &Path, entry: &TreeEntry) -> Result<(), RescueError> {
    let shown = new.path.join(path);
    let made = new.below(path)?.create(mode(entry));
    let file = Arc::new(made.map_err(RescueError::io("make", &shown))?);
    git.write_blob(&entry.id, &file)?;
    let failed = || RescueError::io("read", &shown);
    let size = file.metadata().map_err(failed())?.len();
    let mut id = git.repo.format.blob(size);
    let mut piece = vec![0; 1 << 20];
    let mut n_read = 0;
    while n_read < size {
        match disk::fill(&file, n_read, &mut piece).map_err(failed())? {
            0 => break,
            n => {
                id.update(&piece[..n]);
                n_read += n as u64;
            }
        }
    }
    if id.hex().as_ref() == Some(&entry.id) { Ok(()) } else { Err(not_as_listed(path)) }
}
