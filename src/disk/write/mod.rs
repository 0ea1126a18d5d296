//! Changes files: replacing a whole file, appending to a file, locking. A room needs the right to write to
//! use this.

mod below;
mod journal;
mod new_file;
mod own;
mod sharing;

use std::fs::{File, TryLockError};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;
use std::{io, thread};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::Folder;
use super::file::{FLAGS, own};

pub use below::{Below, Missing};
pub use journal::{Journal, Lines};
pub use new_file::{NewFile, Over, is_left, place, replace, replace_soon};
pub use own::{NotOwn, own_folder};
pub use sharing::Sharing;

/// Opens a file of this user's for appending and reading. If it is missing and `new` is given, it is created with that
/// mode. It must not be a link.
///
/// # Errors
/// As [`super::open`].
pub fn open_to_append(path: &Path, new: Option<u32>) -> io::Result<File> {
    let create = if new.is_some() { OFlags::CREATE } else { OFlags::empty() };
    let flags = FLAGS | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::APPEND | create;
    let opened = rustix::fs::openat(CWD, path, flags, Mode::from_raw_mode(new.unwrap_or(0)));
    own(opened)
}

/// Creates a file that must not exist yet, readable and writable by this user only.
///
/// # Errors
/// Any I/O error.
pub fn create_new(path: &Path) -> io::Result<File> {
    create_in(CWD, path.as_os_str(), 0o600)
}

/// Creates a file in `folder` with the given mode.
fn create_in(folder: impl AsFd, name: &std::ffi::OsStr, mode: u32) -> io::Result<File> {
    let flags = FLAGS | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
    Ok(File::from(rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(mode))?))
}

/// Creates a file in `folder` with this content, for this user only. Does nothing if the name is taken.
///
/// # Errors
/// Any I/O error.
pub fn create_once(folder: &Folder, name: &str, content: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    match create_in(folder, name.as_ref(), 0o600) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        file => file?.write_all(content),
    }
}

/// Opens the folder `name` in `parent`, creating it (0700) if missing. A link is refused.
///
/// # Errors
/// Any I/O error.
pub fn folder_in(parent: &Folder, name: &std::ffi::OsStr) -> rustix::io::Result<Folder> {
    match parent.folder(Path::new(name)) {
        Err(Errno::NOENT) => {
            match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o700)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            parent.folder(Path::new(name))
        }
        opened => opened,
    }
}

/// Whether a file was removed; it need not be there.
///
/// # Errors
/// Any other I/O error of the removal.
pub fn is_removed(removed: io::Result<()>) -> io::Result<bool> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// Makes the names in `folder` survive a power failure.
///
/// # Errors
/// Any I/O error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Flushes the file system that contains `path` to disk.
///
/// # Errors
/// Any I/O error.
pub fn sync_file_system(path: &Path) -> io::Result<()> {
    sync_file_system_of(&File::open(path)?)
}

/// The same, for the file system that contains an open file or folder.
///
/// # Errors
/// Any I/O error.
pub fn sync_file_system_of(opened: impl AsFd) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::syncfs(opened)?);
    #[cfg(not(target_os = "linux"))]
    Ok(rustix::fs::fsync(opened)?)
}

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits up to `longest` for the lock on an open file. False if someone else holds it all that time. The
/// lock is released when the file is closed, including in children that inherited it.
///
/// # Errors
/// Any I/O error.
pub fn lock(file: &File, longest: Duration) -> io::Result<bool> {
    let n_tries = longest.as_millis() / PAUSE.as_millis();
    for n in 0..=n_tries {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if n < n_tries => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Waits up to `longest` for the lock on the file at `path`, which is created if missing. `None` if someone
/// else holds it.
///
/// # Errors
/// Any I/O error.
pub fn lock_file(path: &Path, longest: Duration) -> io::Result<Option<File>> {
    let file = open_to_append(path, Some(0o600))?;
    Ok(lock(&file, longest)?.then_some(file))
}

/// Whether someone else holds the lock on the file at `path`. Several may ask at once; someone who tries to
/// take the lock at that very moment has to try again.
pub fn is_locked(path: &Path) -> bool {
    let opened = path.exists().then(|| open_to_append(path, Some(0o600)));
    opened
        .and_then(Result::ok)
        .is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_the_next_gets_it_when_it_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("lock");
        let held = lock_file(&path, Duration::ZERO).unwrap().unwrap();
        assert!(lock_file(&path, Duration::from_millis(20)).unwrap().is_none());
        assert!(is_locked(&path));
        drop(held);
        assert!(!is_locked(&path) && !is_locked(&temp.path().join("none")));
        assert!(lock_file(&path, Duration::ZERO).unwrap().is_some());
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        assert!(lock_file(&path, Duration::ZERO).is_err(), "a link is not followed");
    }
}
