//! The state folder: made, checked, locked, and its files read and replaced as a whole.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use super::StoreError;

/// A record is a few hundred bytes; what is larger is none.
const MAX_RECORD: u64 = 64 * 1024;

/// How often and after which pauses the lock is tried: two seconds in all.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The state folder. Cheap to clone; holds no file open.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// The lock of this process to write; ends when dropped.
pub(super) struct StoreLock {
    /// Closing the file gives the lock back.
    _lock: File,
}

impl Store {
    /// The store in `folder`, which is made (0700) if it is not there.
    ///
    /// # Errors
    /// The folder cannot be made, is no folder, or belongs to another user.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Store, StoreError> {
        let folder = folder.into();
        own_folder(&folder)?;
        Ok(Store { folder })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits for the lock of this process to write, at most two seconds.
    pub(super) fn lock(&self) -> Result<StoreLock, StoreError> {
        let path = self.folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .custom_flags(nofollow())
            .open(&path)
            .map_err(StoreError::io("open the lock", &path))?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(StoreLock { _lock: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(source)) => {
                    return Err(StoreError::Io { what: "lock", path, source });
                }
            }
        }
        Err(StoreError::Busy { path })
    }
}

/// Makes sure that `folder` is a folder of this user that nobody else can look into.
pub(super) fn own_folder(folder: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(StoreError::io("make the folder", folder))?;
    let metadata = fs::metadata(folder).map_err(StoreError::io("look at", folder))?;
    if !metadata.is_dir() {
        return Err(StoreError::WrongKind { path: folder.to_owned(), expected: "a folder" });
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(StoreError::Foreign { path: folder.to_owned(), owner: metadata.uid() });
    }
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))
            .map_err(StoreError::io("restrict the permissions of", folder))?;
    }
    Ok(())
}

/// The content of a record; `None` if there is none. Follows no link and cannot hang.
pub(super) fn read_record(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    read_up_to(path, MAX_RECORD)
}

/// The beginning of a file, at most one byte more than `limit`; `None` if there is none. Follows no link
/// and cannot hang.
pub(super) fn read_up_to(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let Some((file, _)) = open_regular(path)? else { return Ok(None) };
    let mut content = Vec::new();
    file.take(limit + 1).read_to_end(&mut content).map_err(StoreError::io("read", path))?;
    Ok(Some(content))
}

/// Opens a regular file and tells its length in bytes; `None` if there is none. Follows no link and cannot hang.
pub(super) fn open_regular(path: &Path) -> Result<Option<(File, u64)>, StoreError> {
    let file = match OpenOptions::new().read(true).custom_flags(nofollow()).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::Io { what: "open", path: path.to_owned(), source }),
    };
    let metadata = file.metadata().map_err(StoreError::io("look at", path))?;
    if !metadata.is_file() {
        return Err(StoreError::WrongKind { path: path.to_owned(), expected: "a regular file" });
    }
    Ok(Some((file, metadata.len())))
}

/// Puts `content` in the place of `path`, as a whole: after a crash the old or the new content is
/// there. The file is readable for this user only.
pub(super) fn replace_record(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let file = write_beside(path, content)?;
    file.as_file().sync_all().map_err(StoreError::io("sync", path))?;
    put_in_place(file, path)?;
    sync_folder(folder)
}

/// Lets a file that was written beside `path` take its place.
pub(super) fn put_in_place(file: NamedTempFile, path: &Path) -> Result<(), StoreError> {
    let placed = file.persist(path).map_err(|error| error.error);
    placed.map(drop).map_err(StoreError::io("replace", path))
}

/// A file with `content` in the folder of `path`, readable for this user only, that is to take its place.
pub(super) fn write_beside(path: &Path, content: &[u8]) -> Result<NamedTempFile, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)
        .map_err(StoreError::io("make a file in", folder))?;
    file.write_all(content).map_err(StoreError::io("write", path))?;
    Ok(file)
}

/// Makes the names in `folder` last through a power failure.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io("sync", folder))
}

/// Flags for an open that follows no link and does not wait for a FIFO.
pub(super) fn nofollow() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}
