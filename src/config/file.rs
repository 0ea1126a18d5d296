//! Reads configuration files. The only file of this room that touches the disk.
//!
//! The person's own file may be a link (many keep it in a repository of their own). The file of a
//! workspace is untrusted: no link, nothing but a regular file, and no file that another user owns and
//! that has a second name. No open can hang (`O_NONBLOCK`), and nothing beyond the cap is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::ConfigError;
use super::problem::{Place, Problem, Problems};

/// No configuration is larger than this, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The person's: links are followed; a device such as `/dev/null` is an empty file.
    Person,
    /// A workspace's.
    Workspace,
}

/// The text of the file, `None` if it does not exist.
pub(super) fn read(path: &Path, owner: Owner) -> Result<Option<String>, ConfigError> {
    let unreadable = |source: io::Error| ConfigError::Unreadable { path: path.to_owned(), source };
    let not_a_file = |what| ConfigError::NotAFile { path: path.to_owned(), what };
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if owner == Owner::Workspace {
        flags |= OFlags::NOFOLLOW;
    }
    let descriptor = match open(path, flags, Mode::empty()) {
        Ok(descriptor) => descriptor,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(not_a_file("a symbolic link")),
        Err(rustix::io::Errno::NXIO) => return Err(not_a_file("a socket")),
        Err(errno) => return Err(unreadable(errno.into())),
    };
    let stat = fstat(&descriptor).map_err(|errno| unreadable(errno.into()))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::CharacterDevice if owner == Owner::Person => return Ok(Some(String::new())),
        FileType::Directory => return Err(not_a_file("a directory")),
        FileType::Fifo => return Err(not_a_file("a FIFO")),
        FileType::Socket => return Err(not_a_file("a socket")),
        FileType::Symlink => return Err(not_a_file("a symbolic link")),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            return Err(not_a_file("a device"));
        }
    }
    if owner == Owner::Workspace && stat.st_nlink > 1 && stat.st_uid != rustix::process::getuid().as_raw() {
        return Err(not_a_file("a second name of another user's file"));
    }
    let mut bytes = Vec::new();
    File::from(descriptor).take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(ConfigError::TooLarge { path: path.to_owned(), limit: MAX_FILE });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| not_utf8(path, &error))
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> ConfigError {
    let n_valid = error.utf8_error().valid_up_to();
    let valid = String::from_utf8_lossy(&error.as_bytes()[..n_valid]);
    let mut problems = Problems::default();
    problems.push(Problem {
        source: crate::model::display_text::path(path),
        place: Some(Place::of(&valid, n_valid)),
        key: None,
        what: "is not UTF-8 here".to_owned(),
    });
    ConfigError::Invalid(problems)
}
