//! Creates the value that makes rescues, and words their errors for a person. It must not trust anything.

use crate::action::rescue::{RescueError, Rescuer};
use crate::engine::EngineConfig;
use crate::git::LEAST_GIT;
use crate::model::{ActionClass, ActionProblem, VariableNames};
use crate::process::{self, Launcher};

/// Hooks, filters and the person's rescue program get only the environment variables that every program gets.
const NOTHING_MORE: VariableNames = VariableNames { allowed: &[], except: &[] };

/// The advice if something is not trusted.
const TRUST_IT: &str = "`closeout trust` shows what would run, and asks whether you trust it";

/// Creates a [`Rescuer`] from git, closeout's own folder and the person's configuration. It trusts no
/// programs of a repository.
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

/// Describes an error of a rescue to a person, with advice where there is any.
#[expect(clippy::wildcard_enum_match_arm, reason = "there is no advice for any other")]
pub fn problem(error: &RescueError) -> ActionProblem {
    let class = error.class();
    let mut message = error.to_string();
    // The system call's message is in the chain of sources.
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    let problem = ActionProblem::new(class, message);
    let problem = match error.cause() {
        RescueError::Nothing => ActionProblem::new(ActionClass::Nothing, "there is no uncommitted work here"),
        RescueError::Busy(_) => problem.with_next("wait until the other is done and try again"),
        RescueError::TimedOut(_) => problem.with_next(
            "something in the repository hangs (a FIFO, a dead mount) or takes git too long (thousands of folders in each \
             other); put it right or move it aside, and try again",
        ),
        RescueError::NoRoom { .. } => problem.with_next("make room, or keep large files out by ignore rules"),
        RescueError::ReadOnly(_) => problem
            .with_next("`closeout rescue --record-only --vault` keeps the record in closeout's own folder"),
        RescueError::Unusable(_) => problem.with_next(
            "put it right or move it aside, and try again; `closeout rescues` lists what can be restored until then",
        ),
        RescueError::Untrusted(_) => problem.with_next(TRUST_IT),
        RescueError::Io { .. } if error.is_in_the_way() => problem.with_next(
            "something else stands there, or in the place of a folder above: move it away and try again",
        ),
        RescueError::Io { .. } if error.cause().is_write_refused() => {
            problem.with_next("make it writable for you, or move it away, and try again")
        }
        _ => problem,
    };
    match error.kept() {
        Some(record) => kept_in(problem, record),
        None => problem,
    }
}

/// Adds where the work is kept to what the person can do.
pub(super) fn kept_in(problem: ActionProblem, record: &str) -> ActionProblem {
    let advice = problem.next.as_ref().map(|next| format!("{next}; ")).unwrap_or_default();
    problem.with_next(format!("{advice}the work is kept in {record}"))
}
