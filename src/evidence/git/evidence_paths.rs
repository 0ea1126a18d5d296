//! Decides which paths of a repository are evidence and not work, and how paths are shown.

use std::path::{Component, Path};

use crate::git::Repository;

/// closeout's own folder in a repository; everything in it is evidence, not work.
pub(super) const OWN_FOLDER: &[u8] = b".closeout/";

/// Whether a path from the top is evidence and not work. `evidence` lists such paths by name.
pub(super) fn is_evidence(path: &[u8], evidence: &[Vec<u8>]) -> bool {
    path.starts_with(OWN_FOLDER) || evidence.iter().any(|name| name == path)
}

/// Converts `names`, absolute or relative to the workspace, to paths from the top.
pub(super) fn paths_from_top(repository: &Repository, names: &[String]) -> Vec<Vec<u8>> {
    let from_top = |name: &String| match Path::new(name).strip_prefix(&repository.top) {
        Ok(below) => Some(below.as_os_str().as_encoded_bytes().to_vec()),
        Err(_) => from_top(&repository.prefix, name),
    };
    names.iter().filter_map(from_top).collect()
}

/// The path from the top of `name`, given relative to `prefix`; `None` if it is absolute or contains `..`.
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

/// A path as text, with invalid UTF-8 as `\xNN`. Control characters stay; they are removed for display.
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
/// Whether a commit that changes these paths changes only evidence.
pub(super) fn tells_only(paths: &[Vec<u8>], evidence: &[Vec<u8>]) -> bool {
    !paths.is_empty() && paths.iter().all(|path| is_evidence(path, evidence))
}
