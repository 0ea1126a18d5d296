//! Opens regular files by a path whose folders are trusted, and reads them up to a size limit.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
#[cfg(target_os = "linux")]
use std::path::Component;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::model::{ReadProblem, Timestamp};

/// The flags of every `open`: it does not wait, the file cannot become the controlling terminal, and
/// nothing is inherited.
pub(super) const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens the regular file at `path` for reading. Links in its parent folders are followed; the file itself
/// must not be one.
///
/// # Errors
/// Any I/O error. [`file_problem`] maps it to [`ReadProblem::Link`] for a link; for anything else that is
/// not a regular file, [`thing_in_the_way`] says what it is.
pub fn open(path: &Path) -> io::Result<File> {
    Ok(open_seen(path)?.0)
}

/// Like [`open`], with the file's length in bytes.
///
/// # Errors
/// As [`open`].
pub fn open_sized(path: &Path) -> io::Result<(File, u64)> {
    open_seen(path).map(sized)
}

/// Like [`open`], with the file's metadata, which are looked at anyway.
///
/// # Errors
/// As [`open`].
pub fn open_seen(path: &Path) -> io::Result<(File, Metadata)> {
    regular(rustix::fs::openat(CWD, path, FLAGS | OFlags::NOFOLLOW, Mode::empty()))
}

/// The file with its length.
pub(super) fn sized((file, metadata): (File, Metadata)) -> (File, u64) {
    let length = metadata.len();
    (file, length)
}

/// Like [`open`], for a file that may be a symbolic link: the user's own, or one that its program follows
/// too.
///
/// # Errors
/// As [`open`].
pub fn open_linked(path: &Path) -> io::Result<File> {
    Ok(open_linked_sized(path)?.0)
}

fn open_linked_sized(path: &Path) -> io::Result<(File, u64)> {
    regular(rustix::fs::openat(CWD, path, FLAGS, Mode::empty())).map(sized)
}

/// Refuses anything but a regular file; gives its metadata, too.
pub(super) fn regular(opened: rustix::io::Result<OwnedFd>) -> io::Result<(File, Metadata)> {
    let file = match opened {
        Err(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP) => return Err(not_a_file("a socket or a device")),
        opened => File::from(opened?),
    };
    let metadata = file.metadata()?;
    let kind = match FileType::from_raw_mode(metadata.mode()) {
        FileType::RegularFile => return Ok((file, metadata)),
        FileType::Directory => "a directory",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::Symlink => "a symbolic link",
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => "a device",
    };
    Err(not_a_file(kind))
}

/// Refuses anything but a regular file of this user; what stands there instead, [`thing_in_the_way`] says.
pub(super) fn own(opened: rustix::io::Result<OwnedFd>) -> io::Result<File> {
    let kind = match opened {
        Err(Errno::ISDIR) => "a directory",
        Err(Errno::LOOP) => "a symbolic link",
        opened => match regular(opened)? {
            (file, metadata) if metadata.uid() == rustix::process::geteuid().as_raw() => return Ok(file),
            _ => "a file of another user",
        },
    };
    Err(not_a_file(kind))
}

/// Something other than a regular file was found.
#[derive(Debug, thiserror::Error)]
#[error("{0} stands where a file should be")]
struct NotAFile(&'static str);

fn not_a_file(kind: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, NotAFile(kind))
}

/// What [`open`] found instead of a regular file, in words; `None` for any other failure.
pub fn thing_in_the_way(error: &io::Error) -> Option<&'static str> {
    error.get_ref()?.downcast_ref::<NotAFile>().map(|thing| thing.0)
}

/// Classifies a failed open or read.
pub fn file_problem(error: &io::Error) -> ReadProblem {
    let (errno, kind) = (Errno::from_io_error(error), error.kind());
    if errno == Some(Errno::LOOP) {
        ReadProblem::Link
    } else if errno == Some(Errno::XDEV) || kind == io::ErrorKind::PermissionDenied {
        ReadProblem::Refused
    } else if kind == io::ErrorKind::InvalidInput {
        ReadProblem::NotAFile
    } else if kind == io::ErrorKind::FileTooLarge {
        ReadProblem::TooLarge
    } else {
        ReadProblem::Io
    }
}

/// Turns "not found" into `None`.
///
/// # Errors
/// Every other failure.
pub fn existing<T>(opened: io::Result<T>) -> io::Result<Option<T>> {
    match opened {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads a regular file of at most `cap` bytes that is not a link. `None` if it does not exist.
///
/// # Errors
/// As [`open`], and if the file is longer than `cap`.
pub fn read(path: &Path, cap: u64) -> io::Result<Option<Vec<u8>>> {
    existing(open_sized(path))?.map(|file| read_whole(&file, cap)).transpose()
}

/// Like [`read`], for a file that may be a symbolic link.
///
/// # Errors
/// As [`read`].
pub fn read_linked(path: &Path, cap: u64) -> io::Result<Option<Vec<u8>>> {
    existing(open_linked_sized(path))?.map(|file| read_whole(&file, cap)).transpose()
}

pub(super) fn read_whole((file, length): &(File, u64), cap: u64) -> io::Result<Vec<u8>> {
    let content = read_sized(file, *length, cap.saturating_add(1))?;
    if content.len() as u64 > cap {
        let message = format!("it is longer than {cap} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(content)
}

/// Files up to this size, in bytes, are read without asking for their length.
const SHORT: usize = 4 << 10;

/// Reads up to `cap` bytes from the file's current position.
///
/// # Errors
/// Any I/O error.
pub fn read_start(file: &File, cap: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(usize::try_from(cap).unwrap_or(SHORT).min(SHORT));
    file.take(SHORT as u64).take(cap).read_to_end(&mut content)?;
    if content.len() == SHORT {
        let rest = cap.saturating_sub(SHORT as u64);
        let length = file.metadata()?.len().saturating_sub(SHORT as u64).min(rest);
        content.reserve_exact(usize::try_from(length).unwrap_or(0).saturating_add(1));
        file.take(rest).read_to_end(&mut content)?;
    }
    Ok(content)
}

/// Reads up to `cap` bytes of a file that had `length` bytes when it was opened. What was appended since is left to
/// the next look, so the end need not be searched.
///
/// # Errors
/// Any I/O error.
pub fn read_sized(file: &File, length: u64, cap: u64) -> io::Result<Vec<u8>> {
    // Some file systems tell no length.
    if length == 0 { read_start(file, cap) } else { read_range(file, 0, length.min(cap)) }
}

/// The path of an existing file or folder without links, `.` and `..`. Equivalent to
/// [`std::fs::canonicalize`], but without a system call per parent folder.
///
/// # Errors
/// Any I/O error.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        // Most paths are resolved already. Where the call is refused, a link may be the reason or not.
        if is_plain(path)
            && rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
        {
            return Ok(path.to_owned());
        }
        let opened = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        let link = format!("/proc/self/fd/{}", opened.as_raw_fd());
        // Without `/proc`, or for a folder that is outside this process's view or was just deleted, resolve
        // step by step.
        if let Ok(resolved) = std::fs::read_link(link)
            && resolved.is_absolute()
            && !resolved.as_os_str().as_bytes().ends_with(b" (deleted)")
        {
            return Ok(resolved);
        }
    }
    std::fs::canonicalize(path)
}

/// Whether a path is absolute and written without `.`, `..` or a slash too many.
#[cfg(target_os = "linux")]
fn is_plain(path: &Path) -> bool {
    let plain: PathBuf =
        path.components().filter(|part| matches!(part, Component::RootDir | Component::Normal(_))).collect();
    path.is_absolute() && plain.as_os_str() == path.as_os_str()
}

/// Reads the last `cap` bytes of a file, and tells whether that is all of it.
///
/// # Errors
/// Any I/O error.
pub fn read_end(mut file: &File, cap: u64) -> io::Result<(Vec<u8>, bool)> {
    let skipped = file.metadata()?.len().saturating_sub(cap);
    file.seek(SeekFrom::Start(skipped))?;
    Ok((read_start(file, cap)?, skipped == 0))
}

/// Reads the bytes from `start` to `end`; fewer if the file is shorter by now.
///
/// # Errors
/// Any I/O error.
pub fn read_range(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX)];
    let filled = fill(file, start, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}

/// Fills `bytes` from the offset `start`, and returns how many bytes were read.
///
/// # Errors
/// Any I/O error.
pub fn fill(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// When a file was last modified.
pub fn millis(metadata: &Metadata) -> Timestamp {
    Timestamp(metadata.mtime().saturating_mul(1000).saturating_add(metadata.mtime_nsec() / 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_is_opened_and_nothing_waits() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("file"), "content").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        rustix::fs::mknodat(CWD, at("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert_eq!(read(&at("file"), 7).unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(file_problem(&read(&at("file"), 6).unwrap_err()), ReadProblem::TooLarge);
        assert_eq!(file_problem(&open(&at("link")).unwrap_err()), ReadProblem::Link);
        assert_eq!(read_linked(&at("link"), 7).unwrap().as_deref(), Some(&b"content"[..]));
        for open in [open, open_linked] {
            assert_eq!(thing_in_the_way(&open(&at("fifo")).unwrap_err()), Some("a FIFO"));
            assert_eq!(thing_in_the_way(&open(temp.path()).unwrap_err()), Some("a directory"));
        }
        assert_eq!(read(&at("none"), 1).unwrap(), None);
        assert_eq!(read(&at("file/below"), 1).unwrap(), None);
        let file = open(&at("file")).unwrap();
        assert_eq!(read_end(&file, 3).unwrap(), (b"ent".to_vec(), false));
        assert_eq!(read_end(&file, 9).unwrap(), (b"content".to_vec(), true));
        assert_eq!(read_range(&file, 3, 90).unwrap(), b"tent");
        for length in [SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            std::fs::write(at("long"), vec![b'x'; length]).unwrap();
            for cap in [0, 1, length as u64 - 1, length as u64, length as u64 + 1, u64::MAX] {
                let start = read_start(&open(&at("long")).unwrap(), cap).unwrap();
                assert_eq!(start.len() as u64, cap.min(length as u64), "{length} {cap}");
            }
        }
    }

    #[test]
    fn a_path_is_resolved_as_the_system_does_it() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::create_dir_all(at("a/b (deleted)")).unwrap();
        std::fs::write(at("a/file"), "").unwrap();
        for (to, name) in [("a", "link"), ("link/b (deleted)", "far"), ("none", "nowhere"), ("loop", "loop")]
        {
            std::os::unix::fs::symlink(to, at(name)).unwrap();
        }
        for name in [
            "", ".", "a", "a/", "a//file", "a/../a", "a/file", "link", "link/file", "far", "a/b (deleted)/..",
        ] {
            let resolved = resolve(&at(name)).unwrap();
            assert_eq!(resolved, std::fs::canonicalize(at(name)).unwrap(), "{name}");
        }
        for name in ["none", "a/file/below", "nowhere", "loop"] {
            let kind = |resolved: io::Result<PathBuf>| resolved.unwrap_err().kind();
            assert_eq!(kind(resolve(&at(name))), kind(std::fs::canonicalize(at(name))), "{name}");
        }
    }
}
