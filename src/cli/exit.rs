//! Exit codes and last words. The codes are a contract: README.md documents them.

use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::model::{ActClass, VerdictState, display_text};

use super::output;

/// How a run ended that did what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// 0: done; for a check, complete.
    Done,
    /// 1: the check's verdict is another one than complete.
    NotComplete,
    /// 3: the verdict is ERROR: the evidence could not be read, or the run failed.
    Unjudged,
    /// An act ended so; each class has its code.
    Act(ActClass),
    /// 128 and the number of the signal that ended the program.
    Signalled(u8),
}

impl Outcome {
    /// The outcome of a check with this verdict.
    pub(super) fn of(state: VerdictState) -> Outcome {
        match state {
            VerdictState::Complete => Outcome::Done,
            VerdictState::Error => Outcome::Unjudged,
            VerdictState::AwaitingResponse
            | VerdictState::RescueNeeded
            | VerdictState::Incomplete
            | VerdictState::Waiting
            | VerdictState::Working
            | VerdictState::Stalled => Outcome::NotComplete,
        }
    }

    /// The exit code.
    pub(super) fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::NotComplete => 1,
            Outcome::Unjudged => 3,
            Outcome::Act(class) => class.exit_code(),
            Outcome::Signalled(signal) => 128 + signal,
        }
    }
}

/// Why a run could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// 2: the arguments do not fit together, or not to where the program runs.
    #[error("{0}")]
    Usage(String),
    /// 4: what was to be looked at is not there, or is no workspace.
    #[error("{0}")]
    NoWorkspace(String),
    /// 5: the configuration.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// 5: the settings of an agent cannot be changed.
    #[error("{0}")]
    Settings(String),
    /// 6: reading the input or writing the output failed.
    #[error("{what}: {source}")]
    Stream {
        /// What was attempted.
        what: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Failure {
    /// The exit code.
    pub(super) fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::NoWorkspace(_) => 4,
            Failure::Config(_) | Failure::Settings(_) => 5,
            Failure::Stream { .. } => 6,
        }
    }
}

/// The exit code of a run; a failure is told on standard error.
pub(super) fn end(outcome: Result<Outcome, Failure>) -> ExitCode {
    match outcome {
        Ok(outcome) => ExitCode::from(outcome.code()),
        // Nobody reads any more: there is nobody to tell.
        Err(Failure::Stream { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            output::complain(&format!("closeout: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}

/// Ends a run whose arguments could not be read, or that asked for help or the version.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::complain(display_text::block(&text).trim_end());
        ExitCode::from(2)
    } else {
        // Help that nobody reads is no failure.
        let _ = output::print(&text);
        ExitCode::SUCCESS
    }
}
