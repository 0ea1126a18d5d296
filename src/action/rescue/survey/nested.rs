//! Opens a repository inside the work tree, and reads its HEAD. It must not run git there, and must not take anything
//! from it but a reference name and an object id.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::action::rescue::base::{names, repository};
use crate::git::{self, HeadRef, Repository};
use crate::model::CommitId;

/// The absolute path of `folder` (relative to the top, as bytes).
pub(crate) fn folder(top: &Path, folder: &[u8]) -> PathBuf {
    top.join(OsStr::from_bytes(folder))
}

/// The repository in `folder` (relative to the top, as bytes). `None` if it is broken or its `.git` is a link.
pub(crate) fn find(top: &Path, folder: &[u8]) -> Option<Repository> {
    let folder = self::folder(top, folder);
    if folder.join(".git").is_symlink() {
        return None;
    }
    Repository::open(&folder).ok().flatten().filter(|repo| repo.top == folder)
}

/// Why nothing of the repository in `folder` is used; `None` if it is.
pub(crate) fn unused(outer: &Repository, folder: &[u8]) -> Option<&'static str> {
    match find(&outer.top, folder) {
        None => Some("is broken"),
        Some(repo) if !is_own(outer, &repo) => Some("is elsewhere and does not list it"),
        Some(_) => None,
    }
}

/// Whether a repository is in the work tree around it, is that of a submodule there, or lists its work tree: a file `.git`
/// can name anybody's.
fn is_own(outer: &Repository, repo: &Repository) -> bool {
    if repo.is_linked() {
        return repository::is_listed(repo).unwrap_or(false);
    }
    let modules = [&outer.git_dir, &outer.common_dir].map(|git_dir| git_dir.join("modules"));
    modules.iter().chain([&outer.top]).any(|place| repo.git_dir.starts_with(place))
}

/// The repository in `folder`, as [`find`] tells, if it is its own.
pub(crate) fn find_own(outer: &Repository, folder: &[u8]) -> Option<Repository> {
    find(&outer.top, folder).filter(|repo| is_own(outer, repo))
}

/// The content of its HEAD and the commit it points to, as far as plain files tell.
pub(crate) fn facts(outer: &Repository, folder: &[u8]) -> Value {
    let repo = find_own(outer, folder);
    let head = repo.as_ref().and_then(|repo| git::head_ref(repo).ok());
    let text = head.as_ref().map(|head| match head {
        HeadRef::Branch(name) => format!("ref: {name}\n"),
        HeadRef::Detached(commit) => format!("{commit}\n"),
    });
    json!({ "path": names::hex(folder), "head": text, "commit": commit(repo.as_ref(), head) })
}

/// The commit that the repository in `folder` has checked out, as far as plain files tell.
pub(crate) fn head_commit(outer: &Repository, folder: &[u8]) -> Option<CommitId> {
    let repo = find_own(outer, folder)?;
    let head = git::head_ref(&repo).ok()?;
    commit(Some(&repo), Some(head))
}

fn commit(repo: Option<&Repository>, head: Option<HeadRef>) -> Option<CommitId> {
    match head? {
        HeadRef::Detached(commit) => Some(commit),
        HeadRef::Branch(name) => {
            repo.filter(|repo| repo.has_ref_files()).and_then(|repo| git::find_ref(repo, &name).ok()?)
        }
    }
}
