//! What the exit code of a command line says about each of its commands. Must not know what they do.

use super::script::{Command, Reach};
use crate::model::{CommandRun, Exit};

/// Commands that hardly ever cause a chain to fail.
pub(super) const TRIVIAL: &[&str] = &[
    "cd", "echo", "printf", "export", "source", ".", "set", "true", ":", "pwd", "mkdir", "which", "sleep",
    "date", "unset", "pushd", // Filters of a pipe whose failures count.
    "tail", "head", "cat", "tee", "sort", "uniq", "wc",
];

/// What an exit code says about one command of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitSays {
    /// It ended with 0.
    Zero,
    /// It ended with this code, or with an unknown one other than 0.
    NotZero(Option<i32>),
    /// The chain that contains it failed somewhere.
    InFailedChain,
    /// The code says nothing about it.
    Nothing,
}

/// What the line's exit code says about one of its commands.
pub(super) fn exit_says(command: &Command, commands: &[Command], run: &CommandRun) -> ExitSays {
    if command.prints_code {
        let last = run.output.lines().rev().find(|line| !line.trim().is_empty());
        let number = last.and_then(|line| {
            line.rsplit(|sign: char| !sign.is_ascii_digit()).find(|part| !part.is_empty())?.parse().ok()
        });
        return match number {
            Some(0) => ExitSays::Zero,
            Some(code) => ExitSays::NotZero(Some(code)),
            None => ExitSays::Nothing,
        };
    }
    if command.reach == Reach::Hidden {
        return ExitSays::Nothing;
    }
    let in_chain = |other: &&Command| other.reach == Reach::Chain;
    let is_alone = || {
        let mut others = commands.iter().filter(in_chain).filter(|other| !std::ptr::eq(*other, command));
        others.all(|other| {
            let name = other.words.first().map(String::as_str).unwrap_or_default();
            TRIVIAL.contains(&name)
        })
    };
    match (run.exit, command.is_negated) {
        (Exit::Code(0), false) => ExitSays::Zero,
        (Exit::Code(0), true) | (Exit::Failed, false) if is_alone() => ExitSays::NotZero(None),
        (Exit::Code(_) | Exit::Failed, true) if is_alone() => ExitSays::Zero,
        (Exit::Code(code), false) if is_alone() => ExitSays::NotZero(Some(code)),
        (Exit::Code(_) | Exit::Failed, _) => ExitSays::InFailedChain,
        (Exit::Refused | Exit::Stopped | Exit::Running | Exit::Unknown, _) => ExitSays::Nothing,
    }
}
