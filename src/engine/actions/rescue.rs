//! Rescue, undo and redo: passes the monitor's requests to the room `action`. It must not change a workspace
//! by itself.

use crate::action::rescue::{PlanRequest, RescueError, Rescuer};
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, BranchPlan, PlanNote, RecordOrder, RescuePlan, RescueRecord,
    Rescued, UndoDirection, UndoPlan,
};

use super::rescuer::{kept_in, problem};
use super::tools::{Stop, Tools};
use super::trust;

/// Records the work, and plans a visible commit of it. Where nothing of it is left to commit, and no branch holds the
/// commits, plans the branch.
pub(super) fn plan(
    request: &ActionRequest,
    message: Option<&str>,
    order: RecordOrder,
    tools: &Tools<'_>,
) -> Result<RescuePlan, Stop> {
    tools.say("recording the uncommitted work");
    let wanted = PlanRequest {
        message: message.map(str::to_owned),
        task: request.task.clone().or_else(|| request.prompt.clone()),
        last_words: request.last_words.clone(),
        evidence: request.settings.evidence_files().cloned().collect(),
        noise: request.settings.noise.clone(),
        order,
    };
    let (rescuer, path) = (rescuer(request, tools)?, request.workspace.path());
    let made = rescuer.plan(path, wanted);
    let is_committed = match &made {
        Ok(plan) => plan.paths.iter().all(|path| path.left_out.is_some()),
        Err(error) => matches!(error, RescueError::Nothing),
    };
    if is_committed && !request.loose.is_empty() {
        match (rescuer.branch_plan(path, &request.loose), &made) {
            (Ok(branch), _) => return Err(Stop::Branch(Box::new(branch))),
            // What was recorded stands, and what is left out can be included.
            (Err(RescueError::Nothing), _) | (Err(_), Ok(_)) => {}
            (Err(error), Err(_)) => return Err(problem(&error).into()),
        }
    }
    let mut plan = made.map_err(|error| stop(&error))?;
    if request.is_at_work {
        plan.notes.insert(0, PlanNote::AgentAtWork);
    }
    Ok(plan)
}

/// Creates the branch that a plan shows.
pub(super) fn keep(
    request: &ActionRequest,
    plan: &BranchPlan,
    tools: &Tools<'_>,
) -> Result<BranchPlan, ActionProblem> {
    tools.say("creating the branch that was confirmed");
    let made = rescuer(request, tools)?.create_branch(request.workspace.path(), plan);
    made.map(|()| plan.clone()).map_err(|error| problem(&error))
}

/// Records the work and makes no commit.
pub(super) fn record(
    request: &ActionRequest,
    order: RecordOrder,
    tools: &Tools<'_>,
) -> Result<RescueRecord, Stop> {
    tools.say("recording the uncommitted work");
    let made = rescuer(request, tools)?.record_ordered(request.workspace.path(), order);
    made.map_err(|error| {
        if matches!(error, RescueError::Nothing) && !request.loose.is_empty() {
            let next = "`closeout rescue` keeps the commits that are on no branch";
            return Stop::Problem(problem(&error).with_next(next));
        }
        stop(&error)
    })
}

/// A question about the size is not a problem: the person is asked.
fn stop(error: &RescueError) -> Stop {
    if let RescueError::Ask(cost) = error { Stop::Size(*cost) } else { Stop::Problem(problem(error)) }
}

/// Commits what a plan shows.
pub(super) fn commit(
    request: &ActionRequest,
    plan: &RescuePlan,
    tools: &Tools<'_>,
) -> Result<Rescued, ActionProblem> {
    tools.say("checking again, then committing what was confirmed");
    rescuer(request, tools)?.commit(request.workspace.path(), plan).map_err(|error| {
        let problem = problem(&error);
        if matches!(error, RescueError::UnknownRecord) {
            problem
        } else {
            kept_in(problem, &plan.record.reference)
        }
    })
}

pub(super) fn plan_undo(
    request: &ActionRequest,
    way: UndoDirection,
    tools: &Tools<'_>,
) -> Result<UndoPlan, ActionProblem> {
    let (rescuer, path) = (rescuer(request, tools)?, request.workspace.path());
    let plan = match way {
        UndoDirection::Undo => rescuer.undo_plan(path),
        UndoDirection::Redo => rescuer.redo_plan(path),
    };
    plan.map_err(|error| {
        let message = match (&error, way) {
            (RescueError::Nothing, UndoDirection::Undo) => {
                "there is no rescue to undo here: only the last one can be undone"
            }
            (RescueError::Nothing, UndoDirection::Redo) => "there is no rescue to redo here",
            (_, UndoDirection::Undo | UndoDirection::Redo) => return problem(&error),
        };
        ActionProblem::new(ActionClass::Nothing, message)
    })
}

/// Carries out an undo or a redo, as planned.
pub(super) fn undo(
    request: &ActionRequest,
    plan: &UndoPlan,
    tools: &Tools<'_>,
) -> Result<UndoPlan, ActionProblem> {
    rescuer(request, tools)?.turn_back(request.workspace.path(), plan).map_err(|error| problem(&error))?;
    Ok(plan.clone())
}

/// The [`Rescuer`] of this workspace, with the programs that the person trusts there.
fn rescuer(request: &ActionRequest, tools: &Tools<'_>) -> Result<Rescuer, ActionProblem> {
    let rescuer = trust::rescuer_for(tools.config, request.workspace.path())?;
    Ok(Rescuer { cancel: tools.cancel.clone(), budget: tools.budget.clone(), ..rescuer })
}
