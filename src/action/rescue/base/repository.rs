//! Decides in which repositories a rescue works: the top is the workspace, only this user owns it, and it is
//! writable. It must not search above the workspace, because a parent may be a hostile repository.

use std::ffi::OsStr;
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::action::rescue::base::{RescueError, whole_file};
use crate::disk;
use crate::disk::write::{self, NotOwn};
use crate::git::{self, Repository};
use crate::model::display_text;

/// What a workspace has as its repository.
pub(crate) enum Opened {
    /// One that can be used.
    Usable(Box<Repository>),
    /// Something at `.git` that cannot be used as a repository.
    Unusable {
        /// The workspace.
        top: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
}

/// Opens the repository whose top is `workspace`.
///
/// # Errors
/// [`RescueError::Refused`] names what is wrong with the workspace.
pub(crate) fn open(workspace: &Path, home: Option<&Path>) -> Result<Opened, RescueError> {
    match Repository::open(workspace) {
        Ok(Some(repo)) => {
            check_top(&repo.top, home)?;
            check_owner(&repo)?;
            Ok(Opened::Usable(Box::new(repo)))
        }
        Ok(None) => refused(workspace, "is not the top of a git work tree: there is no .git in it"),
        Err(unreadable) => {
            let top = disk::resolve(workspace).unwrap_or_default();
            if top.join(".git").symlink_metadata().is_err() {
                return Err(RescueError::Refused(unreadable.detail));
            }
            check_top(&top, home)?;
            Ok(Opened::Unusable { top, reason: unreadable.detail })
        }
    }
}

fn check_top(top: &Path, home: Option<&Path>) -> Result<(), RescueError> {
    let is_home = home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == top);
    if is_home || top.parent().is_none() {
        return refused(top, "is the home folder or the root; name a repository inside it");
    }
    Ok(())
}

/// Refuses a repository of which any part belongs to another user.
pub(crate) fn check_owner(repo: &Repository) -> Result<(), RescueError> {
    match repo.foreign_place() {
        Some(path) => refused(&path, "belongs to another user"),
        None => Ok(()),
    }
}

/// Refuses a repository in which no objects can be written.
pub(crate) fn check_writable(repo: &Repository) -> Result<(), RescueError> {
    match rustix::fs::access(repo.common_dir.join("objects"), rustix::fs::Access::WRITE_OK) {
        Err(errno @ (Errno::ROFS | Errno::ACCESS | Errno::PERM)) => {
            Err(RescueError::ReadOnly(std::io::Error::from(errno).to_string()))
        }
        // Any other problem shows at the first write.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes sure that the folder `below` the state folder is closeout's own, and gives its path.
///
/// # Errors
/// [`RescueError::Refused`] if it is another user's, or [`RescueError::Io`].
pub(crate) fn own_folder(state: &Path, below: impl AsRef<Path>) -> Result<PathBuf, RescueError> {
    let path = state.join(&below);
    match write::own_folder(state, below.as_ref()) {
        Ok(()) => Ok(path),
        Err(NotOwn::Foreign { path, .. }) => {
            refused(&path, "belongs to another user, and closeout keeps nothing in it")
        }
        Err(NotOwn::InTheWay { path }) => {
            Err(RescueError::io("make", &path)(ErrorKind::NotADirectory.into()))
        }
        Err(NotOwn::Io { what, path, source }) => Err(RescueError::Io { what, path, source }),
    }
}

/// Whether a linked worktree is one of its repository's: its folder there names it.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn is_listed(repo: &Repository) -> Result<bool, RescueError> {
    let is_place = repo.git_dir.parent().is_some_and(|folder| folder == repo.common_dir.join("worktrees"));
    Ok(is_place && is_same(&named_by(&repo.git_dir)?, &repo.top.join(".git")))
}

/// The `.git` file that a worktree's folder in the repository names.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn named_by(folder: &Path) -> Result<PathBuf, RescueError> {
    let named = git::read_small(folder, "gitdir")?.unwrap_or_default();
    Ok(folder.join(OsStr::from_bytes(named.trim_ascii())))
}

/// The folder in the repository that names this work tree, whatever its `.git` says.
pub(crate) fn folder_of(repo: &Repository) -> Option<PathBuf> {
    let all = whole_file::folders(&repo.common_dir.join("worktrees")).ok()?;
    let dot_git = repo.top.join(".git");
    all.iter()
        .map(DirEntry::path)
        .find(|folder| named_by(folder).is_ok_and(|named| is_same(&named, &dot_git)))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

fn refused<T>(path: &Path, reason: &str) -> Result<T, RescueError> {
    Err(RescueError::Refused(format!("{} {reason}", display_text::path(path))))
}
