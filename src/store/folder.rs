//! The state folder: created, checked and locked here; its files are read and replaced as a whole.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::disk;
use crate::disk::write::{self, is_removed};

/// The largest record read, in bytes. Real ones have a few hundred.
const MAX_RECORD: u64 = 64 * 1024;

/// How long to wait for the lock.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The state folder. Cheap to clone; holds no file open.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    /// False in a batch, which waits for the disk once at its end.
    waits: bool,
}

/// A pending write.
pub type StoreWrite = Box<dyn FnOnce(&Store) -> Result<(), StoreError> + Send>;

/// From this many writes on, one wait for the disk serves all.
const BATCH: usize = 2;

/// The lock for writing; released when dropped.
pub(super) struct StoreLock {
    /// Closing the file releases the lock.
    _lock: File,
}

impl Store {
    /// The store in `folder`, which is created (0700) if missing.
    ///
    /// # Errors
    /// The folder cannot be created, is not a folder, or belongs to another user.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Store, StoreError> {
        let folder = folder.into();
        write::own_folder(&folder, Path::new(""))?;
        Ok(Store { folder, waits: true })
    }

    /// The state folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The bytes that this user can still write where the folder is; `None` if that cannot be told.
    pub fn free_bytes(&self) -> Option<u64> {
        let space = rustix::fs::statvfs(&self.folder).ok()?;
        Some(space.f_bavail.saturating_mul(space.f_frsize))
    }

    /// Performs all writes, with a single wait for the disk if there are several. Returns the errors.
    pub fn write_all(&self, writes: Vec<StoreWrite>) -> Vec<StoreError> {
        let is_batch = writes.len() >= BATCH;
        let store = Store { folder: self.folder.clone(), waits: !is_batch };
        let mut errors: Vec<StoreError> =
            writes.into_iter().filter_map(|write| write(&store).err()).collect();
        if is_batch {
            let synced = write::sync_file_system(&self.folder).map_err(StoreError::io("sync", &self.folder));
            errors.extend(synced.err());
        }
        errors
    }

    /// Like [`replace_record`], except that a batch does not wait for the disk.
    pub(super) fn replace(&self, path: &Path, content: &[u8]) -> Result<(), StoreError> {
        if self.waits { replace_record(path, content) } else { replace_record_soon(path, content) }
    }

    /// Waits for the lock for writing, at most two seconds.
    pub(super) fn lock(&self) -> Result<StoreLock, StoreError> {
        let path = self.folder.join("lock");
        match write::lock_file(&path, LONGEST_WAIT).map_err(StoreError::io("lock", &path))? {
            Some(lock) => Ok(StoreLock { _lock: lock }),
            None => Err(StoreError::Busy { path }),
        }
    }
}

/// Makes sure that the folder `below` the state folder is closeout's own, and gives its path.
pub(super) fn own_folder(state: &Path, below: impl AsRef<Path>) -> Result<PathBuf, StoreError> {
    write::own_folder(state, below.as_ref())?;
    Ok(state.join(below))
}

/// The content of a record; `None` if there is none. Follows no link and cannot hang.
pub(super) fn read_record(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    read_up_to(path, MAX_RECORD)
}

/// The start of a file, at most one byte more than `limit`; `None` if there is none. Follows no link and
/// cannot hang.
pub(super) fn read_up_to(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let read = disk::existing(disk::open_sized(path))
        .and_then(|file| file.map(|(file, length)| disk::read_sized(&file, length, limit + 1)).transpose());
    read.map_err(|error| unreadable(path, error))
}

/// The version of a form that is written, and the newest one that is read.
const VERSION: u32 = 1;

/// The content of a small file that is replaced as a whole.
#[derive(Serialize, Deserialize)]
struct Form<T> {
    version: u32,
    #[serde(flatten)]
    content: T,
}

/// Reads a form of at most `limit` bytes; the default if there is none. `expected` is what the error for an
/// unreadable one says it should be.
pub(super) fn read_form<T: DeserializeOwned + Default>(
    path: &Path,
    limit: u64,
    expected: &'static str,
) -> Result<T, StoreError> {
    let Some(json) = read_up_to(path, limit)? else { return Ok(T::default()) };
    match serde_json::from_slice::<Form<T>>(&json) {
        Ok(form) if form.version <= VERSION => Ok(form.content),
        Ok(form) => Err(StoreError::Newer { path: path.to_owned(), version: form.version }),
        Err(_) => Err(StoreError::WrongKind { path: path.to_owned(), expected }),
    }
}

pub(super) fn replace_form(path: &Path, content: &impl Serialize) -> Result<(), StoreError> {
    let json = serde_json::to_vec(&Form { version: VERSION, content })
        .map_err(|source| StoreError::Unwritable { path: path.to_owned(), source })?;
    replace_record(path, &json)
}

/// The error for a file that cannot be opened or read.
pub(super) fn unreadable(path: &Path, source: std::io::Error) -> StoreError {
    match disk::thing_in_the_way(&source) {
        Some(_) => StoreError::WrongKind { path: path.to_owned(), expected: "a regular file of yours" },
        None => StoreError::Io { what: "read", path: path.to_owned(), source },
    }
}

/// Replaces the file at `path` as a whole: after a crash the old or the new content is there. The file is
/// readable by this user only.
pub(super) fn replace_record(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    write::replace(path, content).map_err(StoreError::io("replace", path))
}

/// Like [`replace_record`], without waiting for the disk: a power failure may undo it.
pub(super) fn replace_record_soon(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    write::replace_soon(path, content).map_err(StoreError::io("replace", path))
}

/// Deletes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    is_removed(fs::remove_file(path)).map(drop).map_err(StoreError::io("remove", path))
}

/// Makes the names in `folder` survive a power failure.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    write::sync_folder(folder).map_err(StoreError::io("sync", folder))
}
