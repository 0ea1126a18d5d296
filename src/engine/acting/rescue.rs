//! Rescue, undo and redo: what the monitor asks for, done by the room that may.

use crate::action::rescue::{PlanRequest, RescueError, Rescuer};
use crate::model::{
    ActClass, ActOutcome, ActProblem, ActRequest, RecordOrder, RescuePlan, UndoPlan, UndoWay, VariableNames,
};
use crate::process::{self, Launcher};

use super::{Acted, Tools, trust};

/// Hooks, filters and the own rescue program get what every program gets.
const NOTHING_MORE: VariableNames = VariableNames { allowed: &[], except: &[] };

/// Records the work, and plans a visible commit of it.
pub(super) fn plan(
    request: &ActRequest,
    message: Option<&str>,
    order: RecordOrder,
    tools: &Tools<'_>,
) -> Acted {
    tools.say("recording the uncommitted work");
    let wanted = PlanRequest {
        message: message.map(str::to_owned),
        task: request.prompt.clone(),
        last_words: request.last_words.clone(),
        order,
    };
    match rescuer(request, tools)?.plan(request.workspace.path(), wanted) {
        Ok(plan) => Ok(ActOutcome::RescuePlanned(Box::new(plan))),
        Err(error) => asked_or(&error),
    }
}

/// Only records the work.
pub(super) fn record(request: &ActRequest, order: RecordOrder, tools: &Tools<'_>) -> Acted {
    tools.say("recording the uncommitted work");
    match rescuer(request, tools)?.record_ordered(request.workspace.path(), order) {
        Ok(record) => Ok(ActOutcome::Recorded(Box::new(record))),
        Err(error) => asked_or(&error),
    }
}

/// A question about the size is no problem.
fn asked_or(error: &RescueError) -> Acted {
    if let RescueError::Ask(cost) = error { Ok(ActOutcome::SizeAsked(*cost)) } else { Err(problem(error)) }
}

/// Commits what a plan shows.
pub(super) fn commit(request: &ActRequest, plan: &RescuePlan, tools: &Tools<'_>) -> Acted {
    tools.say("looking again, and committing what was confirmed");
    let rescued = rescuer(request, tools)?.commit(request.workspace.path(), plan).map_err(|error| {
        let problem = problem(&error);
        let is_saved = problem.next.is_none() && problem.class == ActClass::SavedOnly;
        if is_saved {
            problem.with_next(format!("the work is kept in {}", plan.record.reference))
        } else {
            problem
        }
    })?;
    Ok(ActOutcome::Rescued(Box::new(rescued)))
}

/// What an undo or a redo would do.
pub(super) fn plan_undo(request: &ActRequest, way: UndoWay, tools: &Tools<'_>) -> Acted {
    let (rescuer, path) = (rescuer(request, tools)?, request.workspace.path());
    let plan = match way {
        UndoWay::Undo => rescuer.undo_plan(path),
        UndoWay::Redo => rescuer.redo_plan(path),
    };
    plan.map(|plan| ActOutcome::UndoPlanned(Box::new(plan))).map_err(|error| {
        let words = match (&error, way) {
            (RescueError::Nothing, UndoWay::Undo) => "there is no rescue to take back here",
            (RescueError::Nothing, UndoWay::Redo) => "there is no rescue to make again here",
            (_, UndoWay::Undo | UndoWay::Redo) => return problem(&error),
        };
        ActProblem::new(ActClass::Nothing, words)
    })
}

/// Takes a rescue back, or makes it again, as the plan says.
pub(super) fn undo(request: &ActRequest, plan: &UndoPlan, tools: &Tools<'_>) -> Acted {
    rescuer(request, tools)?.turn_back(request.workspace.path(), plan).map_err(|error| problem(&error))?;
    Ok(ActOutcome::Undone(Box::new(plan.clone())))
}

/// What rescues of this workspace are made from.
fn rescuer(request: &ActRequest, tools: &Tools<'_>) -> Result<Rescuer, ActProblem> {
    let rescuer = trust::rescuer_for(tools.launch, request.workspace.path())?;
    Ok(Rescuer { cancel: tools.cancel.clone(), ..rescuer })
}

/// Makes the value that rescues are made from: git, closeout's own folder, and what the person's own
/// configuration says. It trusts nothing.
pub(in crate::engine) fn rescuer_of(launch: &crate::engine::Launch) -> Result<Rescuer, ActProblem> {
    let git = launch.git_program.clone().ok_or_else(|| {
        let (major, minor) = process::LEAST_GIT;
        ActProblem::new(ActClass::Failed, "git was not found on the path")
            .with_next(format!("install git {major}.{minor} or newer; `closeout doctor` says more"))
    })?;
    let state = launch.state_folder.as_ref().ok_or_else(|| {
        ActProblem::new(ActClass::Failed, "there is no state folder, and a rescue needs its journal")
            .with_next("set HOME or CLOSEOUT_STATE_DIR")
    })?;
    let settings = launch.config.rescue();
    let own_program = (!settings.command.is_empty())
        .then(|| settings.command.into_iter().map(std::ffi::OsString::from).collect());
    Ok(Rescuer {
        protected: settings.protected,
        own_program,
        program_env: process::environment(&launch.variables, &NOTHING_MORE),
        launcher: launch.own_program.clone().map(|program| Launcher { program }),
        ..Rescuer::new(git, launch.home.clone(), state.clone())
    })
}

/// An error of the rescue, for a person.
pub fn problem(error: &RescueError) -> ActProblem {
    let class = error.class();
    let mut words = error.to_string();
    // What a system call said stands below the error.
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    let problem = ActProblem::new(class, words);
    match error {
        RescueError::Nothing => ActProblem::new(ActClass::Nothing, "there is no uncommitted work here"),
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
        | RescueError::Process(_)
        | RescueError::Io { .. } => problem,
    }
}
