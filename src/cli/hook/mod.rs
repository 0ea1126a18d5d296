//! `closeout hook`: the commands that agents call at their events, and their installation. No agent's
//! settings change except at a person's request.

mod event;
mod gate;
mod install;

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use super::args::Hook;
use super::environment::Environment;
use super::exit::{Ended, Outcome};
use crate::model::GateEvent;

pub(super) use install::own_program;

/// Handles a call by an agent (`closeout hook event`, or a gate like `closeout hook stop`) and returns its
/// exit code; `None` for other arguments. Whatever follows the event's name, it is never a usage error: an
/// unexpected exit code would steer the agent.
pub fn run_if_called_by_agent(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().skip(1).take(16).collect();
    let [first, second, rest @ ..] = arguments.as_slice() else { return None };
    let is_help = rest.iter().any(|argument| argument == "--help" || argument == "-h");
    if first != "hook" || is_help {
        return None;
    }
    let name = second.to_str()?;
    let gate = GateEvent::from_name(name);
    if name != "event" && gate.is_none() {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    if let Some(event) = gate {
        return Some(gate::run(event, rest));
    }
    event::run(rest);
    Some(ExitCode::SUCCESS)
}

pub(super) fn run(environment: &Environment, command: &Hook) -> Ended {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`main` handles the others before anything else")]
    match command {
        Hook::Install(settings) => install::run(environment, settings, install::Direction::In),
        Hook::Remove(settings) => install::run(environment, settings, install::Direction::Out),
        // A call that `main` did not recognise.
        _ => Ok(Outcome::Done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_to_the_command_line() {
        let run = |words: &[&str]| run_if_called_by_agent(words.iter().map(OsString::from));
        assert!(run(&["closeout"]).is_none());
        assert!(run(&["closeout", "hook", "install"]).is_none());
        assert!(run(&["closeout", "hook", "event", "--help"]).is_none());
        assert!(run(&["closeout", "hook", "stop", "-h"]).is_none());
    }
}
