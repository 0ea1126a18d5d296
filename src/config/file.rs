//! Reads configuration files. No other file of this room touches the disk.
//!
//! The user's own file may be a symbolic link (many keep theirs in a repository). A workspace's file is
//! untrusted: links and everything but regular files are refused, and so is a file that another user owns
//! and that has a second hard link. No open can hang, and nothing beyond the size limit is read.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::ConfigError;
use super::problem::{Place, Problem, Problems};
use crate::disk;
use crate::model::ReadProblem;

/// The largest configuration file read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The user's: links are followed; a device such as `/dev/null` counts as an empty file.
    Person,
    /// A workspace's.
    Workspace,
}

/// The text of the file; `None` if it does not exist.
pub(super) fn read(path: &Path, owner: Owner) -> Result<Option<String>, ConfigError> {
    let unreadable = |source: io::Error| ConfigError::Unreadable { path: path.to_owned(), source };
    let not_a_file = |what| ConfigError::NotAFile { path: path.to_owned(), what };
    let opened = match owner {
        Owner::Person => disk::open_linked(path),
        Owner::Workspace => disk::open(path),
    };
    let file = match disk::existing(opened) {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(None),
        Err(error) => {
            return match disk::thing_in_the_way(&error) {
                Some("a device") if owner == Owner::Person => Ok(Some(String::new())),
                Some(thing) => Err(not_a_file(thing)),
                None if disk::file_problem(&error) == ReadProblem::Link => Err(not_a_file("a symbolic link")),
                None => Err(unreadable(error)),
            };
        }
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if owner == Owner::Workspace
        && metadata.nlink() > 1
        && metadata.uid() != rustix::process::getuid().as_raw()
    {
        return Err(not_a_file("a second name of another user's file"));
    }
    let bytes = disk::read_start(&file, MAX_FILE + 1).map_err(unreadable)?;
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
