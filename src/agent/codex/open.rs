//! Opening the client's files: regular ones only, and never waiting for one. Nothing is read here.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::model::{ReadProblem, Timestamp, Unreadable};

/// Opens a regular file, not through a link in its own name, and without waiting.
pub(super) fn open_record(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// What is told of a file or folder that could not be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    let problem = if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        ReadProblem::Link
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        ReadProblem::Refused
    } else if error.kind() == io::ErrorKind::InvalidInput {
        ReadProblem::NotAFile
    } else {
        ReadProblem::Io
    };
    let detail = format!("the sessions' records cannot be read: {error}");
    Unreadable { name: path.display().to_string(), problem, detail }
}

/// When a file last changed.
pub(super) fn modified_at(metadata: &Metadata) -> Option<Timestamp> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_millis()).ok().map(Timestamp)
}
