//! Changes files of a git directory. The directory must be the one that was found first, and every folder below it is
//! opened without following links, so that no link can lead a change elsewhere, whenever it comes.
//!
//! It must not change anything else.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::disk::write::{Below, Missing};
use crate::git::{Git, Repository};

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

/// Creates the file, which must not exist, with the access that git gives it.
pub(crate) fn create(git: &Git<'_>, path: &Path) -> io::Result<File> {
    let sharing = git.sharing().map_err(io::Error::other)?;
    below(git.repo, path, Missing::Fail)?.create_shared(sharing)
}

/// Makes `path` a hard link to `file`. Both are in git directories.
pub(crate) fn link(repo: &Repository, file: &Path, path: &Path, missing: Missing) -> io::Result<()> {
    below(repo, path, missing)?.link_to(&below(repo, file, Missing::Fail)?)
}

/// Moves `from` to `to` in the same folder. What is there is replaced.
pub(crate) fn rename(repo: &Repository, from: &Path, to: &Path) -> io::Result<()> {
    below(repo, to, Missing::Fail)?.replace_by(from.file_name().unwrap_or_default())
}

/// Removes the file.
pub(crate) fn remove(repo: &Repository, path: &Path) -> io::Result<()> {
    below(repo, path, Missing::Fail)?.remove()
}

/// Describes a foreign lock: who holds it according to `/proc`, or how to get rid of it. The lock is not touched, because
/// its ownership cannot be proved.
pub(crate) fn holder_label(repo: &Repository, lock: &Path) -> String {
    let name = lock.file_name().unwrap_or_default().to_string_lossy();
    match holder(repo, lock) {
        Some(holder) => format!("{name} is there: {holder} works in this repository; wait for its end"),
        None => format!(
            "{name} is there, and no git process of yours works in this repository: one was killed, or another \
             user's is running; if none is, remove the file yourself: {}",
            crate::model::display_text::path(lock)
        ),
    }
}

/// The process that has the lock open; otherwise a git process that works in the repository.
fn holder(repo: &Repository, lock: &Path) -> Option<String> {
    let mut in_here = None;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) else {
            continue;
        };
        let process = entry.path();
        let command = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let command = command.trim();
        let has_it_open = fs::read_dir(process.join("fd")).is_ok_and(|files| {
            files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|target| target == lock))
        });
        if has_it_open {
            return Some(format!("{command} (process {pid})"));
        }
        let works_here = fs::read_link(process.join("cwd"))
            .is_ok_and(|folder| [&repo.top, &repo.git_dir].iter().any(|place| folder.starts_with(place)));
        if works_here && (command == "git" || command.starts_with("git-")) {
            in_here = Some(format!("{command} (process {pid})"));
        }
    }
    in_here
}
