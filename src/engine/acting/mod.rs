//! Carries out acts: each file here joins what one kind of act needs of the rooms below. An act answers
//! with one outcome, whatever happens in it.
//!
//! No rule lives here, and nothing is changed here: what changes a workspace is in the room `action`.

mod asking;
pub(super) mod audit;
mod auto_probe;
mod decide;
mod looking;
mod prompts;
mod reply;
pub(super) mod rescue;
mod smart_check;
pub(super) mod trust;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::agent::processes;
use crate::model::{
    Act, ActClass, ActKind, ActOutcome, ActProblem, ActProgress, ActRequest, ActedBy, AskPurpose, AuditEntry,
};
use crate::process::Cancel;
use crate::store::Store;

use super::{Launch, clock, collect};

/// Outcome of an act, or why it was not done.
type Acted = Result<ActOutcome, ActProblem>;

/// What an act is carried out with.
pub(super) struct Tools<'a> {
    /// Programs, folders and configuration of this run.
    pub(super) launch: &'a Launch,
    /// Told how far the act is; the last word counts.
    pub(super) report: &'a (dyn Fn(ActProgress) + Send + Sync),
    /// Ends the act early, if it can be ended.
    pub(super) cancel: &'a Cancel,
}

impl Tools<'_> {
    /// Tells what is done now.
    fn say(&self, words: &str) {
        (self.report)(ActProgress { words: words.to_owned(), ..ActProgress::default() });
    }
}

/// Carries out an act and writes it down. Blocks as long as it takes. The second value is its entry in
/// the record of what was done; `None` for a plan.
pub(super) fn perform(
    request: &ActRequest,
    by: ActedBy,
    store: Option<&Store>,
    tools: &Tools<'_>,
) -> (ActOutcome, Option<AuditEntry>) {
    if let Act::AutoProbe { moment } = &request.act {
        return auto_probe::perform(request, moment, store, tools);
    }
    let is_agent_above = processes::is_agent_above();
    let by = if is_agent_above == Some(true) { ActedBy::Agent } else { by };
    let is_person = tools.launch.has_terminal && is_agent_above == Some(false);
    let act = || match carry_out(request, tools) {
        // A look that was ended is none, though it came to its end by itself.
        Ok(_) if request.act.kind() == ActKind::Plan && tools.cancel.is_cancelled() => {
            Err(asking::cancelled())
        }
        acted => acted,
    };
    let Some(begun) = audit::begin(request, by, clock::now()) else { return (guarded(act), None) };
    if let Err(problem) = audit::write(store, &begun) {
        return (ActOutcome::Failed(problem), None);
    }
    let outcome = guarded(act);
    let ended = audit::end(begun, &outcome, is_person, clock::now());
    if let Err(problem) = audit::write(store, &ended) {
        // It is done all the same; the line of its beginning stands.
        tracing::warn!("{}", problem.words);
    }
    (outcome, Some(ended))
}

/// The outcome of an act, also when something in it panics.
fn guarded(act: impl FnOnce() -> Acted) -> ActOutcome {
    let acted = catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let words = format!("a defect in closeout: {}", collect::panic_text(&*panic));
        Err(ActProblem::new(ActClass::Failed, words)
            .with_next("what a rescue had begun is ended at the next one"))
    });
    acted.unwrap_or_else(ActOutcome::Failed)
}

fn carry_out(request: &ActRequest, tools: &Tools<'_>) -> Acted {
    match &request.act {
        Act::PlanRescue { message, order } => rescue::plan(request, message.as_deref(), *order, tools),
        Act::Record { order } => rescue::record(request, *order, tools),
        Act::Rescue { plan } => rescue::commit(request, plan, tools),
        Act::PlanUndo { way } => rescue::plan_undo(request, *way, tools),
        Act::Undo { plan } => rescue::undo(request, plan, tools),
        Act::PlanReply { session } => reply::plan(request, session, tools),
        Act::Reply { plan, body } => reply::send(request, plan, body, tools),
        Act::PlanAsk { purpose, session } => asking::plan(request, *purpose, session.as_ref(), tools),
        Act::Ask { plan } => match plan.purpose {
            AskPurpose::Probe => smart_check::run(request, plan, tools),
            AskPurpose::Verify => verify::run(request, plan, tools),
        },
        // Written down by itself.
        Act::AutoProbe { .. } => Err(ActProblem::new(ActClass::Refused, "nobody asked for it")),
        Act::Decide { is_complete, reason } => {
            decide::decide(request, *is_complete, reason.as_deref(), tools)
        }
    }
}
