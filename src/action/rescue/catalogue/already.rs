//! Finds what a folder holds of a record already: an earlier restore may have ended in the middle.
//!
//! It must not change anything, and takes nothing for a file of the record that differs from it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::TreeEntry;
use crate::disk::{self, Folder};
use crate::git::ObjectFormat;
use crate::model::display_text;

/// Files of a record, by path below the new folder.
pub(crate) type Files = BTreeMap<PathBuf, TreeEntry>;

/// The files of `all` that are in the folder at `shown`.
///
/// # Errors
/// [`RescueError::Refused`] if it holds anything else.
pub(crate) fn already(
    format: ObjectFormat,
    top: &Folder,
    all: &Files,
    shown: &Path,
) -> Result<BTreeSet<PathBuf>, RescueError> {
    let unread = |path: &Path, error: io::Error| RescueError::io("read", &shown.join(path))(error);
    let (mut there, mut left) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(path) = left.pop() {
        let folder = top.folder(&path).map_err(|errno| unread(&path, errno.into()))?;
        for entry in folder.entries().map_err(|errno| unread(&path, errno.into()))? {
            let entry = entry.map_err(|errno| unread(&path, errno.into()))?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsStr::from_bytes(name);
            let path = path.join(name);
            let kind = folder.kind(name).map_err(|errno| unread(&path, errno.into()))?;
            if kind == FileType::Directory && is_folder_of(all, &path) {
                left.push(path);
            } else if is_as_in(format, (&folder, name, kind), all, &path).map_err(|it| unread(&path, it))? {
                there.insert(path);
            } else {
                return Err(RescueError::Refused(format!(
                    "a record is restored only into a folder that is new, empty or holds a part of it; {} is \
                     not as in the record",
                    display_text::path(&shown.join(path))
                )));
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

/// Whether what is there is the file or link of the record.
fn is_as_in(
    format: ObjectFormat,
    (folder, name, kind): (&Folder, &OsStr, FileType),
    all: &Files,
    path: &Path,
) -> io::Result<bool> {
    let Some(entry) = all.get(path) else { return Ok(false) };
    let id = match (kind, &*entry.mode) {
        (FileType::Symlink, "120000") => format.id_of(folder.link_target(name)?.to_bytes()),
        (FileType::RegularFile, "100644" | "100755") => {
            let file = folder.file(Path::new(name))?;
            let is_executable = folder.stat(name)?.st_mode & 0o100 != 0;
            if is_executable != (entry.mode == "100755") {
                return Ok(false);
            }
            id_of_file(format, &file)?
        }
        _ => None,
    };
    Ok(id.as_ref() == Some(&entry.id))
}

/// The id of a file's content, of whatever size.
pub(crate) fn id_of_file(format: ObjectFormat, file: &File) -> io::Result<Option<String>> {
    let size = file.metadata()?.len();
    let mut id = format.blob(size);
    let mut piece = vec![0; 1 << 20];
    let mut n_read = 0;
    while n_read < size {
        match disk::fill(file, n_read, &mut piece)? {
            0 => break,
            n => {
                id.update(&piece[..n]);
                n_read += n as u64;
            }
        }
    }
    Ok(id.hex())
}
