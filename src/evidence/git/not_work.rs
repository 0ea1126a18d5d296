//! Decides which paths of a repository are evidence or noise and not work, and how paths are shown.

use std::path::{Component, Path};

use crate::disk::PathPatterns;
use crate::git::Repository;

/// closeout's own folder in a repository; everything in it is evidence, not work.
pub(super) const OWN_FOLDER: &[u8] = b".closeout/";

/// The paths of a repository that are not work.
#[derive(Debug, Clone)]
pub(super) struct NotWork {
    /// Evidence: paths from the top.
    evidence: Vec<Vec<u8>>,
    /// Patterns of noise.
    noise: PathPatterns,
    /// The folder below which the patterns count, from the top of the workspace's repository.
    workspace: Vec<u8>,
    /// Where this repository lies in that one, if it is a submodule.
    above: Vec<u8>,
}

impl NotWork {
    /// The names of evidence are absolute or relative to the workspace; patterns of noise are relative to it.
    pub(super) fn of(repository: &Repository, evidence: &[String], noise: &[String]) -> NotWork {
        let mut workspace = repository.prefix.clone().into_os_string().into_encoded_bytes();
        if !workspace.is_empty() && !workspace.ends_with(b"/") {
            workspace.push(b'/');
        }
        NotWork {
            evidence: paths_from_top(repository, evidence),
            noise: PathPatterns::parse(noise).unwrap_or_default(),
            workspace,
            above: Vec::new(),
        }
    }

    /// The same for the submodule in the folder `start`, which ends in a slash.
    pub(super) fn below(&self, start: &[u8]) -> NotWork {
        let inside = |path: &Vec<u8>| path.strip_prefix(start).map(<[u8]>::to_vec);
        NotWork {
            evidence: self.evidence.iter().filter_map(inside).collect(),
            above: [&self.above, start].concat(),
            ..self.clone()
        }
    }

    /// A path of this repository as the workspace's repository names it.
    pub(super) fn whole(&self, path: &[u8]) -> Vec<u8> {
        [&self.above, path].concat()
    }

    /// Whether a path, from the top, is evidence.
    pub(super) fn is_evidence(&self, path: &[u8]) -> bool {
        path.starts_with(OWN_FOLDER) || self.evidence.iter().any(|name| name == path)
    }

    /// Whether a path, from the top, is noise or lies in a folder of noise.
    pub(super) fn is_noise(&self, path: &[u8]) -> bool {
        if self.noise.is_empty() {
            return false;
        }
        let whole = self.whole(path);
        whole.strip_prefix(self.workspace.as_slice()).is_some_and(|path| self.noise.matches(path))
    }

    /// Whether a path, from the top, is not work.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.is_evidence(path) || self.is_noise(path)
    }

    /// Whether anything in a folder may not be work.
    pub(super) fn may_be_in(&self, folder: &[u8]) -> bool {
        !self.noise.is_empty()
            || folder == OWN_FOLDER
            || self.evidence.iter().any(|path| path.starts_with(folder))
    }

    /// Whether a commit that changes these paths changes nothing that is work.
    pub(super) fn has_all(&self, paths: &[Vec<u8>]) -> bool {
        !paths.is_empty() && paths.iter().all(|path| self.has(path))
    }

    /// Whether one of these paths is noise.
    pub(super) fn has_noise(&self, paths: &[Vec<u8>]) -> bool {
        paths.iter().any(|path| self.is_noise(path))
    }

    /// The paths that are work.
    pub(super) fn work_among(&self, paths: &[Vec<u8>]) -> Vec<Vec<u8>> {
        paths.iter().filter(|path| !self.has(path)).cloned().collect()
    }
}

/// Converts `names`, absolute or relative to the workspace, to paths from the top.
fn paths_from_top(repository: &Repository, names: &[String]) -> Vec<Vec<u8>> {
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
