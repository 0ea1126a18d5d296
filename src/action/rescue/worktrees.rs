//! Which folders of ours belong to one repository: each of its worktrees has one, with a journal, and keeps
//! it when the worktree is removed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::error::RescueError;
use super::names;
use super::whole_file::read_small;
use crate::disk::write::replace;
use crate::git::Repository;

/// A folder of ours for one worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder.
    pub(super) folder: PathBuf,
    /// Names the worktree.
    pub(super) key: String,
    /// The top of the worktree when it was last seen.
    pub(super) top: PathBuf,
}

/// Writes down which worktree `folder` is for: the top and the shared git directory, in hexadecimal digits.
pub(super) fn remember(folder: &Path, repo: &Repository) -> Result<(), RescueError> {
    let path = folder.join("place");
    let text = [&repo.top, &repo.common_dir].map(|path| names::hex(path.as_os_str().as_bytes())).join("\n");
    if read_small(&path)?.is_some_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    replace(&path, text.as_bytes()).map_err(RescueError::io("write", &path))
}

/// The folders of all worktrees of the repository with this shared git directory, as far as they are known.
pub(super) fn of_repository(state: &Path, common_dir: &Path) -> Result<Vec<Place>, RescueError> {
    let all = state.join("rescue");
    let mut places = Vec::new();
    for entry in fs::read_dir(&all).map_err(RescueError::io("list", &all))?.flatten() {
        let (folder, Ok(key)) = (entry.path(), entry.file_name().into_string()) else { continue };
        let text = read_small(&folder.join("place")).ok().flatten().unwrap_or_default();
        let mut paths = text.split(|byte| *byte == b'\n').map(names::unhex);
        let (Some(Some(top)), Some(Some(common))) = (paths.next(), paths.next()) else { continue };
        if common == common_dir.as_os_str().as_bytes() {
            places.push(Place { folder, key, top: PathBuf::from(OsStr::from_bytes(&top)) });
        }
    }
    places.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(places)
}
