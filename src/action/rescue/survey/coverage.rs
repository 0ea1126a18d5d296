//! Finds what lies in the work tree but was not listed by git, with a second walk that asks neither the index
//! nor git for names. Git omits a folder if the index has a file of the same name.
//!
//! It must not read a file, follow a link or enter an ignored folder: what ignore rules name is left out on
//! purpose and counted elsewhere.

use std::collections::BTreeSet;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::WorkTree;
use crate::git::{Git, Shadow, Stdin, succeeded};

/// What git did not list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unlisted {
    /// Files and links, relative to the top.
    pub(crate) paths: BTreeSet<Vec<u8>>,
    /// Folders that are repositories and of which nothing was listed.
    pub(crate) nested: BTreeSet<Vec<u8>>,
    /// Folders that could not be read, with the reason.
    pub(crate) unread: Vec<(Vec<u8>, String)>,
    /// Folders that lie too deep to be kept.
    pub(crate) too_deep: Vec<Vec<u8>>,
}

impl Unlisted {
    /// Whether git listed everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.nested.is_empty() && self.unread.is_empty() && self.too_deep.is_empty()
    }
}

/// What ignore rules match: files, and folders that are ignored entirely.
pub(crate) fn ignored(git: &Git<'_>, shadow: &Shadow) -> Result<BTreeSet<Vec<u8>>, RescueError> {
    let args = ["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, &shadow.objects, args, Stdin::Lock)?)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| path.strip_suffix(b"/").unwrap_or(path).to_vec()).collect())
}

/// Walks the work tree for everything that is not in `listed` and not below a path in `nested` or `ignored`.
pub(crate) fn unlisted(
    tree: &WorkTree,
    listed: &BTreeSet<Vec<u8>>,
    nested: &BTreeSet<Vec<u8>>,
    ignored: &BTreeSet<Vec<u8>>,
) -> Unlisted {
    let mut found = Unlisted::default();
    let mut left: Vec<Vec<u8>> = vec![Vec::new()];
    let mut walk = tree.walk();
    while let Some(folder) = left.pop() {
        let children = match walk.entries(&folder) {
            Ok(children) => children,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
            Err(Errno::NAMETOOLONG) => {
                found.too_deep.push(folder);
                continue;
            }
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
            // Sockets, FIFOs and devices have no content that could be lost.
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
