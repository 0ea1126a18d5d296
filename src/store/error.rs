//! Why something cannot be remembered.

use std::io;
use std::path::PathBuf;

use crate::model::display_text;

/// Why something cannot be remembered.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused: a full disk, a read-only file system, no permission, …
    #[error("cannot {what} {}: {source}", display_text::path(path))]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder belongs to another user.
    #[error("the state folder {} belongs to another user (id {owner})", display_text::path(path))]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Something else stands in the place of a folder or file.
    #[error("{} is not {expected}", display_text::path(path))]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// Another closeout holds the lock and did not let go in time.
    #[error("another closeout is writing to {}", display_text::path(path))]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// A newer closeout wrote the record; this one would lose what it does not know.
    #[error("{} was written by a newer closeout (version {version})", display_text::path(path))]
    Newer {
        /// The record.
        path: PathBuf,
        /// The version of its format.
        version: u32,
    },
    /// The record cannot be put into words.
    #[error("cannot write down {}: {source}", display_text::path(path))]
    Unwritable {
        /// The record.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The log was started before, in this process.
    #[error("the log has been started already")]
    LogStarted,
}

impl StoreError {
    /// For `map_err`: the failure of `what` at `path`.
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.into();
        move |source| StoreError::Io { what, path, source }
    }
}
