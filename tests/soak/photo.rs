//! The state of a repository for comparison as a whole: the work tree byte for byte, the index file with its
//! time, HEAD, references, locks.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Result;

use super::world::World;

/// Seconds and nanoseconds since the epoch.
type Time = (i64, i64);
/// Every path with mode, content (or link target) and modification time.
pub(crate) type WorkTree = BTreeMap<Vec<u8>, (u32, Vec<u8>, Time)>;

/// What a visible commit and its undo move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The bytes and modification time of the index.
    pub(crate) index: Option<(Vec<u8>, Time)>,
    /// The content of HEAD.
    pub(crate) head: String,
    /// The commit of the branch that HEAD names.
    pub(crate) branch: Option<String>,
}

/// The whole state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Photo {
    pub(crate) work_tree: WorkTree,
    /// What a visible commit moves: branch and index.
    pub(crate) moved: Moved,
    /// Every reference except our hidden ones.
    pub(crate) references: Vec<String>,
    /// Locks, and files of ours that only a crash leaves behind.
    pub(crate) locks: Vec<String>,
}

impl Photo {
    /// Captures the current state.
    pub(crate) fn of(world: &World) -> Result<Photo> {
        let mut work_tree = WorkTree::new();
        walk(world.top(), world.top(), &mut work_tree)?;
        let index = world.git_dir().join("index");
        let index = match fs::metadata(&index) {
            Ok(metadata) => Some((fs::read(&index)?, (metadata.mtime(), metadata.mtime_nsec()))),
            Err(_) => None,
        };
        let mut locks = Vec::new();
        find_locks(world.common_dir(), &mut locks)?;
        let head = fs::read_to_string(world.git_dir().join("HEAD"))?;
        let listed = world.git(&["for-each-ref", "--exclude=refs/closeout"])?;
        let end = world.branch()?.map(|name| format!("\t{name}"));
        let is_branch = |line: &&str| end.as_ref().is_some_and(|end| line.ends_with(end.as_str()));
        let branch =
            listed.lines().find(is_branch).and_then(|line| line.split(' ').next()).map(str::to_owned);
        let references = listed.lines().filter(|line| !is_branch(line)).map(str::to_owned).collect();
        Ok(Photo { work_tree, moved: Moved { index, head, branch }, references, locks })
    }
}

fn walk(top: &Path, folder: &Path, found: &mut WorkTree) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if folder == top && path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        let metadata = path.symlink_metadata()?;
        let content = if metadata.is_symlink() {
            fs::read_link(&path)?.as_os_str().as_bytes().to_vec()
        } else if metadata.is_file() {
            fs::read(&path)?
        } else {
            Vec::new()
        };
        let name = path.strip_prefix(top)?.as_os_str().as_bytes().to_vec();
        found.insert(name, (metadata.mode(), content, (metadata.mtime(), metadata.mtime_nsec())));
        if metadata.is_dir() {
            walk(top, &path, found)?;
        }
    }
    Ok(())
}

fn find_locks(folder: &Path, locks: &mut Vec<String>) -> Result<()> {
    // A git child that outlived its parent may remove a file after it was listed.
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_lock = path.extension().is_some_and(|end| end == "lock" || end == "keep");
        if is_lock || name.contains(".closeout-") {
            locks.push(path.display().to_string());
        } else if path.is_dir() && (folder.file_name().is_none_or(|it| it != "objects") || name == "pack") {
            find_locks(&path, locks)?;
        }
    }
    locks.sort();
    Ok(())
}
