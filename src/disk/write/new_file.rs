//! Replaces a whole file: after a crash either the old or the new content is there, never a part.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::create_in;
use crate::disk::Folder;

/// The start of the temporary names; the process id and a number follow.
const BESIDE: &str = ".closeout-new-";

/// Whether a file of this name was left by a process that was killed before it put the file in its place.
pub fn is_left(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(BESIDE));
    let id = rest.and_then(|rest| rest.split_once('-')?.0.parse().ok());
    let process = id.and_then(Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process) == Err(Errno::SRCH))
}

/// What to do if the name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Replace an existing file.
    Any,
    /// Fail if anything exists.
    Nothing,
}

/// A file next to its destination, deleted unless it is moved there.
#[derive(Debug)]
pub struct NewFile<'f> {
    folder: &'f Folder,
    /// Its temporary name.
    beside: OsString,
    file: File,
    is_placed: bool,
}

impl<'f> NewFile<'f> {
    /// Writes `content` to a new file in `folder`, with the given mode.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn create(folder: &'f Folder, mode: u32, content: &[u8]) -> io::Result<NewFile<'f>> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = OsString::from(format!("{BESIDE}{}-{number}", std::process::id()));
        let file = match create_in(folder, &beside, mode) {
            // Left behind by a killed process with the same PID.
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

    /// The file, for setting its attributes.
    pub fn as_file(&self) -> &File {
        &self.file
    }

    /// Renames the file to `name`. A power failure may undo this, but never leaves a part.
    ///
    /// # Errors
    /// Any I/O error; `AlreadyExists` if nothing may be replaced. The new file is then deleted and the
    /// destination unchanged.
    pub fn put(mut self, name: &OsStr, over: Over) -> io::Result<()> {
        match over {
            Over::Any => rustix::fs::renameat(self.folder, &self.beside, self.folder, name)?,
            Over::Nothing => {
                let flags = RenameFlags::NOREPLACE;
                match rustix::fs::renameat_with(self.folder, &self.beside, self.folder, name, flags) {
                    // Not every file system can (NFS). The temporary name goes when this is dropped.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                        let plain = AtFlags::empty();
                        return Ok(rustix::fs::linkat(self.folder, &self.beside, self.folder, name, plain)?);
                    }
                    renamed => renamed?,
                }
            }
        }
        self.is_placed = true;
        Ok(())
    }

    /// Like [`NewFile::put`], with the content flushed to disk first.
    ///
    /// # Errors
    /// As [`NewFile::put`].
    pub fn put_whole(self, name: &OsStr, over: Over) -> io::Result<()> {
        self.file.sync_all()?;
        self.put(name, over)
    }

    /// Like [`NewFile::put_whole`], with the rename flushed to disk as well.
    ///
    /// # Errors
    /// As [`NewFile::put`]. If the last flush fails, the file is in place but may not be on disk.
    pub fn put_synced(self, name: &OsStr, over: Over) -> io::Result<()> {
        let folder = self.folder;
        self.put_whole(name, over)?;
        Ok(rustix::fs::fsync(folder)?)
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            // This only removes our own file. The error that matters is the one that led here.
            let _ = rustix::fs::unlinkat(self.folder, &self.beside, AtFlags::empty());
        }
    }
}

/// Replaces the file at `path` by `content`, readable by this user only. It is on disk when this returns.
///
/// # Errors
/// Any I/O error. The file is then unchanged, unless only the last flush to disk failed.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, name) = place(path)?;
    NewFile::create(&folder, 0o600, content)?.put_synced(name, Over::Any)
}

/// Like [`replace`], without waiting for the disk: a power failure may undo it.
///
/// # Errors
/// Any I/O error. The file is then unchanged.
pub fn replace_soon(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, name) = place(path)?;
    NewFile::create(&folder, 0o600, content)?.put(name, Over::Any)
}

/// The folder and the name of a file.
///
/// # Errors
/// The folder does not exist, or the path has no file name.
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
