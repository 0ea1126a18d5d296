//! Why a rescue, an undo or a recovery was not done.
//!
//! It must not carry what could be data: gaps and things left out are part of the result.

use std::path::{Path, PathBuf};

use crate::model::ActClass;
use crate::process::ProcessError;

/// Why nothing was done. Whatever was recorded before stays.
#[derive(Debug, thiserror::Error)]
pub enum RescueError {
    /// Not done, nothing changed; the words name the way out.
    #[error("{0}")]
    Refused(String),
    /// The record is saved, the visible commit is not made; the words say why.
    #[error("{0}")]
    SavedOnly(String),
    /// Somebody else is at it: a lock of git's or of another rescue.
    #[error("{0}")]
    Busy(String),
    /// A program would run that nobody trusts. The words name it.
    #[error("{0}")]
    Untrusted(String),
    /// There is nothing to do.
    #[error("there is nothing to do")]
    Nothing,
    /// A check failed; nothing is deleted.
    #[error("a check failed: {0}")]
    Damage(String),
    /// Git did not end in its time and was ended.
    #[error("git {0} did not answer in time")]
    TimedOut(String),
    /// Git failed.
    #[error("git {what} failed: {words}")]
    Git {
        /// The command.
        what: String,
        /// What it wrote to its error output.
        words: String,
    },
    /// Git could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A file could not be read or written.
    #[error("cannot {what} {path:?}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl RescueError {
    /// How an act ends that fails so.
    pub fn class(&self) -> ActClass {
        match self {
            RescueError::Refused(_) => ActClass::Refused,
            RescueError::SavedOnly(_) => ActClass::SavedOnly,
            RescueError::Busy(_) => ActClass::Busy,
            RescueError::Untrusted(_) => ActClass::Untrusted,
            RescueError::Nothing => ActClass::Nothing,
            RescueError::Damage(_) => ActClass::Damage,
            RescueError::TimedOut(_) => ActClass::TimedOut,
            RescueError::Git { .. } | RescueError::Process(_) | RescueError::Io { .. } => ActClass::Failed,
        }
    }

    /// For `map_err`: what was tried with which file.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> RescueError {
        let path = path.to_owned();
        move |source| RescueError::Io { what, path, source }
    }
}
