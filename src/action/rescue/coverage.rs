//! What lies in the work tree and git did not list: a second walk, which asks neither the index nor git for names.
//! Git leaves a folder out whose name the index has for a file.
//!
//! It must not read a file, follow a link or go into what is ignored: what ignore rules name is left out on purpose,
//! and is counted elsewhere.

use std::collections::BTreeSet;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::error::RescueError;
use super::reading::WorkTree;
use crate::git::{Git, Shadow, Stdin, succeeded};

/// What was not listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unlisted {
    /// Files and links, from the top.
    pub(super) paths: BTreeSet<Vec<u8>>,
    /// Folders that are repositories, with nothing of theirs listed.
    pub(super) nested: BTreeSet<Vec<u8>>,
    /// Folders that could not be read, and why.
    pub(super) unread: Vec<(Vec<u8>, String)>,
}

impl Unlisted {
    /// True when everything was listed.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.nested.is_empty() && self.unread.is_empty()
    }
}

/// What ignore rules match: files, and folders of which all is ignored.
pub(super) fn ignored(git: &Git<'_>, shadow: &Shadow) -> Result<BTreeSet<Vec<u8>>, RescueError> {
    let args = ["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, &shadow.objects, args, Stdin::Lock)?)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| path.strip_suffix(b"/").unwrap_or(path).to_vec()).collect())
}

/// Walks the work tree and finds what is neither in `listed` nor below one of `nested` or `ignored`.
pub(super) fn unlisted(
    tree: &WorkTree,
    listed: &BTreeSet<Vec<u8>>,
    nested: &BTreeSet<Vec<u8>>,
    ignored: &BTreeSet<Vec<u8>>,
) -> Unlisted {
    let mut found = Unlisted::default();
    let mut left: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(folder) = left.pop() {
        let children = match tree.entries(&folder) {
            Ok(children) => children,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
            Err(errno) => {
                found.unread.push((folder, std::io::Error::from(errno).to_string()));
                continue;
            }
        };
        let is_repository = !folder.is_empty() && children.iter().any(|(name, _)| name == b".git");
        if is_repository && !has_any_below(listed, &folder) {
            found.nested.insert(folder);
            continue;
        }
        for (name, kind) in children.into_iter().filter(|(name, _)| name != b".git") {
            let path = if folder.is_empty() { name } else { [&folder, &b"/"[..], &name].concat() };
            if nested.contains(&path) || ignored.contains(&path) {
                continue;
            }
            // What is none of them has no content that could be lost.
            if kind == FileType::Directory {
                left.push(path);
            } else if matches!(kind, FileType::RegularFile | FileType::Symlink) && !listed.contains(&path) {
                found.paths.insert(path);
            }
        }
    }
    found
}

fn has_any_below(paths: &BTreeSet<Vec<u8>>, folder: &[u8]) -> bool {
    let prefix = [folder, b"/"].concat();
    paths.range(prefix.clone()..).next().is_some_and(|path| path.starts_with(&prefix))
}
