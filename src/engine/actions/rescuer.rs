//! Rescues as the engine makes them: with what, and how their errors are told to a person. It trusts nothing.

use crate::action::rescue::{RescueError, Rescuer};
use crate::engine::EngineConfig;
use crate::git::LEAST_GIT;
use crate::model::{ActionClass, ActionProblem, VariableNames};
use crate::process::{self, Launcher};

/// Hooks, filters and the own rescue program get what every program gets.
const NOTHING_MORE: VariableNames = VariableNames { allowed: &[], except: &[] };

/// What a person can do where something is not trusted.
const TRUST_IT: &str = "`closeout trust` shows what would run, and asks whether you trust it";

/// Makes the value that rescues are made from: git, closeout's own folder, and what the person's own
/// configuration says. It trusts nothing.
pub(in crate::engine) fn rescuer_of(config: &EngineConfig) -> Result<Rescuer, ActionProblem> {
    let git = config.git_program.clone().ok_or_else(|| {
        let (major, minor) = LEAST_GIT;
        ActionProblem::new(ActionClass::Failed, "git was not found on the path")
            .with_next(format!("install git {major}.{minor} or newer; `closeout doctor` says more"))
    })?;
    let state = config.state_folder.as_ref().ok_or_else(|| {
        ActionProblem::new(ActionClass::Failed, "there is no state folder, and a rescue needs its journal")
            .with_next("set HOME or CLOSEOUT_STATE_DIR")
    })?;
    let settings = config.config.rescue();
    let own_program = (!settings.command.is_empty())
        .then(|| settings.command.into_iter().map(std::ffi::OsString::from).collect());
    Ok(Rescuer {
        protected: settings.protected,
        own_program,
        program_env: process::environment(&config.variables, &NOTHING_MORE),
        launcher: config.own_program.clone().map(|program| Launcher { program }),
        ..Rescuer::new(git, config.home.clone(), state.clone())
    })
}

/// An error of the rescue, for a person.
pub fn problem(error: &RescueError) -> ActionProblem {
    let class = error.class();
    let mut words = error.to_string();
    // What a system call said stands below the error.
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    let problem = ActionProblem::new(class, words);
    match error {
        RescueError::Nothing => ActionProblem::new(ActionClass::Nothing, "there is no uncommitted work here"),
        RescueError::Busy(_) => problem.with_next("wait until the other is done and try again"),
        RescueError::TimedOut(_) => {
            problem.with_next("something in the repository hangs (a FIFO, a dead mount); nothing was changed")
        }
        RescueError::NoRoom(_) => problem.with_next("make room, or keep large files out by ignore rules"),
        RescueError::ReadOnly(_) => problem
            .with_next("`closeout rescue --record-only --vault` keeps the record in closeout's own folder"),
        RescueError::Untrusted(_) => problem.with_next(TRUST_IT),
        RescueError::WouldLose
        | RescueError::Ask(_)
        | RescueError::Refused(_)
        | RescueError::SavedOnly(_)
        | RescueError::Cancelled { .. }
        | RescueError::Damage(_)
        | RescueError::Git { .. }
        | RescueError::Failed(_)
        | RescueError::Process(_)
        | RescueError::Io { .. } => problem,
    }
}
