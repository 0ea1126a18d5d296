//! Exit codes and final messages. The codes are a contract: README.md documents them, and none may change its
//! meaning.

use std::io;

use crate::action::rescue::RescueError;
use crate::config::ConfigError;
use crate::engine::rescue_problem;
use crate::model::{ActionClass, ActionProblem, RunStatus, VerdictState};
use crate::store::StoreError;

/// How a run ended that did what was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// 0: done; for a check, complete.
    Done,
    /// 1: the verdict of a check is not complete; or an agent that was asked says that it is not done.
    NotComplete,
    /// 3: the verdict is ERROR (the evidence could not be read, or the run failed), or no probe was answered.
    Unjudged,
    /// 4: at least one of the paths that were named is not a workspace.
    NoWorkspace,
    /// The code of the supervised run's status.
    Run(RunStatus),
    /// The code of the action's class.
    Action(ActionClass),
    /// 128 plus the number of the signal that ended the program.
    Signalled(u8),
}

impl Outcome {
    pub(super) fn of(state: VerdictState) -> Outcome {
        match state {
            VerdictState::Complete => Outcome::Done,
            VerdictState::Error => Outcome::Unjudged,
            VerdictState::AwaitingResponse
            | VerdictState::RescueNeeded
            | VerdictState::Incomplete
            | VerdictState::Waiting
            | VerdictState::Working
            | VerdictState::Stalled
            | VerdictState::NoTask => Outcome::NotComplete,
        }
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::NotComplete => 1,
            Outcome::Unjudged => 3,
            Outcome::NoWorkspace => 4,
            Outcome::Action(class) => class.exit_code(),
            Outcome::Run(status) => status.exit_code(),
            Outcome::Signalled(signal) => 128 + signal,
        }
    }
}

/// Why a run could not do what was requested.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// 2: the arguments contradict each other, or do not fit where the program runs.
    #[error("{0}")]
    Usage(String),
    /// 4: the target does not exist, or is not a workspace.
    #[error("{0}")]
    NoWorkspace(String),
    /// 20: refused in the present state; nothing was sent or changed.
    #[error("{0}")]
    Refused(String),
    /// 5: the configuration is invalid or cannot be read.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// 5: the settings of an agent cannot be changed.
    #[error("{0}")]
    Settings(String),
    /// The action was not carried out.
    #[error("{}", .0.message)]
    Action(ActionProblem),
    /// The run is over otherwise, and that was reported already.
    #[error("")]
    Over(Outcome),
    /// 6: closeout's own stored data cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// 6: what is needed of it is not there, or cannot be used.
    #[error("{0}")]
    Unreadable(String),
    /// 6: reading the input or writing the output failed.
    #[error("{what}: {source}")]
    Stream {
        /// What was attempted.
        what: String,
        /// The system's error.
        source: io::Error,
    },
}

impl Failure {
    pub(super) fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::NoWorkspace(_) => 4,
            Failure::Refused(_) => ActionClass::Refused.exit_code(),
            Failure::Config(_) | Failure::Settings(_) => 5,
            Failure::Action(problem) => problem.class.exit_code(),
            Failure::Over(outcome) => outcome.code(),
            Failure::Store(_) | Failure::Unreadable(_) | Failure::Stream { .. } => 6,
        }
    }
}

impl From<ActionProblem> for Failure {
    fn from(problem: ActionProblem) -> Failure {
        Failure::Action(problem)
    }
}

impl From<RescueError> for Failure {
    fn from(error: RescueError) -> Failure {
        Failure::Action(rescue_problem(&error))
    }
}

pub(super) type Ended = Result<Outcome, Failure>;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::args::Arguments;
    use strum::VariantArray as _;

    /// The rows of the table in README.md: codes and their meanings.
    fn documented() -> Vec<(u8, &'static str)> {
        let readme = include_str!("../../README.md");
        let rows = readme.lines().skip_while(|line| !line.starts_with("| exit code |")).skip(2);
        let mut found = Vec::new();
        for row in rows.take_while(|line| line.starts_with('|')) {
            let mut cells = row.trim_matches('|').splitn(2, '|').map(str::trim);
            let (codes, meaning) = (cells.next().unwrap(), cells.next().unwrap());
            if codes == "128 + n" {
                found.push((Outcome::Signalled(2).code(), meaning));
                continue;
            }
            found.extend(codes.split(", ").map(|code| (code.parse().unwrap(), meaning)));
        }
        found
    }

    /// All codes the program can end with.
    fn codes() -> BTreeSet<u8> {
        let outcomes = [Outcome::Done, Outcome::NotComplete, Outcome::Unjudged, Outcome::Signalled(2)];
        let actions = ActionClass::VARIANTS.iter().copied().map(Outcome::Action);
        let runs = RunStatus::VARIANTS.iter().copied().map(Outcome::Run);
        let no_default = ConfigError::NoDefault { key: String::new() };
        let source = || io::Error::from(io::ErrorKind::Other);
        let failures = [
            Failure::Usage(String::new()),
            Failure::NoWorkspace(String::new()),
            Failure::Refused(String::new()),
            Failure::Config(no_default),
            Failure::Settings(String::new()),
            Failure::Unreadable(String::new()),
            Failure::Stream { what: String::new(), source: source() },
        ];
        let ended = outcomes.into_iter().chain(actions).chain(runs).map(Outcome::code);
        ended.chain(failures.iter().map(Failure::code)).collect()
    }

    #[test]
    fn the_readme_has_every_exit_code_once_and_no_other() {
        let documented: Vec<u8> = documented().into_iter().map(|(code, _)| code).collect();
        assert_eq!(documented, codes().into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn the_readme_means_what_the_classes_mean() {
        let words = |class: ActionClass| match class {
            ActionClass::Done => "done",
            ActionClass::SavedGaps => "could not be read",
            ActionClass::SavedOnly => "not committed",
            ActionClass::Nothing => "nothing to do",
            ActionClass::Refused => "refused",
            ActionClass::Busy => "another process",
            ActionClass::Untrusted => "trust",
            ActionClass::Unknown => "outcome is unknown",
            ActionClass::Declined => "you said no",
            ActionClass::Failed => "failed",
            ActionClass::TimedOut => "timed out",
            ActionClass::Damage => "check failed",
            ActionClass::Cancelled => "Ctrl-C",
        };
        for &class in ActionClass::VARIANTS {
            let (_, meaning) = documented().into_iter().find(|(code, _)| *code == class.exit_code()).unwrap();
            assert!(meaning.contains(words(class)), "{class:?}: {meaning}");
        }
    }

    #[test]
    fn help_names_only_exit_codes_that_there_are() {
        let known = codes();
        let mut n_named = 0;
        for command in Arguments::command().get_subcommands() {
            let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
            let Some((_, told)) = about.split_once("Exit code") else { continue };
            let numbers = told.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty());
            for number in numbers {
                n_named += 1;
                assert!(known.contains(&number.parse().unwrap()), "{}: {number}", command.get_name());
            }
        }
        assert!(n_named > 20, "{n_named}");
    }
}
