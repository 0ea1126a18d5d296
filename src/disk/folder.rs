//! Opens what is below a folder, following no link in any component of the path.

use std::ffi::{CString, OsStr};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::file::{FLAGS, existing, read_whole, regular, sized};

/// A folder, held open, so that names below it cannot resolve anywhere else.
#[derive(Debug)]
pub struct Folder {
    directory: OwnedFd,
}

impl Folder {
    /// Opens the folder at a path that the caller trusts; it may lead through links.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn open(path: &Path) -> rustix::io::Result<Folder> {
        let directory = rustix::fs::openat(CWD, path, FLAGS | OFlags::DIRECTORY, Mode::empty())?;
        Ok(Folder { directory })
    }

    /// Like [`Folder::open`], but the folder itself must not be a link.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn open_unlinked(path: &Path) -> rustix::io::Result<Folder> {
        let flags = FLAGS | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        Ok(Folder { directory: rustix::fs::openat(CWD, path, flags, Mode::empty())? })
    }

    /// Opens the folder at a path without links: neither the folder nor anything on the way to it may be one.
    ///
    /// # Errors
    /// `LOOP` for a link, or any other I/O error.
    pub fn open_resolved(path: &Path) -> rustix::io::Result<Folder> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(CWD, path, FLAGS | OFlags::DIRECTORY, Mode::empty(), resolve) {
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NAMETOOLONG) => {}
                opened => return Ok(Folder { directory: opened? }),
            }
        }
        // A folder on the way may be one that can be passed but not opened.
        let folder = Folder::open_unlinked(path)?;
        match super::resolve(path) {
            Ok(resolved) if resolved == path => Ok(folder),
            Ok(_) | Err(_) => Err(Errno::LOOP),
        }
    }

    /// Opens the folder `below` this one. The empty path is this folder.
    ///
    /// # Errors
    /// `LOOP` for a link, `XDEV` for a path that leads out, or any other I/O error.
    pub fn folder(&self, below: &Path) -> rustix::io::Result<Folder> {
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        Ok(Folder { directory: self.open_below(below, OFlags::DIRECTORY)? })
    }

    /// Opens the regular file `below` this folder for reading.
    ///
    /// # Errors
    /// As [`Folder::folder`], and as [`super::open`] if it is not a regular file.
    pub fn file(&self, below: &Path) -> io::Result<File> {
        Ok(self.file_seen(below)?.0)
    }

    /// Like [`Folder::file`], with the file's metadata, which are looked at anyway.
    ///
    /// # Errors
    /// As [`Folder::file`].
    pub fn file_seen(&self, below: &Path) -> io::Result<(File, Metadata)> {
        regular(self.open_below(below, OFlags::empty()))
    }

    /// Reads the regular file `below` this folder, of at most `cap` bytes. `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Folder::file`], and if the file is longer than `cap`.
    pub fn read(&self, below: &Path, cap: u64) -> io::Result<Option<Vec<u8>>> {
        existing(self.file_seen(below).map(sized))?.map(|file| read_whole(&file, cap)).transpose()
    }

    /// Another handle on the same folder.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn again(&self) -> io::Result<Folder> {
        Ok(Folder { directory: self.directory.try_clone()? })
    }

    /// The metadata of `name`, a single component. Links are not followed.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn stat(&self, name: impl Arg) -> rustix::io::Result<Stat> {
        rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// The file type of `name`, a single component. Links are not followed.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn kind(&self, name: impl Arg) -> rustix::io::Result<FileType> {
        Ok(FileType::from_raw_mode(self.stat(name)?.st_mode))
    }

    /// The target of the link `name`.
    ///
    /// # Errors
    /// `INVAL` if it is not a link, or any other I/O error.
    pub fn link_target(&self, name: impl Arg) -> rustix::io::Result<CString> {
        rustix::fs::readlinkat(&self.directory, name, Vec::new())
    }

    /// The entries of the folder, in no particular order.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn entries(&self) -> rustix::io::Result<Dir> {
        Dir::read_from(&self.directory)
    }

    fn open_below(&self, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
        if path.components().any(|component| component == Component::ParentDir) {
            return Err(Errno::XDEV);
        }
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let flags = FLAGS | OFlags::NOFOLLOW | more;
            match rustix::fs::openat2(&self.directory, path, flags, Mode::empty(), resolve) {
                // Kernels before 5.6 lack `openat2`, sandboxes forbid calls they do not know, a concurrent
                // rename makes it give up, and a path can be too long for one call.
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NAMETOOLONG) => {}
                opened => return opened,
            }
        }
        self.walk(path, more)
    }

    /// Opens one folder after the other, none of which may be a link.
    fn walk(&self, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
        let mut held: Option<OwnedFd> = None;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let name = match component {
                Component::Normal(name) => name,
                Component::CurDir => OsStr::new("."),
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
            };
            let at = held.as_ref().map_or(self.directory.as_fd(), AsFd::as_fd);
            let is_last = components.peek().is_none();
            let flags = FLAGS | OFlags::NOFOLLOW | if is_last { more } else { OFlags::DIRECTORY };
            match rustix::fs::openat(at, name, flags, Mode::empty()) {
                // With both flags set, a link in the place of a folder is reported as "not a directory".
                Err(Errno::NOTDIR) => return Err(link_or_file(at, name)),
                next => held = Some(next?),
            }
        }
        held.ok_or(Errno::NOENT)
    }
}

fn link_or_file(folder: BorrowedFd<'_>, name: &OsStr) -> Errno {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_symlink() => Errno::LOOP,
        Ok(_) | Err(_) => Errno::NOTDIR,
    }
}

/// Opens a regular file `below` the folder at a path that the caller trusts, as [`Folder::file`] does, and gives
/// its length in bytes.
///
/// # Errors
/// As [`Folder::open`] and [`Folder::file`].
pub fn open_below(folder: &Path, below: &Path) -> io::Result<(File, u64)> {
    #[cfg(target_os = "linux")]
    if below.components().all(|part| matches!(part, Component::Normal(_))) {
        use rustix::fs::ResolveFlags;
        // One call instead of three, unless the folder's own path leads through a link.
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let path = folder.join(below);
        match rustix::fs::openat2(CWD, &path, FLAGS | OFlags::NOFOLLOW, Mode::empty(), resolve) {
            Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NAMETOOLONG) => {}
            opened => return regular(opened).map(sized),
        }
    }
    Folder::open(folder)?.file_seen(below).map(sized)
}

impl From<Folder> for OwnedFd {
    fn from(folder: Folder) -> OwnedFd {
        folder.directory
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for one. A hidden name matches only
/// a pattern that begins with a dot. Takes time proportional to the product of their lengths.
pub fn matches_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at_pattern, mut at_name) = (0, 0);
    // Where to resume after the last `*`, which then matches one more character.
    let mut star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match pattern.get(at_pattern) {
            Some('*') => {
                star = Some((at_pattern, at_name));
                at_pattern += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[at_name] => {
                at_pattern += 1;
                at_name += 1;
            }
            Some(_) | None => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                at_pattern = after + 1;
                at_name = taken + 1;
            }
        }
    }
    pattern[at_pattern..].iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems without `openat2` use the fallback, which has to give the same results.
    #[test]
    fn both_ways_of_opening_agree() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("top");
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::fs::write(top.join("a/b/file"), "x").unwrap();
        std::fs::write(temp.path().join("outside"), "x").unwrap();
        std::os::unix::fs::symlink("a", top.join("link")).unwrap();
        std::os::unix::fs::symlink("file", top.join("a/b/last")).unwrap();
        let folder = Folder::open(&top).unwrap();
        let outside = temp.path().join("outside");
        let cases = [
            (Path::new("a/b/file"), OFlags::empty(), None),
            (Path::new("./a/./b/file"), OFlags::empty(), None),
            (Path::new("a/b"), OFlags::DIRECTORY, None),
            (Path::new("."), OFlags::DIRECTORY, None),
            (Path::new(""), OFlags::empty(), Some(Errno::NOENT)),
            (Path::new("a/b/none"), OFlags::empty(), Some(Errno::NOENT)),
            (Path::new("a/none/file"), OFlags::empty(), Some(Errno::NOENT)),
            (Path::new("a/b/file/below"), OFlags::empty(), Some(Errno::NOTDIR)),
            (Path::new("a/b/file"), OFlags::DIRECTORY, Some(Errno::NOTDIR)),
            (Path::new("link/b/file"), OFlags::empty(), Some(Errno::LOOP)),
            (Path::new("a/b/last"), OFlags::empty(), Some(Errno::LOOP)),
            (Path::new("../outside"), OFlags::empty(), Some(Errno::XDEV)),
            (Path::new("a/../a/b/file"), OFlags::empty(), Some(Errno::XDEV)),
            (&outside, OFlags::empty(), Some(Errno::XDEV)),
        ];
        for (path, more, errno) in cases {
            assert_eq!(folder.open_below(path, more).err(), errno, "{}", path.display());
            assert_eq!(folder.walk(path, more).err(), errno, "{}", path.display());
        }
        assert!(folder.folder(Path::new("link")).is_err());
        assert!(folder.folder(Path::new("")).is_ok());
    }

    #[test]
    fn a_link_is_refused_below_the_folder_and_followed_on_the_way_to_it() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("top");
        std::fs::create_dir_all(top.join("a")).unwrap();
        std::fs::write(top.join("a/file"), "four").unwrap();
        std::os::unix::fs::symlink("a", top.join("link")).unwrap();
        std::os::unix::fs::symlink("top", temp.path().join("way")).unwrap();
        for folder in [top, temp.path().join("way")] {
            let open = |below: &str| open_below(&folder, Path::new(below));
            assert_eq!(open("a/file").map(|(_, length)| length).unwrap(), 4);
            assert_eq!(open("a/none").unwrap_err().kind(), io::ErrorKind::NotFound);
            let errno = |below: &str| Errno::from_io_error(&open(below).unwrap_err());
            assert_eq!(errno("link/file"), Some(Errno::LOOP));
            assert_eq!(errno("../top/a/file"), Some(Errno::XDEV));
            assert!(open("a").is_err());
        }
    }

    #[test]
    fn a_path_that_is_longer_than_the_system_takes_is_walked() {
        let temp = tempfile::tempdir().unwrap();
        let mut at = Folder::open(temp.path()).unwrap();
        let name = "n".repeat(200);
        let mut path = std::path::PathBuf::new();
        for _ in 0..30 {
            rustix::fs::mkdirat(&at, &name, Mode::from_raw_mode(0o700)).unwrap();
            at = at.folder(Path::new(&name)).unwrap();
            path.push(&name);
        }
        assert!(path.as_os_str().len() > 4096);
        assert!(Folder::open(temp.path()).unwrap().folder(&path).is_ok());
    }
}
