//! Paths of a repository: which tell of work and are none, and how they are shown.

use std::path::{Component, Path};

use crate::git::Repository;

/// The folder of closeout's own in a repository: all that is in it tells of work and is none.
pub(super) const OWN_FOLDER: &[u8] = b".closeout/";

/// Whether a path from the top tells of work and is none. `evidence` are such paths by name.
pub(super) fn is_evidence(path: &[u8], evidence: &[Vec<u8>]) -> bool {
    path.starts_with(OWN_FOLDER) || evidence.iter().any(|name| name == path)
}

/// `names`, given from the workspace or absolute, as paths from the top.
pub(super) fn paths_from_top(repository: &Repository, names: &[String]) -> Vec<Vec<u8>> {
    let from_top = |name: &String| match Path::new(name).strip_prefix(&repository.top) {
        Ok(below) => Some(below.as_os_str().as_encoded_bytes().to_vec()),
        Err(_) => from_top(&repository.prefix, name),
    };
    names.iter().filter_map(from_top).collect()
}

/// The path `name`, given from `prefix`, from the top; `None` when it leaves the workspace.
fn from_top(prefix: &Path, name: &str) -> Option<Vec<u8>> {
    let mut path = prefix.to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path.into_os_string().into_encoded_bytes())
}

/// A path as text, invalid UTF-8 as `\xNN`. Control characters stay: they are cleaned for a screen.
pub(super) fn shown(path: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}
/// Whether a commit that changes these paths changes nothing but evidence.
pub(super) fn tells_only(paths: &[Vec<u8>], evidence: &[Vec<u8>]) -> bool {
    !paths.is_empty() && paths.iter().all(|path| is_evidence(path, evidence))
}
