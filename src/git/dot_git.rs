//! What stands at `.git`: a git directory, a file that names one, or something broken.
//!
//! A broken one ends the search. Git itself searches on above an empty folder or a dangling link; but then an action
//! would change a repository that nobody named. It must not run git, and reads nothing that could hang.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::file::read_small;
use super::object_id::is_id;
use super::trouble::{Read, file_trouble, trouble};
use crate::disk;
use crate::model::{ReadProblem, Unreadable, display_text};

/// The path that `text` (from a `gitdir` or `commondir` file) names relative to `base`.
pub fn resolve(base: &Path, text: &[u8]) -> PathBuf {
    let path = base.join(std::ffi::OsStr::from_bytes(text.trim_ascii()));
    disk::resolve(&path).unwrap_or(path)
}

/// The folder that holds the nearest `.git` at or above `folder`, whatever that `.git` is. Like git, it does not
/// search beyond a file system boundary.
pub fn marked_top(folder: &Path) -> Option<PathBuf> {
    let start = disk::resolve(folder).ok()?;
    let device = start.metadata().ok()?.dev();
    let mut tops = start.ancestors().take_while(|top| top.metadata().is_ok_and(|it| it.dev() == device));
    tops.find(|top| top.join(".git").symlink_metadata().is_ok()).map(Path::to_owned)
}

/// The git directory that `folder/.git` is or names; `None` if there is no `.git`. `folder` is resolved.
///
/// # Errors
/// It cannot be read, or is no git directory and names none.
pub(super) fn git_dir_of(folder: &Path) -> Read<Option<PathBuf>> {
    let dot_git = folder.join(".git");
    let metadata = match dot_git.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(|error| file_trouble(&dot_git, &error))?,
    };
    let is_link = metadata.is_symlink();
    let metadata = match if is_link { dot_git.metadata() } else { Ok(metadata) } {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(broken(&dot_git, "it is a link that leads nowhere"));
        }
        metadata => metadata.map_err(|error| file_trouble(&dot_git, &error))?,
    };
    if metadata.is_dir() {
        // Git follows a link to the directory itself.
        let git_dir = if is_link { resolve(folder, b".git") } else { dot_git.clone() };
        return if is_git_dir(&git_dir)? {
            Ok(Some(git_dir))
        } else {
            Err(broken(&dot_git, "it lacks HEAD, objects or refs"))
        };
    }
    let text = read_small(folder, ".git")?;
    let Some(target) = text.as_deref().and_then(|text| text.strip_prefix(b"gitdir:")) else {
        return Err(broken(&dot_git, "it is a file that names none"));
    };
    let git_dir = resolve(folder, target);
    if is_git_dir(&git_dir)? {
        return Ok(Some(git_dir));
    }
    let shown = display_text::path(&git_dir);
    let detail =
        format!("the git directory {shown} of this worktree is gone; `git worktree repair` may find it");
    Err(trouble(ReadProblem::Invalid, detail))
}

/// Whether `git_dir` is a git directory, by what git looks for. An error if it was one and has lost its HEAD.
fn is_git_dir(git_dir: &Path) -> Read<bool> {
    let head = git_dir.join("HEAD");
    let has_rest = || {
        git_dir.join("commondir").is_file()
            || ["objects", "refs"].iter().all(|name| git_dir.join(name).is_dir())
    };
    match head.symlink_metadata() {
        Ok(_) => Ok(has_rest()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(file_trouble(&head, &error)),
        Err(_) if git_dir.join("objects").is_dir() || git_dir.join("commondir").is_file() => {
            let shown = display_text::path(&head);
            Err(trouble(ReadProblem::Invalid, format!("{shown} is missing; {TO_MEND_HEAD}")))
        }
        Err(_) => Ok(false),
    }
}

fn broken(dot_git: &Path, why: &str) -> Unreadable {
    let detail = format!(
        "{} is no git directory ({why}), and closeout uses no repository above it: mend it, or remove it",
        display_text::path(dot_git)
    );
    trouble(ReadProblem::Invalid, detail)
}

/// What to do where git can use nothing because of HEAD.
const TO_MEND_HEAD: &str =
    "git can use nothing here until HEAD is a file with the line `ref: refs/heads/BRANCH`";

/// Why git takes this folder for no git directory because of its HEAD, and what to do about it; `None` if it does not.
pub fn head_in_the_way(git_dir: &Path) -> Option<String> {
    let path = git_dir.join("HEAD");
    let is_branch = |name: &[u8]| name.trim_ascii_start().starts_with(b"refs/");
    let why = match read_small(git_dir, "HEAD") {
        Ok(None) => "is missing".to_owned(),
        Ok(Some(text)) => {
            let id = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            if text.strip_prefix(b"ref:").is_some_and(is_branch) || is_id(&String::from_utf8_lossy(id)) {
                return None;
            }
            "names no branch and no commit".to_owned()
        }
        Err(unreadable) if unreadable.problem == ReadProblem::Link => match path.read_link() {
            Ok(target) if target.starts_with("refs") => return None,
            Ok(_) | Err(_) => "is a symbolic link that leads to no branch".to_owned(),
        },
        Err(unreadable) if unreadable.problem == ReadProblem::NotAFile => "is no file".to_owned(),
        Err(unreadable) => format!("cannot be used ({})", unreadable.detail),
    };
    let shown = display_text::path(&path);
    Some(format!("{shown} {why}; {TO_MEND_HEAD}"))
}
