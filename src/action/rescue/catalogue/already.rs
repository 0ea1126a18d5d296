//! Finds what a folder holds of a record already: an earlier restore may have ended in the middle.
//!
//! It must not change anything, and takes nothing for a file of the record that differs from it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::TreeEntry;
use crate::disk::{self, Folder};
use crate::git::Git;
use crate::model::display_text;

/// Files of a record, by path below the new folder.
pub(crate) type Files = BTreeMap<PathBuf, TreeEntry>;

/// Into what alone a record is restored.
pub(crate) const ONLY_INTO: &str =
    "a record is restored only into a folder that is new, empty or holds a part of it";

/// What a folder holds of a record.
#[derive(Default)]
pub(crate) struct Already {
    /// The files that are as in the record.
    pub files: BTreeSet<PathBuf>,
    /// What a restore that was killed left beside a file that it wrote.
    pub left: Vec<PathBuf>,
}

/// What is of the record `all` in the folder at `shown`; `sizes` are those of the contents, by id.
///
/// # Errors
/// [`RescueError::Refused`] if it holds anything else.
pub(crate) fn already(
    git: &Git<'_>,
    top: &Folder,
    all: &Files,
    sizes: &BTreeMap<String, u64>,
    shown: &Path,
) -> Result<Already, RescueError> {
    let unread = |path: &Path, errno: Errno| RescueError::io("read", &shown.join(path))(errno.into());
    let (mut there, mut open) = (Already::default(), vec![PathBuf::new()]);
    while let Some(path) = open.pop() {
        let folder = top.folder(&path).map_err(|errno| unread(&path, errno))?;
        for entry in folder.entries().map_err(|errno| unread(&path, errno))? {
            git.check_cancelled()?;
            let entry = entry.map_err(|errno| unread(&path, errno))?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsStr::from_bytes(name);
            let path = path.join(name);
            let kind = folder.kind(name).map_err(|errno| unread(&path, errno))?;
            let entry = all.get(&path);
            if kind == FileType::Directory && is_folder_of(all, &path) {
                open.push(path);
            } else if let Some(entry) = entry
                && is_as_in(git, (&folder, name, kind), (entry, sizes), &shown.join(&path))?
            {
                there.files.insert(path);
            } else if entry.is_none() && kind == FileType::RegularFile && disk::write::is_left(name) {
                there.left.push(path);
            } else {
                let path = shown.join(path);
                let message = format!("{ONLY_INTO}; {} is not as in the record", display_text::path(&path));
                return Err(RescueError::Refused(message));
            }
        }
    }
    Ok(there)
}

/// Whether the record has something below this path.
fn is_folder_of(all: &Files, path: &Path) -> bool {
    let next = all.range(path.to_owned()..).find(|(file, _)| *file != path);
    next.is_some_and(|(file, _)| file.starts_with(path))
}

/// Whether what is there is the file or link of the record. A content of another length is not read.
fn is_as_in(
    git: &Git<'_>,
    (folder, name, kind): (&Folder, &OsStr, FileType),
    (entry, sizes): (&TreeEntry, &BTreeMap<String, u64>),
    shown: &Path,
) -> Result<bool, RescueError> {
    let unread = |error: io::Error| RescueError::io("read", shown)(error);
    let id = match (kind, &*entry.mode) {
        (FileType::Symlink, "120000") => {
            let target = folder.link_target(name).map_err(|errno| unread(errno.into()))?;
            git.repo.format.id_of(target.to_bytes())
        }
        (FileType::RegularFile, "100644" | "100755") => {
            let (file, seen) = folder.file_seen(Path::new(name)).map_err(unread)?;
            let is_executable = seen.permissions().mode() & 0o100 != 0;
            if is_executable != (entry.mode == "100755") || sizes.get(&entry.id) != Some(&seen.len()) {
                return Ok(false);
            }
            id_of_file(git, &file, shown)?
        }
        _ => None,
    };
    Ok(id.as_ref() == Some(&entry.id))
}

/// The id of a file's content, of whatever size.
pub(crate) fn id_of_file(git: &Git<'_>, file: &File, shown: &Path) -> Result<Option<String>, RescueError> {
    let unread = |error: io::Error| RescueError::io("read", shown)(error);
    let size = file.metadata().map_err(unread)?.len();
    let mut id = git.repo.format.blob(size);
    let mut piece = vec![0; 1 << 20];
    let mut n_read = 0;
    while n_read < size {
        git.check_cancelled()?;
        match disk::fill(file, n_read, &mut piece).map_err(unread)? {
            0 => break,
            n => {
                id.update(&piece[..n]);
                n_read += n as u64;
            }
        }
    }
    Ok(id.hex())
}
