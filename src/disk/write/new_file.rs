//! A whole file put into its place: after a crash the old or the new content is there, never a part.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, RenameFlags};

use super::create_in;
use crate::disk::Folder;

/// Whether something that stands in the place goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// A file that is there is replaced.
    Any,
    /// It is an error if anything is there.
    Nothing,
}

/// A file beside the place that it is for; gone if it is not put there.
#[derive(Debug)]
pub struct NewFile<'f> {
    folder: &'f Folder,
    /// Its name until it is in its place.
    beside: OsString,
    file: File,
    is_placed: bool,
}

impl<'f> NewFile<'f> {
    /// Writes `content` to a new file in `folder`.
    ///
    /// # Errors
    /// The system's.
    pub fn create(folder: &'f Folder, mode: u32, content: &[u8]) -> io::Result<NewFile<'f>> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = OsString::from(format!(".closeout-new-{}-{number}", std::process::id()));
        let file = match create_in(folder, &beside, mode) {
            // Of a process with the same number that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                rustix::fs::unlinkat(folder, &beside, AtFlags::empty())?;
                create_in(folder, &beside, mode)
            }
            created => created,
        }?;
        let mut new = NewFile { folder, beside, file, is_placed: false };
        new.file.write_all(content)?;
        Ok(new)
    }

    /// The file, to set what belongs to it.
    pub fn as_file(&self) -> &File {
        &self.file
    }

    /// Puts it into the place `name`. It may be lost in a power failure; a part of it is never there.
    ///
    /// # Errors
    /// The system's; `AlreadyExists` where nothing is to be replaced. Then it is gone and the place is as it was.
    pub fn put(mut self, name: &OsStr, over: Over) -> io::Result<()> {
        match over {
            Over::Any => rustix::fs::renameat(self.folder, &self.beside, self.folder, name)?,
            Over::Nothing => {
                let flags = RenameFlags::NOREPLACE;
                rustix::fs::renameat_with(self.folder, &self.beside, self.folder, name, flags)?;
            }
        }
        self.is_placed = true;
        Ok(())
    }

    /// The same, its content on the disk before.
    ///
    /// # Errors
    /// As [`NewFile::put`].
    pub fn put_whole(self, name: &OsStr, over: Over) -> io::Result<()> {
        self.file.sync_all()?;
        self.put(name, over)
    }

    /// The same; it is on the disk in its place when this returns.
    ///
    /// # Errors
    /// As [`NewFile::put`]; it can be in its place and the folder not on the disk.
    pub fn put_synced(self, name: &OsStr, over: Over) -> io::Result<()> {
        let folder = self.folder;
        self.put_whole(name, over)?;
        Ok(rustix::fs::fsync(folder)?)
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            // What is left is our own file; the reason for leaving it is the one that matters.
            let _ = rustix::fs::unlinkat(self.folder, &self.beside, AtFlags::empty());
        }
    }
}

/// Puts `content` into the place of the file at `path`, for this user only. It is on the disk when this returns.
///
/// # Errors
/// The system's; then the file is as it was, unless only the last writing to the disk failed.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, name) = place(path)?;
    NewFile::create(&folder, 0o600, content)?.put_synced(name, Over::Any)
}

/// The same without waiting for the disk: a power failure can take it back.
///
/// # Errors
/// The system's; then the file is as it was.
pub fn replace_soon(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, name) = place(path)?;
    NewFile::create(&folder, 0o600, content)?.put(name, Over::Any)
}

/// The folder and the name of a file.
///
/// # Errors
/// There is no such folder, or the path names none.
pub fn place(path: &Path) -> io::Result<(Folder, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok((Folder::open(folder.unwrap_or(Path::new(".")))?, name))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn the_place_has_the_old_or_the_new_content_and_nothing_is_left_beside() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        fs::write(temp.path().join("outside"), "outside").unwrap();
        std::os::unix::fs::symlink("outside", &path).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::symlink_metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read(temp.path().join("outside")).unwrap(), b"outside", "the link was replaced");
        let folder = Folder::open(temp.path()).unwrap();
        let taken = NewFile::create(&folder, 0o600, b"newer").unwrap().put("file".as_ref(), Over::Nothing);
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
    }
}
