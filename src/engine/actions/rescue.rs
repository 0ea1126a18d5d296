//! Rescue, undo and redo: what the monitor asks for, done by the room that may.

use crate::action::rescue::{PlanRequest, RescueError, Rescuer};
use crate::git::LEAST_GIT;
use crate::model::{
    ActionClass, ActionOutcome, ActionProblem, ActionRequest, RecordOrder, RescuePlan, UndoDirection,
    UndoPlan, VariableNames,
};
use crate::process::{self, Launcher};

use super::{ActionFinished, Tools, trust};

/// Hooks, filters and the own rescue program get what every program gets.
const NOTHING_MORE: VariableNames = VariableNames { allowed: &[], except: &[] };

/// Records the work, and plans a visible commit of it.
pub(super) fn plan(
    request: &ActionRequest,
    message: Option<&str>,
    order: RecordOrder,
    tools: &Tools<'_>,
) -> ActionFinished {
    tools.say("recording the uncommitted work");
    let wanted = PlanRequest {
        message: message.map(str::to_owned),
        task: request.prompt.clone(),
        last_words: request.last_words.clone(),
        evidence: request.settings.evidence_files().map(|name| from_top(name)).collect(),
        order,
    };
    match rescuer(request, tools)?.plan(request.workspace.path(), wanted) {
        Ok(plan) => Ok(ActionOutcome::RescuePlanned(Box::new(plan))),
        Err(error) => asked_or(&error),
    }
}

/// A name of the settings as git has it.
fn from_top(name: &str) -> Vec<u8> {
    name.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/").into_bytes()
}

/// Only records the work.
pub(super) fn record(request: &ActionRequest, order: RecordOrder, tools: &Tools<'_>) -> ActionFinished {
    tools.say("recording the uncommitted work");
    match rescuer(request, tools)?.record_ordered(request.workspace.path(), order) {
        Ok(record) => Ok(ActionOutcome::Recorded(Box::new(record))),
        Err(error) => asked_or(&error),
    }
}

/// A question about the size is no problem.
fn asked_or(error: &RescueError) -> ActionFinished {
    if let RescueError::Ask(cost) = error { Ok(ActionOutcome::SizeAsked(*cost)) } else { Err(problem(error)) }
}

/// Commits what a plan shows.
pub(super) fn commit(request: &ActionRequest, plan: &RescuePlan, tools: &Tools<'_>) -> ActionFinished {
    tools.say("checking again, then committing what was confirmed");
    let rescued = rescuer(request, tools)?.commit(request.workspace.path(), plan).map_err(|error| {
        let problem = problem(&error);
        let is_saved = problem.next.is_none() && problem.class == ActionClass::SavedOnly;
        if is_saved {
            problem.with_next(format!("the work is kept in {}", plan.record.reference))
        } else {
            problem
        }
    })?;
    Ok(ActionOutcome::Rescued(Box::new(rescued)))
}

/// What an undo or a redo would do.
pub(super) fn plan_undo(request: &ActionRequest, way: UndoDirection, tools: &Tools<'_>) -> ActionFinished {
    let (rescuer, path) = (rescuer(request, tools)?, request.workspace.path());
    let plan = match way {
        UndoDirection::Undo => rescuer.undo_plan(path),
        UndoDirection::Redo => rescuer.redo_plan(path),
    };
    plan.map(|plan| ActionOutcome::UndoPlanned(Box::new(plan))).map_err(|error| {
        let words = match (&error, way) {
            (RescueError::Nothing, UndoDirection::Undo) => "there is no rescue to take back here",
            (RescueError::Nothing, UndoDirection::Redo) => "there is no rescue to make again here",
            (_, UndoDirection::Undo | UndoDirection::Redo) => return problem(&error),
        };
        ActionProblem::new(ActionClass::Nothing, words)
    })
}

/// Takes a rescue back, or makes it again, as the plan says.
pub(super) fn undo(request: &ActionRequest, plan: &UndoPlan, tools: &Tools<'_>) -> ActionFinished {
    rescuer(request, tools)?.turn_back(request.workspace.path(), plan).map_err(|error| problem(&error))?;
    Ok(ActionOutcome::Undone(Box::new(plan.clone())))
}

/// What rescues of this workspace are made from.
fn rescuer(request: &ActionRequest, tools: &Tools<'_>) -> Result<Rescuer, ActionProblem> {
    let rescuer = trust::rescuer_for(tools.config, request.workspace.path())?;
    Ok(Rescuer { cancel: tools.cancel.clone(), ..rescuer })
}

/// Makes the value that rescues are made from: git, closeout's own folder, and what the person's own
/// configuration says. It trusts nothing.
pub(in crate::engine) fn rescuer_of(config: &crate::engine::EngineConfig) -> Result<Rescuer, ActionProblem> {
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
        RescueError::Untrusted(_) => problem.with_next(trust::NEXT),
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
