//! A question to an agent for which no person asked: looked at, planned and carried out at once, within the
//! person's budget, and written down as what closeout did itself.
//!
//! It must not ask without leave of the record that all closeouts of a state folder share, must not record or
//! commit anything, and asks only where that leaves no trace.

use super::asking::{Ready, ready};
use super::audit;
use super::smart_check::carry_out;
use super::tools::{Stop, Tools, finished, guarded};
use crate::engine::clock;
use crate::judge::supervised_loop::Breaker;
use crate::model::{
    ActionClass, ActionKind, ActionOutcome, ActionProblem, ActionRequest, ActivitySource, ActivityState,
    Actor, AskOptions, AskPlan, AskPurpose, AuditEntry, NotAsked, ProbeRescue, SessionMoment, SmartReport,
    Trace,
};
use crate::store::{Store, StoreError};

/// Carries it out. It is written down once its first question may be sent; before that nothing was done.
pub(super) fn perform(
    request: &ActionRequest,
    moment: &SessionMoment,
    store: Option<&Store>,
    tools: &Tools<'_>,
) -> (ActionOutcome, Option<AuditEntry>) {
    let mut begun = None;
    let outcome =
        guarded(|| finished(ask(request, moment, store, tools, &mut begun), ActionOutcome::Checked));
    let ended = begun.map(|begun| audit::end(begun, &outcome, false, clock::now()));
    if let Some(Err(problem)) = ended.as_ref().map(|ended| audit::write(store, ended)) {
        tracing::warn!("{}", problem.message);
    }
    (outcome, ended)
}

fn ask(
    request: &ActionRequest,
    moment: &SessionMoment,
    store: Option<&Store>,
    tools: &Tools<'_>,
    begun: &mut Option<AuditEntry>,
) -> Result<SmartReport, Stop> {
    if !request.settings.may_be_asked {
        return Err(refused("the configuration does not allow it (completion_check.auto_probe)").into());
    }
    let store = store.ok_or_else(|| refused("there is no state folder to keep the budget in"))?;
    if (Breaker { n_time_outs: store.time_outs(&request.workspace) }).is_open() {
        let words = "the circuit breaker of the workspace is open: the last questions and commands timed out";
        return Err(refused(words).into());
    }
    let usual = AskOptions::default();
    let ready = ready(request, AskPurpose::Probe, Some(&moment.session), &usual, tools)?;
    check(&ready, moment)?;
    if has_person_asked(store, request, moment).map_err(|error| unkept(&error))? {
        return Err(Stop::NotAsked(NotAsked::AskedBefore));
    }
    let plan = AskPlan { rescue: ProbeRescue::Never, ..ready.plan };
    let per_hour = tools.config.config.auto_probes().per_hour;
    let mut leave = |_number| {
        let now = clock::now();
        let taken = store.acquire_probe_permit(moment, begun.is_none(), per_hour, now);
        let budget = taken.map_err(|error| unkept(&error))?.map_err(Stop::NotAsked)?;
        if begun.is_none()
            && let Some(mut entry) = audit::begin(request, Actor::Automatic, now)
        {
            entry.plan =
                format!("{}, {} of {} this hour", moment.session.agent, budget.n_sent, budget.per_hour);
            audit::write(Some(store), &entry)?;
            *begun = Some(entry);
        }
        Ok(())
    };
    carry_out(request, Ready { plan, ..ready }, tools, &mut leave)
}

/// Looks once more, right before: whether the session still does nothing since the turn that was looked at.
fn check(ready: &Ready<'_>, moment: &SessionMoment) -> Result<(), ActionProblem> {
    let current = &ready.current;
    let is_over = matches!(current.view.activity.state, ActivityState::Idle | ActivityState::Gone)
        && !matches!(current.view.activity.source, ActivitySource::PaneTitle | ActivitySource::None);
    let is_same = current.view.rested_at() == moment.rested_at
        && (moment.prompted_at.is_none() || current.session.prompted_at <= moment.prompted_at);
    if !is_over || !is_same {
        return Err(ActionProblem::new(ActionClass::Busy, "the session went on"));
    }
    if ready.plan.trace != Trace::Nothing {
        return Err(refused("the agent cannot be asked without a trace"));
    }
    if ready.plan.max_attempts == 0 {
        return Err(refused("no question is allowed here (completion_check.max_probes)"));
    }
    Ok(())
}

/// Whether a person asked in this moment, by any closeout of this state folder, whatever came of it.
fn has_person_asked(
    store: &Store,
    request: &ActionRequest,
    moment: &SessionMoment,
) -> Result<bool, StoreError> {
    let is_such = |entry: &AuditEntry| {
        entry.workspace == request.workspace
            && matches!(entry.kind, ActionKind::Probe | ActionKind::Verify)
            && entry.by != Actor::Automatic
            && Some(entry.at) >= moment.rested_at
    };
    Ok(store.audit()?.entries.iter().any(is_such))
}

fn refused(words: &str) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, words)
}

fn unkept(error: &StoreError) -> ActionProblem {
    ActionProblem::new(ActionClass::Failed, format!("the budget cannot be kept: {error}"))
}
