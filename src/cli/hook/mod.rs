//! `closeout hook`: what agents call at their events, and how they come to do so.

mod event;
mod install;
mod process;
mod standard_input;

use super::args::Hook;
use super::environment::Environment;
use super::exit::Ended;
use super::exit::Outcome;

pub use event::run_if_event;
pub(super) use install::own_program;

/// Runs `closeout hook`.
pub(super) fn run(environment: &Environment, command: &Hook) -> Ended {
    match command {
        // `main` takes it before anything else; nothing is left here but what it did not take.
        Hook::Event { .. } => Ok(Outcome::Done),
        Hook::Install(settings) => install::run(environment, settings, install::Direction::In),
        Hook::Remove(settings) => install::run(environment, settings, install::Direction::Out),
    }
}
