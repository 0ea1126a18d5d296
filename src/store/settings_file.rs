//! One file of an agent's settings, replaced as a whole on a person's order, with a copy of what was
//! there before in `backups/` of the state folder.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;
use super::folder::{own_folder, replace_record};
use crate::disk::write::{NewFile, Over, place};
use crate::disk::{self, file_problem};
use crate::model::{ReadProblem, stable_hash};

/// A longer file is no settings, in bytes.
const LONGEST: u64 = 8 << 20;
/// The end of the name of a copy that says: there was no file.
const ABSENT: &str = "absent";

/// The content of the file; `None` if there is none.
///
/// # Errors
/// It cannot be read, is no regular file, or is too long.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    disk::read_linked(path, LONGEST).map_err(|source| {
        if matches!(file_problem(&source), ReadProblem::NotAFile | ReadProblem::TooLarge) {
            return StoreError::WrongKind { path: path.to_owned(), expected: "a file of settings" };
        }
        StoreError::Io { what: "open", path: path.to_owned(), source }
    })
}

/// Puts `content` in the place of the file, or removes it (`None`), and keeps a copy of what it was.
/// A link stays a link: what it leads to is replaced. The copy is called by the moment `stamp`, a plain
/// name. Gives the path of the copy.
///
/// # Errors
/// The copy or the file cannot be written; then the file is as it was.
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

/// The copies of the file that are kept, the newest first; `None` stands for "there was no file".
pub fn copies(state_folder: &Path, path: &Path) -> Vec<Option<Vec<u8>>> {
    let Ok(path) = resolved(path) else { return Vec::new() };
    let mark = mark(&path);
    let entries = fs::read_dir(backups(state_folder)).into_iter().flatten().filter_map(Result::ok);
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

fn backups(state_folder: &Path) -> PathBuf {
    state_folder.join("backups")
}

/// What tells the copies of this file from those of others.
fn mark(path: &Path) -> String {
    format!("-{:032x}-", stable_hash(path.as_os_str().as_encoded_bytes()))
}

/// Where the file is: what a link leads to, as far as it exists.
fn resolved(path: &Path) -> Result<PathBuf, StoreError> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // A link that leads to a file that is still to be made.
            Ok(target) => Ok(path.parent().unwrap_or(Path::new(".")).join(target)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(source) => Err(StoreError::Io { what: "find", path: path.to_owned(), source }),
    }
}

fn keep_copy(state_folder: &Path, path: &Path, stamp: &str) -> Result<PathBuf, StoreError> {
    let folder = backups(state_folder);
    own_folder(state_folder)?;
    own_folder(&folder)?;
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
            // A file of another user stays that user's where this one may do so.
            let _ = std::os::unix::fs::fchown(file.as_file(), Some(before.uid()), Some(before.gid()));
            file.as_file().set_permissions(Permissions::from_mode(before.mode() & 0o7777))?;
        }
        file.put_synced(name, Over::Any)
    };
    write().map_err(StoreError::io("replace", path))
}
