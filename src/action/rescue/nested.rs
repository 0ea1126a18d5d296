//! What is said of a repository inside the work tree: where its git directory is, and its HEAD. It must not
//! run git there, and must not take anything from it but that.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::names;
use super::repository::{read_regular, read_small};

/// The most that is read of a list of packed references, in bytes.
const PACKED_CAP: u64 = 16 << 20;

/// The folder (from the top, as bytes) as a path.
pub(super) fn folder(top: &Path, folder: &[u8]) -> PathBuf {
    top.join(OsStr::from_bytes(folder))
}

/// The git directory of the repository in `folder` (from the top, as bytes); `None` when it is broken.
pub(super) fn git_dir(top: &Path, folder: &[u8]) -> Option<PathBuf> {
    let folder = self::folder(top, folder);
    let dot_git = folder.join(".git");
    let metadata = dot_git.symlink_metadata().ok()?;
    let git_dir = if metadata.is_dir() {
        dot_git
    } else {
        let text = read_small(&dot_git).ok().flatten()?;
        folder.join(OsStr::from_bytes(text.strip_prefix(b"gitdir:")?.trim_ascii()))
    };
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

/// Where it is, the text of its HEAD, and the commit that it is at, as far as small files tell.
pub(super) fn facts(top: &Path, folder: &[u8]) -> Value {
    let git_dir = git_dir(top, folder);
    let head = git_dir.as_ref().and_then(|git_dir| text(&git_dir.join("HEAD")));
    let commit = git_dir.zip(head.as_deref()).and_then(|(git_dir, head)| commit(&git_dir, head));
    json!({ "path": names::hex(folder), "head": head, "commit": commit })
}

fn commit(git_dir: &Path, head: &str) -> Option<String> {
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head.trim().to_owned()) };
    let name = name.trim();
    let is_plain = name.starts_with("refs/") && name.split('/').all(|part| !part.is_empty() && part != "..");
    if !is_plain {
        return None;
    }
    text(&git_dir.join(name)).map(|id| id.trim().to_owned()).or_else(|| {
        let packed = read_regular(&git_dir.join("packed-refs"), PACKED_CAP).ok().flatten()?;
        let packed = String::from_utf8_lossy(&packed).into_owned();
        let found = packed.lines().filter_map(|line| line.split_once(' ')).find(|(_, it)| *it == name);
        found.map(|(id, _)| id.to_owned())
    })
}

fn text(path: &Path) -> Option<String> {
    let bytes = read_small(path).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
