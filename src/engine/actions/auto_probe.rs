//! A question to an agent without a person's request: checked, planned and carried out in one go, within the
//! person's budget, and audited as automatic.
//!
//! It must not ask without a permit from the file that all closeouts of a state folder share, must not rescue
//! (neither record nor commit), and asks only if that leaves no trace.

use super::asking::{Ready, ready};
use super::refresher::{Current, Refresher};
use super::smart_check::carry_out;
use super::tools::{Stop, Tools, finished, guarded};
use super::{audit, second_opinion};
use crate::engine::clock;
use crate::judge::supervised_loop::Breaker;
use crate::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, ActionRequest, ActivitySource,
    ActivityState, Actor, AskOptions, AskPlan, AskPurpose, AuditEntry, NotAsked, ProbePermit, ProbeRescue,
    SessionMoment, Trace,
};
use crate::store::{Store, StoreError};

/// Carries it out. The audit entry is written once the first question is permitted; before that nothing was
/// done.
pub(super) fn perform(
    request: &ActionRequest,
    moment: &SessionMoment,
    store: Option<&Store>,
    tools: &Tools<'_>,
) -> (ActionOutcome, Option<AuditEntry>) {
    let mut begun = None;
    let outcome = guarded(|| finished(ask(request, moment, store, tools, &mut begun), |outcome| *outcome));
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
) -> Result<ActionOutcome, Stop> {
    let question = question(request)?;
    let store = store.ok_or_else(|| refused("there is no state folder to keep the budget in"))?;
    if (Breaker { n_time_outs: store.time_outs(&request.workspace) }).is_open() {
        let message =
            "the circuit breaker of the workspace is open: the last questions and commands timed out";
        return Err(refused(message).into());
    }
    let check_nobody_asked = || match has_person_asked(store, request, moment) {
        Ok(false) => Ok(()),
        Ok(true) => Err(Stop::NotAsked(NotAsked::AskedBefore)),
        Err(error) => Err(unkept(&error).into()),
    };
    if let Question::LastWords { reader } = question {
        check(&Refresher::new(request, tools).session(&moment.session)?, moment)?;
        check_nobody_asked()?;
        let mut permit = || permit(request, moment, reader, store, tools, begun);
        return second_opinion::ask(request, reader, tools, &mut permit)
            .map(|opinion| ActionOutcome::Opined(Box::new(opinion)));
    }
    let usual = AskOptions { is_single: true, ..AskOptions::default() };
    let ready = ready(request, AskPurpose::Probe, Some(&moment.session), &usual, tools)?;
    check(&ready.current, moment)?;
    if ready.plan.trace != Trace::Nothing {
        return Err(refused("the agent cannot be asked without a trace").into());
    }
    if ready.plan.max_attempts == 0 {
        return Err(refused("no question is allowed here (completion_check.max_probes)").into());
    }
    check_nobody_asked()?;
    let plan = AskPlan { rescue: ProbeRescue::Never, ..ready.plan };
    let mut permit = |_number| permit(request, moment, &moment.session.agent, store, tools, begun);
    carry_out(request, Ready { plan, ..ready }, tools, &mut permit)
        .map(|report| ActionOutcome::Checked(Box::new(report)))
}

/// What is asked.
enum Question<'a> {
    /// The agent: the status of its work.
    Status,
    /// A new session of the agent `reader`: what the last words mean.
    LastWords { reader: &'a str },
}

/// What to ask; an error if the person's configuration does not allow it.
fn question(request: &ActionRequest) -> Result<Question<'_>, ActionProblem> {
    let settings = &request.settings;
    let (question, key) = if matches!(request.action, Action::SecondOpinion { .. }) {
        let reader = settings.second_reader.as_deref();
        (reader.map(|reader| Question::LastWords { reader }), "judge.second_opinion")
    } else {
        (settings.may_be_asked.then_some(Question::Status), "completion_check.auto_probe")
    };
    question.ok_or_else(|| refused(format!("the configuration does not allow it ({key})")))
}

/// Acquires a permit for one question at this moment, sent to the agent `asked`. The first permit also writes
/// the audit entry of the action's beginning.
fn permit(
    request: &ActionRequest,
    moment: &SessionMoment,
    asked: &str,
    store: &Store,
    tools: &Tools<'_>,
    begun: &mut Option<AuditEntry>,
) -> Result<(), Stop> {
    let now = clock::now();
    let per_hour = tools.config.config.auto_probes.per_hour;
    let taken = store.acquire_probe_permit(moment, begun.is_none(), per_hour, now);
    let budget = match taken.map_err(|error| unkept(&error))? {
        ProbePermit::Granted(budget) => budget,
        ProbePermit::Denied(why) => return Err(Stop::NotAsked(why)),
    };
    if begun.is_none()
        && let Some(mut entry) = audit::begin(request, Actor::Automatic, now)
    {
        entry.plan = format!("{asked}, {budget}");
        audit::write(Some(store), &entry)?;
        *begun = Some(entry);
    }
    Ok(())
}

/// Checks once more, right before asking, that the session has done nothing since the moment that was judged.
fn check(current: &Current, moment: &SessionMoment) -> Result<(), ActionProblem> {
    let is_over = matches!(current.view.activity.state, ActivityState::Idle | ActivityState::Gone)
        && !matches!(current.view.activity.source, ActivitySource::PaneTitle | ActivitySource::None);
    let is_same = current.view.rested_at() == moment.rested_at
        && (moment.prompted_at.is_none() || current.session.prompted_at <= moment.prompted_at);
    if !is_over || !is_same {
        return Err(ActionProblem::new(ActionClass::Busy, "the session has continued"));
    }
    Ok(())
}

/// Whether a person or an agent had the session asked at this moment, through any closeout of this state
/// folder, whatever the result. Automatic questions do not count.
fn has_person_asked(
    store: &Store,
    request: &ActionRequest,
    moment: &SessionMoment,
) -> Result<bool, StoreError> {
    let is_such = |entry: &AuditEntry| {
        entry.workspace == request.workspace
            && matches!(entry.kind, ActionKind::Probe | ActionKind::Verify)
            && entry.by != Actor::Automatic
    };
    Ok(store.audit(moment.rested_at)?.entries.iter().any(is_such))
}

fn refused(message: impl Into<String>) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, message)
}

fn unkept(error: &StoreError) -> ActionProblem {
    ActionProblem::new(ActionClass::Failed, format!("the budget cannot be kept: {error}"))
}
