//! Moves a branch that lies in a file of its own, as git does, but under locks that are linked from one
//! file that the journal knows: what a crash leaves of them is provably ours. A child of git's that is
//! killed while it moves a branch leaves locks that nobody can tell from another's.
//!
//! It must not move a branch that is not where it was, and must leave to git what is stored otherwise.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::error::RescueError;
use super::journal::Move;
use super::lock::WorktreeLock;
use super::ref_transaction::inode;
use crate::disk;
use crate::disk::write::open_to_append;
use crate::git::{self, Git, HeadRef, Input, PackedRefs, Read, Repository, line};
use crate::model::ReadProblem;

/// What the reflog says of a move.
const MESSAGE: &str = "closeout";

/// A branch in files, and the file that its locks are linked from.
pub(super) struct Branch<'r> {
    repo: &'r Repository,
    name: String,
    from: Option<String>,
    to: Option<String>,
    /// What the locks are linked from; its content is the new value.
    prepared: PathBuf,
    /// Who moves it, as the reflog names him; asked before anything is locked.
    who: String,
}

impl<'r> Branch<'r> {
    /// Writes the file for the locks, at `prepared`. `None` when git must move this branch itself: it is
    /// stored in another format, or is no plain name of a commit.
    pub(super) fn prepare(
        git: &Git<'r>,
        name: &str,
        values: (Option<&str>, Option<&str>),
        prepared: PathBuf,
    ) -> Result<Option<Branch<'r>>, RescueError> {
        let (from, to) = values;
        let repo = git.repo;
        match is_plain(repo, name, values) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            // Git follows the link.
            Err(unreadable) if unreadable.problem == ReadProblem::Link => return Ok(None),
            Err(unreadable) => return Err(unreadable.into()),
        }
        let who = who(git)?;
        let failed = |error| RescueError::io("write", &prepared)(error);
        let mut file = File::create_new(&prepared).map_err(failed)?;
        keep_mode(&repo.common_dir.join(name), &file).map_err(failed)?;
        file.write_all(format!("{}\n", to.unwrap_or_default()).as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let owned = |value: Option<&str>| value.map(str::to_owned);
        Ok(Some(Branch { repo, name: name.to_owned(), from: owned(from), to: owned(to), prepared, who }))
    }

    /// Takes the locks; `false` when one of them is another's, and then none is ours.
    pub(super) fn lock(&self) -> Result<bool, RescueError> {
        for lock in locks(self.repo, &self.name) {
            let folder = lock.parent().unwrap_or(Path::new("/"));
            let linked = fs::create_dir_all(folder).and_then(|()| fs::hard_link(&self.prepared, &lock));
            if let Err(error) = linked {
                release(self.repo, &self.name, inode(&self.prepared))?;
                if error.kind() == ErrorKind::AlreadyExists {
                    return Ok(false);
                }
                return Err(RescueError::io("make", &lock)(error));
            }
        }
        Ok(true)
    }

    /// Whether HEAD names this branch and it is where the move begins.
    pub(super) fn is_as_planned(&self) -> Result<bool, RescueError> {
        Ok(is_plain(self.repo, &self.name, (self.from.as_deref(), self.to.as_deref()))?)
    }

    /// Moves it, under the locks.
    pub(super) fn go(&self) -> Result<(), RescueError> {
        let (file, lock) = (self.file(), lock_of(self.repo, &self.name));
        let moved = match &self.to {
            // An empty folder can be left where a branch was; one that holds something stays.
            Some(_) => fs::rename(&lock, &file).or_else(|error| {
                if error.kind() == ErrorKind::IsADirectory {
                    return fs::remove_dir(&file).and_then(|()| fs::rename(&lock, &file));
                }
                Err(error)
            }),
            None => fs::remove_file(&file),
        };
        moved.map_err(RescueError::io("move", &file))
    }

    /// Tells the reflogs, if they are kept. What cannot be told there changes nothing.
    pub(super) fn log(&self) {
        let values = (self.from.as_deref(), self.to.as_deref());
        log(self.repo, &self.name, values, &self.who, Repeat::Allowed);
    }

    /// The file that the branch is in, if it has one of its own.
    pub(super) fn open(&self) -> Option<File> {
        disk::open(&self.file()).ok()
    }

    fn file(&self) -> PathBuf {
        self.repo.common_dir.join(&self.name)
    }
}

/// Gives what is to take the place of `old` its mode: others may be meant to read it, or not.
pub(super) fn keep_mode(old: &Path, new: &File) -> io::Result<()> {
    match old.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => new.set_permissions(metadata.permissions()),
        _ => Ok(()),
    }
}

/// Who moves a branch, as the reflog names him.
fn who(git: &Git<'_>) -> Result<String, RescueError> {
    let who = git.real(["var", "GIT_COMMITTER_IDENT"], Input::Lock)?;
    Ok(if who.is_success() {
        line(&who)
    } else {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
        format!("closeout <closeout@localhost> {now} +0000")
    })
}

/// Whether a line is written that stands at the end of the log already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Allowed,
    LeftAway,
}

/// Tells the reflogs of a move that a crash has cut, unless it was told before.
pub(super) fn log_again(git: &Git<'_>, plan: &Move) {
    // What cannot be told there changes nothing.
    if let Ok(who) = who(git) {
        let values = (plan.from.as_deref(), plan.to.as_deref());
        log(git.repo, &plan.branch, values, &who, Repeat::LeftAway);
    }
}

fn log(repo: &Repository, name: &str, values: (Option<&str>, Option<&str>), who: &str, repeat: Repeat) {
    let (from, to) = values;
    let zero = "0".repeat(to.or(from).map_or(40, str::len));
    let (old, new) = (from.unwrap_or(&zero), to.unwrap_or(&zero));
    let text = format!("{old} {new} {who}\t{MESSAGE}\n");
    let tell = |log_of: &str| {
        let is_told = || {
            let last = git::reflog(repo, log_of).ok().and_then(|log| log.into_iter().next_back());
            last.is_some_and(|last| last.old == old && last.new == new)
        };
        if repeat == Repeat::Allowed || !is_told() {
            let (folder, file) = git::log_file(repo, log_of);
            let _ = append(&folder.join(file), &text, from.is_none());
        }
    };
    tell("HEAD");
    if to.is_some() {
        tell(name);
    } else {
        // Git forgets the log of a branch with the branch.
        let (folder, file) = git::log_file(repo, name);
        let _ = fs::remove_file(folder.join(file));
    }
}

/// Removes the locks on HEAD and on the branch `name` that are linked from the file with this inode.
pub(super) fn release(repo: &Repository, name: &str, ours: Option<(u64, u64)>) -> Result<(), RescueError> {
    for lock in locks(repo, name).into_iter().rev() {
        if ours.is_some() && inode(&lock) == ours {
            fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
        }
    }
    Ok(())
}

/// Removes the locks that killed children of git's left on our own hidden references of this worktree.
pub(super) fn release_hidden(worktree: &WorktreeLock) {
    let repo = &worktree.repo;
    for kind in ["rescue", "visible"] {
        let folder = repo.common_dir.join("refs/closeout").join(kind).join(&repo.key);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".lock")).unwrap_or_default();
            // Of commits before the last one there is a number before the id.
            if worktree.is_own_id(id) || id.split_once('-').is_some_and(|(_, id)| worktree.is_own_id(id)) {
                // What stays is tried again next time; no other reference is locked by it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The locks in the order in which git takes them.
fn locks(repo: &Repository, name: &str) -> [PathBuf; 2] {
    [repo.git_dir.join("HEAD.lock"), lock_of(repo, name)]
}

fn lock_of(repo: &Repository, name: &str) -> PathBuf {
    repo.common_dir.join(format!("{name}.lock"))
}

/// Whether HEAD names the branch in a file, and the branch is a plain name of the commit `from` (`None`: it is not
/// there) that files alone can move to `to` (`None`: delete).
fn is_plain(repo: &Repository, name: &str, (from, to): (Option<&str>, Option<&str>)) -> Read<bool> {
    let is_here = repo.has_ref_files()
        && !repo.git_dir.join("HEAD").is_symlink()
        && git::head_ref(repo)? == HeadRef::Branch(name.to_owned())
        && !name.contains("..")
        && name.starts_with("refs/heads/")
        && git::stored_ref(repo, name)?.as_deref() == from;
    if !is_here {
        return Ok(false);
    }
    let packed = PackedRefs::read(repo)?;
    let is_below =
        |path: &[u8], folder: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
    // A packed branch can have the place of a folder on the way to this one, or lie below it.
    let is_taken =
        || packed.entries().any(|(_, it)| is_below(it, name.as_bytes()) || is_below(name.as_bytes(), it));
    Ok((from.is_some() || !is_taken()) && (to.is_some() || packed.id_of(name).is_none()))
}

/// Appends a line to a log; one that is not there is made only if asked for.
fn append(path: &Path, text: &str, is_made: bool) -> io::Result<()> {
    if let (true, Some(folder)) = (is_made, path.parent()) {
        fs::create_dir_all(folder)?;
    }
    open_to_append(path, is_made.then_some(0o666))?.write_all(text.as_bytes())
}
