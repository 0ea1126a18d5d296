//! Opening files of the client. Anything can stand in their place: links, FIFOs, files without end.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::agent::record_tail::read_range;
use crate::model::{ReadProblem, Unreadable};

/// Opens a file of the client: a regular one, not through a link in its own name, and without waiting.
pub(super) fn open_record(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// The content of a file that has at most `most` bytes; `None` for a longer one and for what cannot be
/// read.
pub(super) fn read_small(path: &Path, most: u64) -> Option<Vec<u8>> {
    let file = open_record(path).ok()?;
    let size = file.metadata().ok()?.len();
    if size > most { None } else { read_range(&file, 0, size).ok() }
}

/// Why a file or folder of sessions could not be read.
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
    let detail = format!("the session's record cannot be read: {error}");
    Unreadable { name: path.display().to_string(), problem, detail }
}
