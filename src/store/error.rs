//! Why something cannot be stored.

use std::io;
use std::path::PathBuf;

use crate::disk;
use crate::disk::write::NotOwn;
use crate::model::{ReadProblem, display_text};

/// Why something cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused: disk full, read-only file system, no permission, …
    #[error("cannot {what} {}: {source}", display_text::path(path))]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder belongs to another user.
    #[error("the state folder {} belongs to another user (id {owner})", display_text::path(path))]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
    },
    /// Something else is in the place of a folder or file.
    #[error("{} is not {expected}", display_text::path(path))]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// The required kind.
        expected: &'static str,
    },
    /// A link is where an agent could have put it.
    #[error("{} is a symbolic link, and in a project it is not followed", display_text::path(path))]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Another closeout holds the lock and did not release it in time.
    #[error("another closeout is writing to {}", display_text::path(path))]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// A newer closeout wrote the record. Rewriting it would lose what this version does not know.
    #[error("{} was written by a newer closeout (version {version})", display_text::path(path))]
    Newer {
        /// The record.
        path: PathBuf,
        /// The version of the record's format.
        version: u32,
    },
    /// The record cannot be serialised.
    #[error("cannot write down {}: {source}", display_text::path(path))]
    Unwritable {
        /// The record.
        path: PathBuf,
        /// The error.
        source: serde_json::Error,
    },
    /// The log of this process was started before.
    #[error("the log has been started already")]
    LogStarted,
}

impl StoreError {
    /// Whether nothing at all can be written where it was to be stored.
    pub fn is_read_only(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, StoreError::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
    }

    /// Whether something of another kind stands in the place of a file or folder.
    pub fn is_in_the_way(&self) -> bool {
        use io::ErrorKind::{IsADirectory, NotADirectory};
        match self {
            StoreError::WrongKind { .. } | StoreError::Link { .. } => true,
            StoreError::Io { source, .. } => {
                disk::thing_in_the_way(source).is_some()
                    || matches!(source.kind(), IsADirectory | NotADirectory)
                    || disk::file_problem(source) == ReadProblem::Link
            }
            StoreError::Foreign { .. }
            | StoreError::Busy { .. }
            | StoreError::Newer { .. }
            | StoreError::Unwritable { .. }
            | StoreError::LogStarted => false,
        }
    }

    /// For `map_err`: the failure of attempting `what` at `path`.
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.into();
        move |source| StoreError::Io { what, path, source }
    }
}

impl From<NotOwn> for StoreError {
    fn from(refused: NotOwn) -> StoreError {
        match refused {
            NotOwn::Foreign { path, owner } => StoreError::Foreign { path, owner },
            NotOwn::InTheWay { path } => {
                StoreError::WrongKind { path, expected: "a folder, or is a link to one" }
            }
            NotOwn::Io { what, path, source } => StoreError::Io { what, path, source },
        }
    }
}
