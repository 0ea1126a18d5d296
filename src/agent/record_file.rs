//! Opening the files that agents write. They may be hostile: only a regular file is opened, not through a
//! link in its own name, and without waiting. It knows nothing of what a file means.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::record_tail::read_range;
use crate::model::{ReadProblem, Timestamp, Unreadable};

/// Opens a regular file.
pub(super) fn open_record(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// The whole of a file of at most `longest` bytes.
pub(super) fn read_small(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open_record(path)?;
    let size = file.metadata()?.len();
    if size > longest {
        let what = format!("it is longer than {longest} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    read_range(&file, 0, size)
}

/// When a file last changed.
pub(super) fn modified_at(metadata: &Metadata) -> Timestamp {
    let millis = metadata.mtime().saturating_mul(1000).saturating_add(metadata.mtime_nsec() / 1_000_000);
    Timestamp(millis)
}

/// What is said of a file or folder that is there and cannot be read.
pub(super) fn unreadable(path: &Path, what: &str, error: &io::Error) -> Unreadable {
    let problem = if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        ReadProblem::Link
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        ReadProblem::Refused
    } else if error.kind() == io::ErrorKind::InvalidInput {
        ReadProblem::NotAFile
    } else if error.kind() == io::ErrorKind::InvalidData {
        ReadProblem::TooLarge
    } else {
        ReadProblem::Io
    };
    let detail = format!("{what} cannot be read: {error}");
    Unreadable { name: path.display().to_string(), problem, detail }
}
