//! Changes files below a folder where others can swap a folder for a link at any moment: every component is opened
//! without following links, and the change itself is relative to the open folder.
//!
//! It must not resolve a path twice.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::{Sharing, create_in};
use crate::disk::Folder;
use crate::disk::file::{FLAGS, regular};

/// What to do about folders on the way that do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Create them, with the usual access, for others too as far as they share them.
    Create(Sharing),
    /// Create them for this user only.
    CreatePrivate,
    /// Fail.
    Fail,
}

/// A name in a folder that is held open.
#[derive(Debug)]
pub struct Below {
    folder: Folder,
    name: OsString,
}

impl Below {
    /// Opens the folders on the way from `top` to `path`, a relative path.
    ///
    /// # Errors
    /// `ELOOP` or `ENOTDIR` if one of them is a link, or any other I/O error.
    pub fn open(top: &Folder, path: &Path, missing: Missing) -> io::Result<Below> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let parent = path.parent().unwrap_or(Path::new(""));
        let folder = match top.folder(parent) {
            Err(Errno::NOENT) if missing != Missing::Fail => created(top, parent, missing)?,
            opened => opened?,
        };
        Ok(Below { folder, name })
    }

    /// Another name in the same folder.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn beside(&self, name: &OsStr) -> io::Result<Below> {
        Ok(Below { folder: self.folder.again()?, name: name.to_owned() })
    }

    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name in it.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Makes the name a hard link to the file at another one.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, or any other I/O error.
    pub fn link_to(&self, other: &Below) -> io::Result<()> {
        Ok(rustix::fs::linkat(&other.folder, &other.name, &self.folder, &self.name, AtFlags::empty())?)
    }

    /// Moves `file`, a path that the caller trusts, to the name. What is there is replaced.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn take(&self, file: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat(CWD, file, &self.folder, &self.name)?)
    }

    /// Moves what has the name `from` in the same folder to this name. What is there is replaced.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn replace_by(&self, from: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.folder, from, &self.folder, &self.name)?)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Removes the empty folder of this name.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn remove_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR)?)
    }

    /// Creates the file, which must not exist.
    ///
    /// # Errors
    /// `AlreadyExists`, or any other I/O error.
    pub fn create(&self, mode: u32) -> io::Result<File> {
        create_in(&self.folder, &self.name, mode)
    }

    /// Creates a symbolic link to `target`.
    ///
    /// # Errors
    /// `AlreadyExists`, or any other I/O error.
    pub fn create_link(&self, target: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.folder, &self.name)?)
    }

    /// Creates the file, which must not exist, with the usual access, for others too as far as they share it.
    ///
    /// # Errors
    /// `AlreadyExists`, or any other I/O error.
    pub fn create_shared(&self, sharing: Sharing) -> io::Result<File> {
        let file = self.create(0o666)?;
        if let Err(error) = sharing.share(&file) {
            // Nobody knows it for ours, and a lock that stays is in everybody's way.
            let _ = self.remove();
            return Err(error);
        }
        Ok(file)
    }

    /// Opens the regular file for appending.
    ///
    /// # Errors
    /// As [`crate::disk::open`].
    pub fn open_to_append(&self) -> io::Result<File> {
        let flags = FLAGS | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::APPEND;
        Ok(regular(rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()))?.0)
    }
}

/// Opens the folder `path` below `top`, creating what is missing of it.
fn created(top: &Folder, path: &Path, missing: Missing) -> io::Result<Folder> {
    let (mode, sharing) = match missing {
        Missing::Create(sharing) => (Mode::from_raw_mode(0o777), sharing),
        Missing::CreatePrivate | Missing::Fail => (Mode::RWXU, Sharing::Masked),
    };
    let mut folder = top.folder(Path::new(""))?;
    for name in path {
        folder = match folder.folder(Path::new(name)) {
            Err(Errno::NOENT) => match rustix::fs::mkdirat(&folder, name, mode) {
                Ok(()) => {
                    let new = folder.folder(Path::new(name))?;
                    sharing.share(&new)?;
                    new
                }
                Err(Errno::EXIST) => folder.folder(Path::new(name))?,
                Err(errno) => return Err(errno.into()),
            },
            opened => opened?,
        };
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_on_the_way_is_refused_and_nothing_is_created_behind_it() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("in/a")).unwrap();
        fs::create_dir(top.join("out")).unwrap();
        symlink("../../out", top.join("in/a/link")).unwrap();
        let folder = Folder::open_resolved(&top.join("in")).unwrap();
        for missing in [Missing::Create(Sharing::Masked), Missing::CreatePrivate, Missing::Fail] {
            for path in ["a/link/file", "a/link/new/file"] {
                let error = Below::open(&folder, Path::new(path), missing).unwrap_err();
                let errno = Errno::from_io_error(&error);
                assert!(matches!(errno, Some(Errno::LOOP | Errno::NOTDIR)), "{path}: {error}");
            }
        }
        assert!(Below::open(&folder, Path::new("a/b/c/file"), Missing::Fail).is_err());
        let file = Below::open(&folder, Path::new("a/b/c/file"), Missing::Create(Sharing::Masked)).unwrap();
        file.create(0o600).unwrap();
        assert_eq!(file.create(0o600).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        // The folder that was opened stays the one that is changed.
        fs::rename(top.join("in/a/b/c"), top.join("in/a/was")).unwrap();
        symlink("../../../out", top.join("in/a/b/c")).unwrap();
        file.remove().unwrap();
        assert_eq!(fs::read_dir(top.join("in/a/was")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(top.join("out")).unwrap().count(), 0);
        assert!(Folder::open_resolved(&top.join("in/a/link")).is_err());
        assert!(Folder::open_resolved(&top.join("in/a/b/c")).is_err());
    }
}
