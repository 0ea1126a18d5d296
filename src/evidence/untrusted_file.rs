//! Opening and reading files that an agent controls (SECURITY.md 1.3).
//!
//! A path below the workspace is opened component by component without following links; what is opened
//! must be a regular file, is opened without waiting, and is never read past a cap. Names that are
//! absolute or climb out with `..` are refused. Nothing here says what the content means.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::model::{ReadProblem, Reading, Timestamp, Unreadable};

/// Flags of every opening: nothing waits, nothing becomes the terminal, nothing is inherited.
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A workspace's directory, held open: what is found below it is found there and nowhere else.
#[derive(Debug)]
pub struct WorkspaceDir {
    directory: OwnedFd,
    path: PathBuf,
}

/// Which names may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Names below the workspace only.
    Workspace,
    /// Absolute paths too, since a person named them. Parents may be links then; the file may not.
    Named,
}

/// A regular file that was opened.
#[derive(Debug)]
pub struct UntrustedFile {
    file: File,
    /// The name it was asked for under. Untrusted text.
    pub name: String,
    /// Its size in bytes when it was opened.
    pub size: u64,
    /// When it was last written.
    pub written_at: Timestamp,
    /// Which file and which state of it: device, inode, time of change in nanoseconds, size.
    pub identity: FileIdentity,
}

/// Which file, and which state of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
    modified_nanos: i128,
    changed_nanos: i128,
    size: u64,
}

/// Why a file was not opened or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing is there.
    Absent,
    /// Something is there and cannot be used.
    Unreadable(Unreadable),
}

impl Refusal {
    /// A refusal of `name`, with the problem in words.
    pub fn because(name: &str, problem: ReadProblem, detail: impl Into<String>) -> Refusal {
        Refusal::Unreadable(Unreadable { name: name.to_owned(), problem, detail: detail.into() })
    }

    /// The same as the reading of `name`.
    pub fn into_reading<T>(self, name: &str) -> Reading<T> {
        match self {
            Refusal::Absent => Reading::Absent { name: name.to_owned() },
            Refusal::Unreadable(unreadable) => Reading::Unreadable(unreadable),
        }
    }
}

impl WorkspaceDir {
    /// Opens the directory of a workspace.
    pub fn open(path: &Path) -> io::Result<WorkspaceDir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        Ok(WorkspaceDir { directory, path: path.to_owned() })
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the regular file `name`.
    pub fn open_file(&self, name: &str, reach: Reach) -> Result<UntrustedFile, Refusal> {
        let asked = Path::new(name);
        let opened = match self.inside(asked) {
            Some(inside) => self.open_below(&inside, OFlags::empty()),
            None if asked.is_absolute() && reach == Reach::Named => {
                rustix::fs::openat(CWD, asked, FLAGS, Mode::empty())
            }
            None => {
                let detail = "the path leads out of the workspace";
                return Err(Refusal::because(name, ReadProblem::Refused, detail));
            }
        };
        examined(name, opened.map_err(|errno| refusal_of(name, errno))?)
    }

    /// Opens the directory `path` below the workspace, not through links.
    pub(super) fn open_directory(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        if path.as_os_str().is_empty() {
            return rustix::fs::openat(&self.directory, ".", FLAGS | OFlags::DIRECTORY, Mode::empty());
        }
        self.open_below(path, OFlags::DIRECTORY)
    }

    /// The path from the workspace, if `asked` is one that stays inside.
    pub(super) fn inside(&self, asked: &Path) -> Option<PathBuf> {
        let relative = if asked.is_absolute() { asked.strip_prefix(&self.path).ok()? } else { asked };
        let mut inside = PathBuf::new();
        for component in relative.components() {
            match component {
                Component::Normal(part) => inside.push(part),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        (!inside.as_os_str().is_empty()).then_some(inside)
    }

    #[cfg(target_os = "linux")]
    fn open_below(&self, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.directory, path, FLAGS | more, Mode::empty(), resolve) {
            // Kernels before 5.6 do not have it, and sandboxes forbid what they do not know.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => self.open_by_component(path, more),
            opened => opened,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_below(&self, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
        self.open_by_component(path, more)
    }

    /// Opens one directory after the other, none of them a link.
    fn open_by_component(&self, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
        let mut parts: Vec<_> = path.components().collect();
        let last = parts.pop().ok_or(Errno::NOENT)?;
        let mut held: Option<OwnedFd> = None;
        for part in parts {
            let next = {
                let directory = held.as_ref().unwrap_or(&self.directory);
                rustix::fs::openat(directory, part.as_os_str(), FLAGS | OFlags::DIRECTORY, Mode::empty())
            };
            held = Some(match next {
                Ok(next) => next,
                Err(Errno::NOTDIR) => return Err(self.link_or_file(held.as_ref(), part.as_os_str())),
                Err(errno) => return Err(errno),
            });
        }
        let directory = held.as_ref().unwrap_or(&self.directory);
        rustix::fs::openat(directory, last.as_os_str(), FLAGS | more, Mode::empty())
    }

    /// With both flags set, a link in place of a directory is told as "not a directory".
    fn link_or_file(&self, held: Option<&OwnedFd>, name: &std::ffi::OsStr) -> Errno {
        let directory = held.unwrap_or(&self.directory);
        let found = rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        match found {
            Ok(stat) if rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink() => Errno::LOOP,
            Ok(_) | Err(_) => Errno::NOTDIR,
        }
    }
}

/// Refuses what is no regular file or was put there by somebody else under a second name.
fn examined(name: &str, opened: OwnedFd) -> Result<UntrustedFile, Refusal> {
    let file = File::from(opened);
    let metadata = file.metadata().map_err(|error| io_refusal(name, &error))?;
    if !metadata.is_file() {
        let detail = format!("{} stands where a file should be", kind_of(metadata.file_type()));
        return Err(Refusal::because(name, ReadProblem::NotAFile, detail));
    }
    if metadata.nlink() > 1 && metadata.uid() != rustix::process::geteuid().as_raw() {
        let detail = "it belongs to another user and has a second name (a hard link)";
        return Err(Refusal::because(name, ReadProblem::Refused, detail));
    }
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let modified_nanos = nanos(metadata.mtime(), metadata.mtime_nsec());
    let millis = i64::try_from(modified_nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX);
    Ok(UntrustedFile {
        file,
        name: name.to_owned(),
        size: metadata.len(),
        written_at: Timestamp(millis),
        identity: FileIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified_nanos,
            changed_nanos: nanos(metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.len(),
        },
    })
}

fn kind_of(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

fn refusal_of(name: &str, errno: Errno) -> Refusal {
    match errno {
        Errno::NOENT | Errno::NOTDIR => Refusal::Absent,
        Errno::LOOP => {
            let detail =
                "it is a symbolic link, or a directory on the way to it is one; links are not followed";
            Refusal::because(name, ReadProblem::Link, detail)
        }
        Errno::XDEV => Refusal::because(name, ReadProblem::Refused, "the path leads out of the workspace"),
        Errno::ACCESS | Errno::PERM => {
            Refusal::because(name, ReadProblem::Refused, "no permission to read it")
        }
        Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => {
            let detail = "a socket or a device stands where a file should be";
            Refusal::because(name, ReadProblem::NotAFile, detail)
        }
        other => io_refusal(name, &io::Error::from(other)),
    }
}

fn io_refusal(name: &str, error: &io::Error) -> Refusal {
    Refusal::because(name, ReadProblem::Io, error.to_string())
}

impl UntrustedFile {
    /// The whole content, if it is no longer than `cap` bytes. A file that grows meanwhile is not read
    /// past the cap.
    pub fn read_whole(&self, cap: u64) -> Result<Vec<u8>, Refusal> {
        let too_large = || {
            let detail = format!("it is longer than {cap} bytes and was not read");
            Refusal::because(&self.name, ReadProblem::TooLarge, detail)
        };
        if self.size > cap {
            return Err(too_large());
        }
        let bytes = self.read_range(0, cap.saturating_add(1).min(self.size.saturating_add(64 << 10)))?;
        if bytes.len() as u64 > cap { Err(too_large()) } else { Ok(bytes) }
    }

    /// At most `length` bytes from `start`; fewer at the end of the file.
    pub fn read_range(&self, start: u64, length: u64) -> Result<Vec<u8>, Refusal> {
        let mut bytes = Vec::new();
        // One byte more than there should be, so that one read sees the end of a file that stays as it is.
        let expected = self.size.saturating_sub(start).saturating_add(1).min(length);
        let mut piece = vec![0; usize::try_from(expected.clamp(1, 256 << 10)).unwrap_or(1)];
        while (bytes.len() as u64) < length {
            let left = usize::try_from(length - bytes.len() as u64).unwrap_or(usize::MAX).min(piece.len());
            match self.file.read_at(&mut piece[..left], start + bytes.len() as u64) {
                Ok(0) => break,
                Ok(n) => bytes.extend_from_slice(&piece[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_refusal(&self.name, &error)),
            }
        }
        Ok(bytes)
    }

    /// The open file, for a reader that streams.
    pub(super) fn as_file(&self) -> &File {
        &self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems without `openat2` take the other way; it has to come to the same answers.
    #[test]
    fn both_ways_of_opening_agree() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::fs::write(top.join("a/b/file"), "x").unwrap();
        std::os::unix::fs::symlink("a", top.join("link")).unwrap();
        std::os::unix::fs::symlink("file", top.join("a/b/last")).unwrap();
        let directory = WorkspaceDir::open(&top).unwrap();
        let cases = [
            ("a/b/file", None),
            ("a/b/none", Some(Errno::NOENT)),
            ("a/none/file", Some(Errno::NOENT)),
            ("a/b/file/below", Some(Errno::NOTDIR)),
            ("link/b/file", Some(Errno::LOOP)),
            ("a/b/last", Some(Errno::LOOP)),
        ];
        for (name, errno) in cases {
            let path = Path::new(name);
            assert_eq!(directory.open_below(path, OFlags::empty()).err(), errno, "{name}");
            assert_eq!(directory.open_by_component(path, OFlags::empty()).err(), errno, "{name}");
        }
    }
}
