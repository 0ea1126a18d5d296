//! Carries out actions: each file joins what one kind of action needs from the rooms below. An action always
//! answers with exactly one outcome, even if it panics.
//!
//! No rule lives here, and nothing is changed here: code that changes a workspace is in the room `action`.

mod asking;
pub(super) mod audit;
mod auto_probe;
mod checks;
mod decide;
mod held;
mod messages;
mod model_judge;
mod prompts;
mod refresher;
mod reply;
mod rescue;
pub(super) mod rescuer;
mod run_answer;
mod second_opinion;
mod smart_check;
mod tools;
pub(super) mod trust;
mod verify;

use crate::agent::processes;
use crate::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, ActionRequest, Actor, AskPurpose,
    AuditEntry, display_text,
};
use crate::store::Store;

use super::clock;

pub(super) use tools::Tools;
use tools::{ActionFinished, cancelled, finished, guarded};

/// Carries out an action and writes it to the audit log. Blocks until the action ends. The second value is
/// its audit entry; `None` for an [`ActionKind::Plan`], and for what never began.
pub(super) fn perform(
    request: &ActionRequest,
    by: Actor,
    store: Option<&Store>,
    tools: &Tools<'_>,
) -> (ActionOutcome, Option<AuditEntry>) {
    if let Action::AutoProbe { moment } | Action::SecondOpinion { moment } = &request.action {
        return auto_probe::perform(request, moment, store, tools);
    }
    let is_agent_above = processes::is_agent_above();
    let by = match is_agent_above {
        _ if matches!(request.action, Action::AutoChecks) => Actor::Automatic,
        Some(true) => Actor::Agent,
        Some(false) | None => by,
    };
    let is_person = tools.config.has_terminal && is_agent_above == Some(false);
    if matches!(request.action, Action::Mark { .. }) && by == Actor::Agent {
        let problem = ActionProblem::new(
            ActionClass::Refused,
            "only a person can set a mark; an agent is running this",
        );
        return (ActionOutcome::Failed(problem.with_next("agents use `closeout decide`")), None);
    }
    let action = || match carry_out(request, tools) {
        // A plan that was cancelled counts as cancelled even if it ran to its end.
        Ok(_) if request.action.kind() == ActionKind::Plan && tools.cancel.is_cancelled() => Err(cancelled()),
        outcome => outcome,
    };
    let Some(begun) = audit::begin(request, by, clock::now()) else { return (guarded(action), None) };
    // The store may not have opened when this run began: try again.
    let opened = match (store, &tools.config.state_folder) {
        (None, Some(folder)) => match Store::open(folder) {
            Ok(opened) => Some(opened),
            Err(error) => return (ActionOutcome::Failed(audit::unwritable(&error)), None),
        },
        (Some(_), _) | (None, None) => None,
    };
    let store = store.or(opened.as_ref());
    if let Err(problem) = audit::write(store, &begun) {
        return (ActionOutcome::Failed(problem), None);
    }
    let outcome = guarded(action);
    let ended = audit::end(begun, &outcome, is_person, clock::now());
    log(&ended, &outcome);
    if let Err(problem) = audit::write(store, &ended) {
        // The action is done anyway; its first audit entry remains without an end.
        tracing::warn!("{}", problem.message);
    }
    (outcome, Some(ended))
}

/// Logs the end of an action, in the words of its audit entry.
fn log(ended: &AuditEntry, outcome: &ActionOutcome) {
    let (place, action) = (display_text::path(ended.workspace.path()), ended.kind.name());
    let end = ended.end.as_ref().map_or("", |end| end.message.as_str());
    let end = display_text::line(end);
    if let ActionOutcome::Failed(problem) = outcome {
        tracing::warn!(workspace = %place, action, class = ?problem.class, "{end}");
    } else {
        tracing::info!(workspace = %place, action, "{end}");
    }
}

fn carry_out(request: &ActionRequest, tools: &Tools<'_>) -> ActionFinished {
    match &request.action {
        Action::PlanRescue { message, order } => {
            finished(rescue::plan(request, message.as_deref(), *order, tools), ActionOutcome::RescuePlanned)
        }
        Action::AskMessages { plan, with } => {
            finished(messages::ask(request, plan, with.as_deref(), tools), ActionOutcome::RescuePlanned)
        }
        Action::Record { order } => finished(rescue::record(request, *order, tools), ActionOutcome::Recorded),
        Action::Rescue { plan } => finished(rescue::commit(request, plan, tools), ActionOutcome::Rescued),
        Action::KeepCommits { plan } => {
            finished(rescue::keep(request, plan, tools), ActionOutcome::CommitsKept)
        }
        Action::PlanUndo { way } => {
            finished(rescue::plan_undo(request, *way, tools), ActionOutcome::UndoPlanned)
        }
        Action::Undo { plan } => finished(rescue::undo(request, plan, tools), ActionOutcome::Undone),
        Action::PlanReply { session } => {
            finished(reply::plan(request, session, tools), ActionOutcome::ReplyPlanned)
        }
        Action::Reply { plan, body } => {
            finished(reply::send(request, plan, body, tools), ActionOutcome::Replied)
        }
        Action::Held { reply, step } => held::perform(request, reply, step, tools),
        Action::PlanAsk { purpose, session, options } => {
            let ready = asking::ready(request, *purpose, session.as_ref(), options, tools);
            finished(ready.map(|ready| ready.plan), ActionOutcome::AskPlanned)
        }
        Action::Ask { plan } => match plan.purpose {
            AskPurpose::Probe => finished(smart_check::run(request, plan, tools), ActionOutcome::Checked),
            AskPurpose::Verify => finished(verify::run(request, plan, tools), ActionOutcome::Verified),
        },
        Action::PlanChecks => {
            finished(checks::plan(request, tools), |plan| ActionOutcome::ChecksPlanned(*plan))
        }
        Action::RunChecks { trusting } => {
            finished(checks::run(request, trusting.as_deref(), tools), |ran| ActionOutcome::ChecksRan(*ran))
        }
        Action::AutoChecks => {
            finished(checks::run(request, None, tools), |ran| ActionOutcome::ChecksRan(*ran))
        }
        // Carried out by `auto_probe::perform`, which writes the audit entry itself.
        Action::AutoProbe { .. } | Action::SecondOpinion { .. } => {
            Err(ActionProblem::new(ActionClass::Refused, "nobody asked for it"))
        }
        // `perform` has refused agents; the monitor decides what the mark means for the verdict.
        Action::Mark { order, reason } => {
            Ok(ActionOutcome::Marked { order: order.clone(), reason: reason.clone() })
        }
        Action::Decide { is_complete, reason } => {
            finished(decide::decide(request, *is_complete, reason.as_deref(), tools), ActionOutcome::Decided)
        }
    }
}
