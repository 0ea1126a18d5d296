//! Decides in which repositories a rescue works: the top is the workspace, only this user owns it, and it is
//! writable. It must not search above the workspace, because a parent may be a hostile repository.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::io::Errno;

use super::error::RescueError;
use crate::git::Repository;
use crate::model::display_text;

/// Opens the repository whose top is `workspace`.
///
/// # Errors
/// [`RescueError::Refused`] names what is wrong with it.
pub(super) fn open(workspace: &Path, home: Option<&Path>) -> Result<Repository, RescueError> {
    let opened = Repository::open(workspace).map_err(|unreadable| RescueError::Refused(unreadable.detail))?;
    let Some(repo) = opened else {
        return refused(workspace, "is not the top of a git work tree; name the folder that holds .git");
    };
    let is_home = home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == repo.top);
    if is_home || repo.top.parent().is_none() {
        return refused(&repo.top, "is the home folder or the root; name a repository inside it");
    }
    match repo.foreign_place() {
        Some(path) => refused(&path, "belongs to another user"),
        None => Ok(repo),
    }
}

/// Refuses a repository in which no objects can be written.
pub(super) fn check_writable(repo: &Repository) -> Result<(), RescueError> {
    match rustix::fs::access(repo.common_dir.join("objects"), rustix::fs::Access::WRITE_OK) {
        Err(errno @ (Errno::ROFS | Errno::ACCESS | Errno::PERM)) => {
            Err(RescueError::ReadOnly(std::io::Error::from(errno).to_string()))
        }
        // Any other problem shows at the first write.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Refuses a state folder of another user, because nothing may be written there. A missing one is created
/// later.
pub(super) fn check_state_folder(folder: &Path) -> Result<(), RescueError> {
    let user = rustix::process::geteuid().as_raw();
    match folder.metadata() {
        Ok(metadata) if metadata.uid() != user => {
            refused(folder, "is the state folder, and belongs to another user")
        }
        _ => Ok(()),
    }
}

fn refused<T>(path: &Path, reason: &str) -> Result<T, RescueError> {
    Err(RescueError::Refused(format!("{} {reason}", display_text::path(path))))
}
