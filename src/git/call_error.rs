//! Why a call of the git program gave no answer. It must not quote more than git said.

use std::time::Duration;

use super::write_link::WriteLink;
use crate::process::ProcessError;

/// Why git did not respond.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It exceeded its time limit and was ended.
    #[error("git {command} did not answer within {} s", .limit.as_secs_f32())]
    TimedOut {
        /// The command.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// It was ended because the caller cancelled it.
    #[error("git was ended on request")]
    Cancelled,
    /// Its output exceeds the limit.
    #[error("git's answer is longer than {} MiB", .cap >> 20)]
    TooLong {
        /// The command.
        command: String,
        /// The limit in bytes.
        cap: usize,
    },
    /// It failed.
    #[error("git {command} failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// What it wrote to standard error, or how it ended.
        message: String,
    },
    /// It was not run, because it would write through a link.
    #[error("{0}")]
    Linked(WriteLink),
    /// It could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
}
