//! Why a rescue, an undo or a recovery failed.
//!
//! It must not carry anything that could be returned as data, like gaps and left-out paths. Only a restore that ends in the
//! middle has no other way to say which files it wrote.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::git::{GitError, WriteLink};
use crate::model::quantity::size;
use crate::model::{ActionClass, ReadProblem, RecordCost, Restored, Unreadable, display_text};
use crate::process::ProcessError;

/// The most characters of git's words that stand as the reason of something else.
const LONGEST_REASON: usize = 500;

/// Why a record is not forgotten without a yes to the loss.
const IN_NO_BRANCH: &str = "the work of this record is in no branch; it would be lost";
/// The same where that is not certain.
const PERHAPS_IN_NONE: &str =
    "closeout cannot be certain that the work of this record is in a branch; it could be lost";

/// Why nothing was done. A record made before the failure is kept.
#[derive(Debug, thiserror::Error)]
pub enum RescueError {
    /// Refused; nothing changed. The text names the way out.
    #[error("{0}")]
    Refused(String),
    /// The record is saved but the visible commit is not made. The text says why.
    #[error("{0}")]
    SavedOnly(String),
    /// Someone else holds a lock: git, or another rescue.
    #[error("{0}")]
    Busy(String),
    /// An untrusted program would run. The text names it.
    #[error("{0}")]
    Untrusted(String),
    /// There is nothing to do.
    #[error("there is nothing to do")]
    Nothing,
    /// A check failed. Nothing is deleted.
    #[error("a check failed: {0}")]
    Damage(String),
    /// The record would be large. Ask a person, then allow it with
    /// [`RecordOrder::is_size_allowed`](crate::model::RecordOrder::is_size_allowed).
    #[error("the record would take {} new or changed files of {}; {} are free", .0.n_files, size(.0.n_bytes), size(.0.n_free_bytes))]
    Ask(RecordCost),
    /// The record would take more than half of the free space.
    #[error(
        "the record would take {}, more than half of the {} that are free; the largest file is {} ({})",
        size(.cost.n_bytes), size(.cost.n_free_bytes), display_text::bytes(&.largest.1), size(.largest.0)
    )]
    NoRoom {
        /// What it would take, and what there is.
        cost: RecordCost,
        /// The size in bytes and the path of the largest file in it.
        largest: (u64, Vec<u8>),
    },
    /// The record's work is in no branch, or that cannot be determined. Ask a person before forgetting it.
    #[error("{}", if *is_known { IN_NO_BRANCH } else { PERHAPS_IN_NONE })]
    WouldLose {
        /// Whether it is known to be in no branch.
        is_known: bool,
    },
    /// The repository is not writable. The record can still be kept in closeout's own folder
    /// ([`KeepIn::Vault`](crate::model::KeepIn::Vault)).
    #[error("the repository cannot be written to: {0}")]
    ReadOnly(String),
    /// Git cannot use the repository at all. The text says why.
    #[error("the repository cannot be used: {0}")]
    Unusable(String),
    /// A link is on the way to what would be written; nothing was written through it.
    #[error("{0}; closeout writes nothing through a link: put a copy in its place, or use git itself")]
    Linked(WriteLink),
    /// A person cancelled it. Everything is as before except what is kept.
    #[error("ended on request; all is as it was")]
    Cancelled,
    /// Git hung or exceeded its time limit, and was ended. The text says where.
    #[error("{0}")]
    TimedOut(String),
    /// Git failed.
    #[error("git {what} failed: {}", if words.is_empty() { "it does not say why" } else { words })]
    Git {
        /// The git command.
        what: String,
        /// What git wrote to stderr.
        words: String,
    },
    /// Something that is needed from the repository, or one of closeout's own files, could not be read or
    /// written.
    #[error("{0}")]
    Failed(String),
    /// The journal does not know the record of a plan: it may have been deleted.
    #[error("the journal does not know this record")]
    UnknownRecord,
    /// It failed after the work was recorded, when no commit was asked for yet. The record is kept.
    #[error("{}", .error.message())]
    Kept {
        /// Why it failed.
        error: Box<RescueError>,
        /// The reference of the record.
        record: String,
    },
    /// It failed when a part of what was asked was done already. The text says which.
    #[error("{}; {part}", label_in_part(.error))]
    InPart {
        /// Why it failed.
        error: Box<RescueError>,
        /// What is done.
        part: String,
        /// The files, if it was a restore.
        restored: Option<Box<Restored>>,
    },
    /// Git could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A file could not be read or written.
    #[error("cannot {what} {path:?}")]
    Io {
        /// The attempted operation.
        what: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl RescueError {
    /// The class of an action that fails with this error.
    pub fn class(&self) -> ActionClass {
        match self {
            RescueError::Refused(_)
            | RescueError::Linked(_)
            | RescueError::Ask(_)
            | RescueError::NoRoom { .. }
            | RescueError::UnknownRecord
            | RescueError::WouldLose { .. } => ActionClass::Refused,
            RescueError::Kept { error, .. }
                if matches!(**error, RescueError::TimedOut(_) | RescueError::Cancelled) =>
            {
                error.class()
            }
            // A later failure must not hide the record.
            RescueError::SavedOnly(_) | RescueError::Kept { .. } => ActionClass::SavedOnly,
            RescueError::Busy(_) => ActionClass::Busy,
            RescueError::Untrusted(_) => ActionClass::Untrusted,
            RescueError::Nothing => ActionClass::Nothing,
            RescueError::Damage(_) => ActionClass::Damage,
            RescueError::TimedOut(_) => ActionClass::TimedOut,
            RescueError::Cancelled => ActionClass::Cancelled,
            // What was cancelled left all as it was, unless a part is done.
            RescueError::InPart { error, .. } if error.class() == ActionClass::Cancelled => {
                ActionClass::Failed
            }
            RescueError::InPart { error, .. } => error.class(),
            RescueError::Git { .. }
            | RescueError::Unusable(_)
            | RescueError::Failed(_)
            | RescueError::Process(_)
            | RescueError::Io { .. }
            | RescueError::ReadOnly(_) => ActionClass::Failed,
        }
    }

    /// Whether a file or folder could not be used because something of another kind stands in its place.
    pub fn is_in_the_way(&self) -> bool {
        use std::io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
        let RescueError::Io { source, .. } = self.cause() else { return false };
        disk::thing_in_the_way(source).is_some()
            || matches!(source.kind(), AlreadyExists | IsADirectory | NotADirectory)
            || disk::file_problem(source) == ReadProblem::Link
    }

    /// Whether it is that nothing can be written where closeout keeps its own files.
    pub(crate) fn is_write_refused(&self) -> bool {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, RescueError::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
    }

    /// Why the repository cannot be used for what was tried, if that is what made it fail: without it, it may succeed.
    pub(crate) fn of_repository(&self) -> Option<String> {
        if let RescueError::Unusable(reason) = self {
            return Some(reason.clone());
        }
        matches!(self, RescueError::Damage(_) | RescueError::Git { .. }).then(|| {
            let (text, mut lines) = (self.to_string(), Vec::new());
            for line in text.lines() {
                // Git says the same for each object.
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
            display_text::shorten(&display_text::one_spaced(&lines.join(" ")), LONGEST_REASON).into_owned()
        })
    }

    /// Whether git itself gave up on something that it read, and was not ended.
    pub(crate) fn is_fatal_to_git(&self) -> bool {
        matches!(self, RescueError::Git { words, .. } if words.starts_with("fatal: "))
    }

    /// Why it failed, whether or not the work was recorded or another part was done.
    pub fn cause(&self) -> &RescueError {
        if let RescueError::Kept { error, .. } | RescueError::InPart { error, .. } = self {
            error.cause()
        } else {
            self
        }
    }

    /// The record that was already made when it failed. Whoever had a plan carried out knows that of the plan.
    pub fn kept(&self) -> Option<&str> {
        if let RescueError::Kept { record, .. } = self { Some(record) } else { None }
    }

    /// The same error with the record that was already made and is kept.
    pub(crate) fn keeping(self, record: &str) -> RescueError {
        RescueError::Kept { error: Box::new(self), record: record.to_owned() }
    }

    /// The same error of an action that did a part of what was asked, which the words tell.
    pub(crate) fn in_the_middle(self, part: String) -> RescueError {
        RescueError::InPart { error: Box::new(self), part, restored: None }
    }

    /// The same error of a restore that wrote a part of the files.
    pub(crate) fn restoring(self, part: String, restored: Restored) -> RescueError {
        RescueError::InPart { error: Box::new(self), part, restored: Some(Box::new(restored)) }
    }

    /// What a restore that failed has written.
    pub fn restored(&self) -> Option<&Restored> {
        if let RescueError::InPart { restored, .. } = self { restored.as_deref() } else { None }
    }

    /// What it says, with the words of the system.
    pub(crate) fn message(&self) -> String {
        let source = std::error::Error::source(self).map(|source| format!(": {source}"));
        format!("{self}{}", source.unwrap_or_default())
    }

    /// For `map_err`: an [`Io`](RescueError::Io) error with the attempted operation and the path.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> RescueError {
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

impl From<WriteLink> for RescueError {
    fn from(link: WriteLink) -> RescueError {
        RescueError::Linked(link)
    }
}

impl From<GitError> for RescueError {
    fn from(error: GitError) -> RescueError {
        let words = error.to_string();
        match error {
            GitError::TimedOut { .. } | GitError::Process(ProcessError::Stays { .. }) => {
                RescueError::TimedOut(words)
            }
            GitError::Cancelled => RescueError::Cancelled,
            GitError::TooLong { command, .. } => RescueError::Git { what: command, words },
            GitError::Failed { command, message } => RescueError::Git { what: command, words: message },
            GitError::Linked(link) => RescueError::Linked(link),
            GitError::Process(error) => RescueError::Process(error),
        }
    }
}

/// What git told, or nothing if that fails. If git was ended first, nothing is known of it.
pub(crate) fn if_answered<T>(read: Result<T, RescueError>) -> Result<Option<T>, RescueError> {
    match read {
        Err(error @ (RescueError::TimedOut(_) | RescueError::Cancelled)) => Err(error),
        read => Ok(read.ok()),
    }
}

/// What an error says where a part was done.
fn label_in_part(error: &RescueError) -> String {
    if matches!(error, RescueError::Cancelled) { "ended on request".to_owned() } else { error.message() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_nothing_ends_is_one_that_hangs() {
        let stays = ProcessError::Stays { program: "/usr/bin/git".into(), pid: 7 };
        let error = RescueError::from(GitError::from(stays));
        assert!(matches!(&error, RescueError::TimedOut(words) if words.contains("process 7")), "{error:?}");
    }
}
