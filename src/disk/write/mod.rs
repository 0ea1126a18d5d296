//! Changes files: replacing a whole file, appending to a file, locking. A room needs the right to write to
//! use this.

mod below;
mod journal;
mod lock;
mod new_file;

pub use below::{Below, Missing};
pub use journal::{Journal, Lines};
pub use lock::{is_locked, lock, lock_file};
pub use new_file::{NewFile, Over, is_left, place, replace, replace_soon};

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::Folder;
use super::file::{FLAGS, regular};

/// Opens a file for appending and reading. If it is missing and `new` is given, it is created with that
/// mode. It must not be a link.
///
/// # Errors
/// As [`super::open`].
pub fn open_to_append(path: &Path, new: Option<u32>) -> io::Result<File> {
    let create = if new.is_some() { OFlags::CREATE } else { OFlags::empty() };
    let flags = FLAGS | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::APPEND | create;
    let opened = rustix::fs::openat(CWD, path, flags, Mode::from_raw_mode(new.unwrap_or(0)));
    Ok(regular(opened)?.0)
}

/// Creates a file that must not exist yet, readable and writable by this user only.
///
/// # Errors
/// Any I/O error.
pub fn create_new(path: &Path) -> io::Result<File> {
    create_in(CWD, path.as_os_str(), 0o600)
}

/// Creates a file in `folder` with the given mode.
fn create_in(folder: impl std::os::fd::AsFd, name: &std::ffi::OsStr, mode: u32) -> io::Result<File> {
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

/// Creates one of closeout's own folders (0700) and its parents, if missing.
///
/// # Errors
/// It cannot be created, is a link, belongs to another user, or is accessible to others.
pub fn own_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    let is_own = metadata.is_dir()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode().trailing_zeros() >= 6;
    if is_own {
        Ok(())
    } else {
        Err(io::Error::other("closeout's own folder can be changed or read by others"))
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
    let opened = File::open(path)?;
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::syncfs(&opened)?);
    #[cfg(not(target_os = "linux"))]
    opened.sync_all()
}
