//! An agent's settings file, replaced as a whole at the user's request, with a copy of the previous content
//! in `backups/` of the state folder.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;
use super::folder::{own_folder, replace_record};
use crate::disk::write::{NewFile, Over, place};
use crate::disk::{self, file_problem};
use crate::model::{ReadProblem, stable_hash};

/// The longest settings file read, in bytes.
const LONGEST: u64 = 8 << 20;
/// The extension of a copy that means there was no file.
const ABSENT: &str = "absent";
/// The folder of the state folder with the copies.
const BACKUPS: &str = "backups";

/// The content of the file; `None` if there is none.
///
/// # Errors
/// It cannot be read, is not a regular file, or is too long.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    disk::read_linked(path, LONGEST).map_err(|source| {
        if matches!(file_problem(&source), ReadProblem::NotAFile | ReadProblem::TooLarge) {
            return StoreError::WrongKind { path: path.to_owned(), expected: "a file of settings" };
        }
        StoreError::Io { what: "open", path: path.to_owned(), source }
    })
}

/// Replaces the file by `content`, or deletes it (`None`), and keeps a copy of its previous content. A link
/// stays a link: its target is replaced. The copy's name begins with `stamp`, a plain text. Returns the
/// copy's path.
///
/// # Errors
/// The copy or the file cannot be written. The file is then unchanged.
pub fn replace(
    state_folder: &Path,
    path: &Path,
    content: Option<&[u8]>,
    stamp: &str,
) -> Result<PathBuf, StoreError> {
    let path = resolved(path)?;
    let copy = keep_copy(state_folder, &path, stamp)?;
    match content {
        None => {
            fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
        }
        Some(content) => put(&path, content)?,
    }
    Ok(copy)
}

/// The copies kept of the file, newest first; `None` stands for "there was no file".
pub fn copies(state_folder: &Path, path: &Path) -> Vec<Option<Vec<u8>>> {
    let Ok(path) = resolved(path) else { return Vec::new() };
    let mark = mark(&path);
    let entries = fs::read_dir(state_folder.join(BACKUPS)).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|copy| copy.file_name().is_some_and(|name| name.to_string_lossy().contains(&mark)))
        .collect();
    names.sort_unstable();
    let is_absent = |copy: &Path| copy.extension().is_some_and(|extension| extension == ABSENT);
    let content = |copy: PathBuf| {
        if is_absent(&copy) { Some(None) } else { read(&copy).ok().flatten().map(Some) }
    };
    names.into_iter().rev().filter_map(content).collect()
}

/// The part of the names that identifies copies of this file.
fn mark(path: &Path) -> String {
    format!("-{:032x}-", stable_hash(path.as_os_str().as_encoded_bytes()))
}

/// The path of the file, with links resolved as far as they exist.
fn resolved(path: &Path) -> Result<PathBuf, StoreError> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // A link to a file that does not exist yet.
            Ok(target) => Ok(path.parent().unwrap_or(Path::new(".")).join(target)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(source) => Err(StoreError::Io { what: "find", path: path.to_owned(), source }),
    }
}

fn keep_copy(state_folder: &Path, path: &Path, stamp: &str) -> Result<PathBuf, StoreError> {
    let folder = own_folder(state_folder, BACKUPS)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut copy = format!("{stamp}{}{name}", mark(path));
    let content = read(path)?;
    if content.is_none() {
        copy.push('.');
        copy.push_str(ABSENT);
    }
    let copy = folder.join(copy);
    replace_record(&copy, &content.unwrap_or_default())?;
    Ok(copy)
}

/// Writes beside the file and renames: after a crash the old or the new content is there.
fn put(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(StoreError::io("make the folder", folder))?;
    let before = fs::metadata(path).ok();
    let write = || {
        let (folder, name) = place(path)?;
        let file = NewFile::create(&folder, 0o600, content)?;
        if let Some(before) = &before {
            // Another user's file keeps its owner if this process may set that.
            let _ = std::os::unix::fs::fchown(file.as_file(), Some(before.uid()), Some(before.gid()));
            file.as_file().set_permissions(Permissions::from_mode(before.mode() & 0o7777))?;
        }
        file.put_synced(name, Over::Any)
    };
    write().map_err(StoreError::io("replace", path))
}
