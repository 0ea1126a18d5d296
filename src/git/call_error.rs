//! What a call of the git program gave, or why it gave no answer. It must not quote more than git said.

use std::time::Duration;

use super::write_link::WriteLink;
use crate::model::{CommitId, display_text};
use crate::process::{Output, ProcessError};

/// Why git did not respond.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It hung or exceeded its time limit, and was ended; or calls before it did, and it was not started.
    #[error("{}", timed_out(command, *lost, *whole, cause.as_ref()))]
    TimedOut {
        /// The command.
        command: String,
        /// How long it was waited for in vain. `None` if it was not started.
        lost: Option<Duration>,
        /// What all calls together may lose, if that is used up now.
        whole: Option<Duration>,
        /// What is most likely in its way, in words.
        cause: Option<String>,
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

/// The output of a command that has to succeed.
///
/// # Errors
/// [`GitError::Failed`] with what it wrote to standard error.
pub fn succeeded(command: &str, output: Output) -> Result<Output, GitError> {
    if output.is_success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(GitError::Failed { command: command.to_owned(), message })
}

/// The output of a command that prints one line.
pub fn line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

/// The commit that a command printed.
///
/// # Errors
/// [`GitError::Failed`] if that is no id of one.
pub fn commit_id(command: &str, printed: &str) -> Result<CommitId, GitError> {
    let message = || format!("it printed no id of a commit: {}", display_text::line(printed));
    printed.parse().map_err(|_| GitError::Failed { command: command.to_owned(), message: message() })
}

fn timed_out(
    command: &str,
    lost: Option<Duration>,
    whole: Option<Duration>,
    cause: Option<&String>,
) -> String {
    let together = whole.filter(|whole| !whole.is_zero()).map(|whole| {
        format!(
            "the {:.1} s that all calls together may lose to a git that hangs are used up",
            whole.as_secs_f32()
        )
    });
    let what = match (lost, together) {
        (Some(_), Some(together)) => format!("git {command} did not answer and was ended: {together}"),
        (Some(lost), None) => {
            format!("git {command} did not answer within {:.1} s and was ended", lost.as_secs_f32())
        }
        (None, Some(together)) => format!("git {command} was not started: {together}"),
        (None, None) => format!("git {command} was not started, since git hung too often before"),
    };
    match cause {
        Some(cause) => format!("{what}; {cause}"),
        None => what,
    }
}
