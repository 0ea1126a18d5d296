//! Finds the record that a person wants and takes the files out of it, each name and content with the id that its bytes
//! have.
//!
//! It must not take a reference for a record that no journal knows, and must not have anything written before every name is
//! known to be safe.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::record_objects::{self, StoredCommit};
use crate::action::rescue::base::{
    Journal, Place, RescueError, Saved, Settings, names, references, repository, worktrees,
};
use crate::action::rescue::catalogue::already::Files;
use crate::action::rescue::catalogue::new_folder;
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::action::rescue::ref_transaction::recovery;
use crate::action::rescue::survey::{Tree, listing};
use crate::action::rescue::vault::Opened;
use crate::action::rescue::{Rescuer, catalogue};
use crate::disk;
use crate::git::{self, Git, Repository, Stdin, line};
use crate::model::{CommitId, Restored, display_text};

/// The folder for files whose names git refuses; each is named by its number in the record. If the work tree
/// has this name too, a number is appended.
const REFUSED_NAMES: &str = "names-that-git-refuses";

impl Rescuer {
    /// Writes these paths of the record `reference`, each a file or a folder, into `into`, which must be empty or absent, or
    /// hold only files of this record, which stay as they are. Empty `paths` means all. What is written gets the current time
    /// and is accessible to this user only. A record that exists only in the vault is read from there.
    ///
    /// # Errors
    /// [`RescueError::Refused`] if `into` holds something else, a name in the record is not safe, the record does not hold one
    /// of the paths, or no journal of this state folder knows the record: anybody can make a reference. Nothing is written
    /// then.
    pub fn restore_paths(
        &self,
        workspace: &Path,
        reference: &str,
        paths: &[Vec<u8>],
        into: &Path,
    ) -> Result<Restored, RescueError> {
        self.restore_or(workspace, reference, paths, into, |worktree, _| {
            Err(refused_unknown(worktree, reference)?)
        })
    }

    /// Like [`Rescuer::restore_paths`], also for a record that no journal of this state folder knows: one of another
    /// closeout, or of a state folder that was lost. The person vouches for it.
    pub fn restore_unknown(
        &self,
        workspace: &Path,
        reference: &str,
        paths: &[Vec<u8>],
        into: &Path,
    ) -> Result<Restored, RescueError> {
        self.restore_or(workspace, reference, paths, into, |worktree, into| {
            let snapshot = unknown(worktree, reference)?;
            restore(self, &worktree.git(), snapshot, paths, into)
        })
    }

    /// Restores a record that a journal knows; of another, `unknown` says what becomes of it.
    fn restore_or(
        &self,
        workspace: &Path,
        reference: &str,
        paths: &[Vec<u8>],
        into: &Path,
        unknown: impl Fn(&WorktreeLock<'_>, &Path) -> Result<Restored, RescueError>,
    ) -> Result<Restored, RescueError> {
        let into = &self.place_of(into)?;
        let worktree = WorktreeLock::take_to_read(self, workspace)?;
        check_outside(&worktree.repo, into)?;
        if !references::is_listed(reference) {
            return Err(RescueError::Refused("this is no reference of a record".to_owned()));
        }
        let restored = |worktree: &WorktreeLock<'_>| {
            let done = match find(worktree, reference)? {
                Some(known) => restore_known(worktree, &known, paths, into),
                None => unknown(worktree, into),
            };
            match (done, &worktree.unusable) {
                // What git lacks is behind what it does not get to see.
                (Err(RescueError::Git { .. }), Some(reason)) => Err(RescueError::Unusable(reason.clone())),
                (done, _) => done,
            }
        };
        let done = restored(&worktree);
        match done.as_ref().map_err(RescueError::cause) {
            Err(RescueError::TimedOut(reason) | RescueError::Unusable(reason))
                if worktree.unusable.is_none() =>
            {
                restored(&worktree.by_objects(reason.clone())?)
            }
            // Perhaps git only stumbled over something beside the objects.
            Err(cause)
                if worktree.unusable.is_none()
                    && (cause.is_fatal_to_git() || matches!(cause, RescueError::Damage(_))) =>
            {
                let reason = cause.of_repository().unwrap_or_default();
                worktree.by_objects(reason).and_then(|worktree| restored(&worktree)).or(done)
            }
            Ok(_) | Err(_) => done,
        }
    }

    /// Restores from a bundle of the vault. The repository that it came from need not exist any more.
    pub fn restore_vault(
        &self,
        bundle: &Path,
        paths: &[Vec<u8>],
        into: &Path,
    ) -> Result<Restored, RescueError> {
        let into = &self.place_of(into)?;
        let folder = repository::own_folder(&self.state, Path::new(worktrees::RESCUE).join("opened"))?;
        let _lock = lock::lock(&folder)?;
        let (opened, snapshot) = Opened::open(self, bundle, &folder.join("work"))?;
        restore(self, &opened.git(), snapshot, paths, into)
    }

    /// The path of a folder, which need not exist, without links on the way: none that comes later is followed.
    ///
    /// # Errors
    /// [`RescueError::Refused`] if it is closeout's own, or in a git directory.
    fn place_of(&self, into: &Path) -> Result<PathBuf, RescueError> {
        let real = |path: &Path| path.canonicalize().map_err(RescueError::io("find", path));
        let into = match into.file_name() {
            None => real(into)?,
            Some(name) => {
                let above = into.parent().filter(|parent| !parent.as_os_str().is_empty());
                real(above.unwrap_or(Path::new(".")))?.join(name)
            }
        };
        let state = disk::resolve(&self.state).unwrap_or_else(|_| self.state.clone());
        let is_git_dir = |folder: &Path| folder.ends_with(".git") || git::looks_like_git_dir(folder);
        if into.starts_with(state) || into.ancestors().any(is_git_dir) {
            return Err(not_outside());
        }
        Ok(into)
    }
}

/// The record, as a journal has it. Where a crash came between its reference and its line, it gets the line now.
fn find(worktree: &WorktreeLock, reference: &str) -> Result<Option<(Place, Saved)>, RescueError> {
    let known = catalogue::known(worktree, reference)?;
    if known.is_some() || !worktree.can_recover() {
        return Ok(known);
    }
    recovery::recover(worktree)?;
    recovery::adopt_beside(worktree, &worktree.places()?)?;
    catalogue::known(worktree, reference)
}

/// Says that there is no such record, or why that is not known.
fn no_such_record(worktree: &WorktreeLock) -> RescueError {
    match &worktree.unusable {
        Some(reason) => RescueError::Unusable(reason.clone()),
        None => RescueError::Refused("there is no such record".to_owned()),
    }
}

/// The commit of a reference that no journal knows. Anything can be there.
fn unknown(worktree: &WorktreeLock, reference: &str) -> Result<CommitId, RescueError> {
    let git = worktree.git();
    let id = references::at(&git, reference)?.ok_or_else(|| no_such_record(worktree))?;
    match &*line(&git.real(["cat-file", "-t", &id.to_string()], Stdin::Lock)?) {
        "commit" | "" => Ok(id),
        kind => Err(RescueError::Refused(format!("no record is in {reference}: it names a {kind}"))),
    }
}

/// Says what is known of a record that no journal knows, and how to look at it.
fn refused_unknown(worktree: &WorktreeLock, reference: &str) -> Result<RescueError, RescueError> {
    let git = worktree.git();
    let snapshot = unknown(worktree, reference)?;
    let key = references::key_of(reference);
    let place = worktree.places()?.into_iter().find(|place| Some(&*place.key) == key && !place.is_former);
    if let Some(Err(error)) = place.map(|place| Journal::at(&place.folder).read()) {
        return Ok(RescueError::Refused(format!(
            "the journal that would know this record cannot be read: {}; --unknown restores it all the same",
            error.message()
        )));
    }
    let committer = record_objects::commit(&git, snapshot)?.committer;
    let by = committer.rsplit_once("> ").map_or(&*committer, |(by, _)| by);
    Ok(RescueError::Refused(format!(
        "no journal of this repository here knows this record: it was made in another copy of it, by a closeout with another \
         state folder, or by someone else. It is the commit {snapshot} by {}>; `git diff --stat {reference}~ {reference}` lists what it changes. If you know it, \
         --unknown restores it",
        display_text::line(by)
    )))
}

/// Restores a record of a journal: that decides, not the reference. Anyone can move or remove a reference, and the objects
/// remain until git collects them.
fn restore_known(
    worktree: &WorktreeLock,
    (place, saved): &(Place, Saved),
    paths: &[Vec<u8>],
    into: &Path,
) -> Result<Restored, RescueError> {
    let (git, rescuer) = (worktree.git(), worktree.rescuer);
    let bundle = catalogue::bundle(place, saved).filter(|bundle| bundle.is_file());
    // A bundle is whole, and git hangs nowhere in it; of the copy in the repository anybody can alter any content.
    if let Some(bundle) = bundle {
        match Opened::open(rescuer, &bundle, &worktree.work()) {
            Ok((opened, snapshot)) => return restore(rescuer, &opened.git(), snapshot, paths, into),
            Err(error) if saved.shown.is_vault_only => return Err(error),
            Err(error) => tracing::warn!("{error}"),
        }
        git.check_cancelled()?;
    }
    if !saved.shown.is_vault_only && is_there(&git, saved)? {
        return restore(rescuer, &git, saved.snapshot, paths, into);
    }
    if let Some(reason) = &worktree.unusable {
        return Err(RescueError::Unusable(reason.clone()));
    }
    // If git cannot use the repository, nothing is known of the record.
    Settings::read_anywhere(&git)?;
    Err(RescueError::Damage("the record is gone from the repository, with its objects".to_owned()))
}

/// Whether the repository has the commit of the record.
///
/// # Errors
/// [`RescueError::Damage`] if the commits are not the ones that the journal names.
fn is_there(git: &Git<'_>, saved: &Saved) -> Result<bool, RescueError> {
    let args = ["cat-file", "-e", "--end-of-options", &format!("{}^{{commit}}", saved.snapshot)];
    if !git.real(args, Stdin::Lock)?.is_success() {
        return Ok(false);
    }
    if record_objects::record_of(git, saved.snapshot)? == saved.record {
        return Ok(true);
    }
    Err(RescueError::Damage("the record is not the one that the journal names".to_owned()))
}

/// Refuses a folder of git's own that does not look like one: files there would be mistaken for references or objects.
fn check_outside(repo: &Repository, into: &Path) -> Result<(), RescueError> {
    let is_inside = [&repo.git_dir, &repo.common_dir].iter().any(|folder| into.starts_with(folder));
    if is_inside { Err(not_outside()) } else { Ok(()) }
}

fn not_outside() -> RescueError {
    let message = "this folder is git's or closeout's own; choose one outside of it";
    RescueError::Refused(message.to_owned())
}

fn restore(
    rescuer: &Rescuer,
    git: &Git<'_>,
    snapshot: CommitId,
    paths: &[Vec<u8>],
    into: &Path,
) -> Result<Restored, RescueError> {
    let all = files(git, snapshot)?;
    check_names(&all)?;
    let chosen = chosen(&all, paths)?;
    new_folder::write(rescuer, git, &all, &chosen, into)
}

/// All files of the record, those with refused names in a folder of their own.
fn files(git: &Git<'_>, snapshot: CommitId) -> Result<Files, RescueError> {
    let mut files = Files::new();
    let (work_tree, commit) = tree(git, snapshot)?;
    for (path, entry) in work_tree {
        if names::is_refused(&path, &entry.mode) {
            return Err(RescueError::Refused("the record holds a name that is not safe".to_owned()));
        }
        if entry.mode != "160000" {
            files.insert(PathBuf::from(OsStr::from_bytes(&path)), entry);
        }
    }
    let folder = free_name(&files);
    for (path, entry) in tree(git, commit.record()?)?.0 {
        if let Some(number) = path.strip_prefix(b"x/") {
            let path = folder.join(OsStr::from_bytes(number));
            if !number.iter().all(u8::is_ascii_digit) || files.insert(path, entry).is_some() {
                return Err(RescueError::Refused("the record holds a name that is not safe".to_owned()));
            }
        }
    }
    Ok(files)
}

/// A commit and the tree of it, both with the ids that their bytes have: git does not compare them where it reads.
fn tree(git: &Git<'_>, id: CommitId) -> Result<(Tree, StoredCommit), RescueError> {
    let commit = record_objects::commit(git, id)?;
    let tree = listing::tree(git, id)?;
    let folders = listing::trees(git.repo.format, &tree)?;
    if folders.last().is_none_or(|top| top.id != commit.tree) {
        return Err(RescueError::Damage(format!("the folders of the commit {id} are not what its id says")));
    }
    Ok((tree, commit))
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
fn chosen(files: &Files, paths: &[Vec<u8>]) -> Result<Files, RescueError> {
    if paths.is_empty() {
        return Ok(files.clone());
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
