//! Changes files of a git directory. The directory must be the one that was found first, and every folder below it is
//! opened without following links, so that no link can lead a change elsewhere, whenever it comes.
//!
//! It must not change anything else.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::disk::write::{Below, Missing};
use crate::git::Repository;

/// The place of a file of a git directory, with its folder held open.
///
/// # Errors
/// A folder on the way is a link or the git directory is another one, or any other I/O error.
pub(crate) fn below(repo: &Repository, path: &Path, missing: Missing) -> io::Result<Below> {
    let [git_dir, common_dir] = repo.held()?;
    match path.strip_prefix(&repo.git_dir) {
        Ok(path) => Below::open(&git_dir, path, missing),
        Err(_) => {
            Below::open(&common_dir, path.strip_prefix(&repo.common_dir).map_err(io::Error::other)?, missing)
        }
    }
}

/// Creates the file, which must not exist, with the usual access.
pub(crate) fn create(repo: &Repository, path: &Path) -> io::Result<File> {
    below(repo, path, Missing::Fail)?.create(0o666)
}

/// Makes `path` a hard link to `file`. Both are in git directories.
pub(crate) fn link(repo: &Repository, file: &Path, path: &Path) -> io::Result<()> {
    below(repo, path, Missing::Create)?.link_to(&below(repo, file, Missing::Fail)?)
}

/// Moves `from` to `to` in the same folder. What is there is replaced.
pub(crate) fn rename(repo: &Repository, from: &Path, to: &Path) -> io::Result<()> {
    below(repo, to, Missing::Fail)?.replace_by(from.file_name().unwrap_or_default())
}

/// Removes the file.
pub(crate) fn remove(repo: &Repository, path: &Path) -> io::Result<()> {
    below(repo, path, Missing::Fail)?.remove()
}
