//! Why a rescue, an undo or a recovery was not done.
//!
//! It must not carry what could be data: gaps and things left out are part of the result.

use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::model::{ActionClass, ReadProblem, RecordCost, Unreadable};
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
    /// The record would be large: a person is to be asked first, and to say yes with
    /// [`RecordOrder::is_size_allowed`](crate::model::RecordOrder::is_size_allowed).
    #[error("the record would take {} new or changed files of {} bytes; {} bytes are free", .0.n_files, .0.n_bytes, .0.n_free_bytes)]
    Ask(RecordCost),
    /// The record would take more than half of the free space.
    #[error("the record would take {} bytes, more than half of the {} that are free", .0.n_bytes, .0.n_free_bytes)]
    NoRoom(RecordCost),
    /// The work of the record is in no branch, or that cannot be found out: a person is to be asked before
    /// it is forgotten.
    #[error("the work of this record is in no branch; it would be lost")]
    WouldLose,
    /// The repository cannot be written to; the record can still go to closeout's own folder
    /// ([`KeepIn::Vault`](crate::model::KeepIn::Vault)).
    #[error("the repository cannot be written to: {0}")]
    ReadOnly(String),
    /// A person ended it. All is as it was but for what is kept.
    #[error("{}", cancelled(.kept.as_deref()))]
    Cancelled {
        /// The reference of the record that was made before, if one was.
        kept: Option<String>,
    },
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
    /// What is needed of a repository, or a file of closeout's own, could not be read or written.
    #[error("{0}")]
    Failed(String),
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
    /// How an action ends that fails so.
    pub fn class(&self) -> ActionClass {
        match self {
            RescueError::Refused(_)
            | RescueError::Ask(_)
            | RescueError::NoRoom(_)
            | RescueError::WouldLose => ActionClass::Refused,
            RescueError::SavedOnly(_) => ActionClass::SavedOnly,
            RescueError::Busy(_) => ActionClass::Busy,
            RescueError::Untrusted(_) => ActionClass::Untrusted,
            RescueError::Nothing => ActionClass::Nothing,
            RescueError::Damage(_) => ActionClass::Damage,
            RescueError::TimedOut(_) => ActionClass::TimedOut,
            RescueError::Cancelled { .. } => ActionClass::Cancelled,
            RescueError::Git { .. }
            | RescueError::Failed(_)
            | RescueError::Process(_)
            | RescueError::Io { .. }
            | RescueError::ReadOnly(_) => ActionClass::Failed,
        }
    }

    /// The same where this record was made before, and stays.
    pub(super) fn keeping(self, record: &str) -> RescueError {
        if let RescueError::Cancelled { kept: None } = self {
            return RescueError::Cancelled { kept: Some(record.to_owned()) };
        }
        self
    }

    /// The same where nothing but the record was asked for so far: what failed after it is no reason to hide it.
    pub(super) fn with_record_only(self, record: &str) -> RescueError {
        let is_told = matches!(
            self,
            RescueError::TimedOut(_) | RescueError::SavedOnly(_) | RescueError::Cancelled { .. }
        );
        if is_told {
            return self.keeping(record);
        }
        RescueError::SavedOnly(format!("{self}; the record {record} holds the work"))
    }

    /// For `map_err`: what was tried with which file.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> RescueError {
        let path = path.to_owned();
        move |source| RescueError::Io { what, path, source }
    }
}

impl From<Unreadable> for RescueError {
    fn from(unreadable: Unreadable) -> RescueError {
        if unreadable.problem == ReadProblem::Io {
            RescueError::Failed(unreadable.detail)
        } else {
            RescueError::Refused(unreadable.detail)
        }
    }
}

impl From<GitError> for RescueError {
    fn from(error: GitError) -> RescueError {
        let words = error.to_string();
        match error {
            GitError::TimedOut { command, .. } => RescueError::TimedOut(command),
            GitError::Cancelled => RescueError::Cancelled { kept: None },
            GitError::TooLong { command, .. } => RescueError::Git { what: command, words },
            GitError::Failed { command, message } => RescueError::Git { what: command, words: message },
            GitError::Process(error) => RescueError::Process(error),
        }
    }
}

fn cancelled(kept: Option<&str>) -> String {
    match kept {
        Some(record) => format!("ended on request; nothing was committed, and the work is kept in {record}"),
        None => "ended on request; all is as it was".to_owned(),
    }
}
