//! Finds what lies in the work tree but was not listed by git, with a second walk that asks neither the index
//! nor git for names. Git omits a folder if the index has a file of the same name.
//!
//! It must not read a file, follow a link or enter an ignored folder: what ignore rules name is left out on
//! purpose and only counted.

use std::collections::BTreeSet;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{WorkTree, listing};
use crate::git::{Git, Shadow, Stdin, succeeded};
use crate::model::IgnoredFiles;

/// What git did not list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unlisted {
    /// Files and links, relative to the top.
    pub(crate) paths: BTreeSet<Vec<u8>>,
    /// Folders that are repositories and of which nothing was listed.
    pub(crate) nested: BTreeSet<Vec<u8>>,
    /// Folders that are repositories, of which something was listed as if they were none.
    pub(crate) plain: BTreeSet<Vec<u8>>,
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
    if !shadow.lists_untracked {
        return Ok(BTreeSet::new());
    }
    let args = ["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, args, Stdin::Lock)?)?;
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
        if is_repository {
            found.plain.insert(folder.clone());
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

/// The count of ignored files after which no further folder is entered.
const IGNORED_CAP: usize = 100_000;

/// Counts what is at or below `folders`, the paths that ignore rules match: an agent can write such rules. Stops before
/// counting takes long.
pub(crate) fn count_ignored(git: &Git<'_>, folders: &BTreeSet<Vec<u8>>) -> Result<IgnoredFiles, RescueError> {
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let mut ignored = IgnoredFiles::default();
    // Git names a folder that its own rules ignore entirely, and each of its files as well: count them once.
    let is_named_above = |path: &&Vec<u8>| listing::folders(path).any(|folder| folders.contains(folder));
    let mut left = Vec::new();
    for path in folders.iter().filter(|path| !is_named_above(path)) {
        match tree.stamp(path) {
            Ok(Some(stamp)) if stamp.is_folder() => left.push(path.clone()),
            Ok(Some(stamp)) => add(&mut ignored, stamp.size),
            Ok(None) | Err(_) => {}
        }
    }
    let mut walk = tree.walk();
    while let Some(folder) = left.pop() {
        if ignored.n_files >= IGNORED_CAP {
            ignored.is_more = true;
            break;
        }
        let Ok(children) = walk.entries(&folder) else {
            ignored.is_more = true;
            continue;
        };
        for (name, kind) in children {
            if kind == FileType::Directory {
                left.push([&folder, &b"/"[..], &name].concat());
            } else if let Some(size) = walk.size(&name) {
                add(&mut ignored, size);
            }
        }
    }
    Ok(ignored)
}

fn add(ignored: &mut IgnoredFiles, size: u64) {
    ignored.n_files += 1;
    ignored.n_bytes = ignored.n_bytes.saturating_add(size);
}
