//! Plans how an agent would be asked, and plans it again right before it is asked, so that only what a person
//! confirmed is carried out. It must not ask.

use std::time::Duration;

use crate::action::asking::{Asker, shown};
use crate::agent::{Adapter, AgentCommand, Asking};
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, ActivityState, AskOptions, AskPlan, AskPurpose, Bounds,
    PROBE_INTERVAL_SECONDS, PROBE_TIMEOUT_SECONDS, PROBES, ProbeRescue, SessionName, SessionObservation,
    Trace,
};
use crate::process::{self, Launcher};

use super::decide;
use super::prompts::{self, Prompt};
use super::refresher::{Current, Refresher};
use super::tools::Tools;

/// Separates the prompts of several steps when a person is shown them.
const BETWEEN: &str = "\n\n---\n\n";

/// Everything needed to ask.
pub(super) struct Ready<'a> {
    pub(super) plan: AskPlan,
    pub(super) current: Current,
    pub(super) adapter: &'a Adapter,
    pub(super) refresher: Refresher<'a>,
    /// The model that the person configured for questions to this agent.
    pub(super) model: Option<String>,
    /// The prompts, in the order they are sent.
    pub(super) questions: Vec<Prompt>,
}

/// Reads the session and makes the plan.
pub(super) fn ready<'a>(
    request: &'a ActionRequest,
    purpose: AskPurpose,
    session: Option<&SessionName>,
    options: &AskOptions,
    tools: &Tools<'a>,
) -> Result<Ready<'a>, ActionProblem> {
    if purpose == AskPurpose::Probe {
        check_standing(request)?;
    }
    let session = session.or(request.first_session.as_ref()).ok_or_else(|| {
        ActionProblem::new(ActionClass::Refused, "no agent session is known here, so there is none to ask")
    })?;
    let asked = options.with.as_ref().unwrap_or(&session.agent);
    let adapter = tools.adapter(asked)?;
    let refresher = Refresher::new(request, tools);
    let current = refresher.session(session)?;
    if options.with.is_none() {
        check_activity(&current)?;
    }
    let questions = match purpose {
        AskPurpose::Probe => vec![prompts::probe()],
        AskPurpose::Verify => prompts::closers(request, &refresher, tools, (&session.agent, options))?,
    };
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    let sources: Vec<&str> = questions.iter().map(|question| question.from.as_str()).collect();
    let notes = questions.iter().flat_map(|question| question.notes.clone()).collect();
    let prompt = Prompt { text: texts.join(BETWEEN), from: sources.join(", "), notes };
    let is_fresh = options.with.is_some();
    // Another agent is asked in a new session, so the session that did the work is not disturbed.
    let current = if is_fresh {
        Current { session: new_session(request, adapter), record: None, ..current }
    } else {
        current
    };
    let model = tools.config.config.model_of(adapter.name());
    let command = command(adapter, &current, purpose, is_fresh, texts[0], model.as_ref())?;
    let warnings = warnings(adapter, &current, &command, prompt.notes)?;
    let (bounds, _) = tools.config.config.completion_check_for(request.workspace.path());
    let is_probe = purpose == AskPurpose::Probe;
    let plan = AskPlan {
        purpose,
        session: session.clone(),
        command: shown(&command),
        trace: command.trace,
        prompt: prompt.text,
        prompt_from: prompt.from,
        max_attempts: if is_probe { u32::from(bounds.max_probes) } else { 2 },
        interval_seconds: if is_probe { bounds.probe_interval_ms / 1000 } else { 0 },
        timeout_seconds: bounds.probe_timeout_ms / 1000,
        rescue: if is_probe && bounds.is_final_rescue_wanted {
            ProbeRescue::Record
        } else {
            ProbeRescue::Never
        },
        warnings,
        options: options.clone(),
    };
    Ok(Ready { plan, current, adapter, refresher, model, questions })
}

/// Plans again and compares the result with the plan a person confirmed. What they may have changed
/// (attempts, time limits, the extent of a rescue) is taken from theirs, within bounds.
pub(super) fn confirmed<'a>(
    request: &'a ActionRequest,
    plan: &AskPlan,
    tools: &Tools<'a>,
) -> Result<Ready<'a>, ActionProblem> {
    let ready = ready(request, plan.purpose, Some(&plan.session), &plan.options, tools)?;
    let is_same = ready.plan.command == plan.command
        && ready.plan.prompt == plan.prompt
        && ready.plan.trace == plan.trace;
    if !is_same {
        let message = "what would be asked has changed since you looked";
        return Err(ActionProblem::new(ActionClass::Refused, message).with_next("look again and confirm it"));
    }
    let plan = AskPlan {
        max_attempts: plan.max_attempts.min(u32::from(PROBES.most)),
        interval_seconds: within(plan.interval_seconds, PROBE_INTERVAL_SECONDS),
        timeout_seconds: within(plan.timeout_seconds, PROBE_TIMEOUT_SECONDS),
        ..plan.clone()
    };
    Ok(Ready { plan, ..ready })
}

/// A number from a plan, limited to its bounds, whoever changed it.
fn within(number: u64, bounds: Bounds) -> u64 {
    number.clamp(u64::from(bounds.least), u64::from(bounds.most))
}

/// R3: an agent is asked for its status only if nothing else tells it.
fn check_standing(request: &ActionRequest) -> Result<(), ActionProblem> {
    let standing = &request.standing;
    let refuse = |what: &str, by: &[String]| {
        let message = format!("the agent is not asked: it is {what}, according to {}", by.join(", "));
        Err(ActionProblem::new(ActionClass::Refused, message))
    };
    if !standing.no.is_empty() {
        refuse("not finished", &standing.no)
    } else if !standing.yes.is_empty() {
        refuse("finished", &standing.yes)
    } else {
        Ok(())
    }
}

pub(super) fn check_activity(current: &Current) -> Result<(), ActionProblem> {
    if current.view.activity.state == ActivityState::Working {
        let problem = ActionProblem::new(ActionClass::Busy, "the session is at work");
        return Err(problem.with_next("wait until its turn is over"));
    }
    Ok(())
}

/// A new session in the workspace, begun in order to be asked.
fn new_session(request: &ActionRequest, adapter: &Adapter) -> SessionObservation {
    let folder = Some(request.workspace.path().to_owned());
    SessionObservation { folder, ..SessionObservation::named(adapter.name(), "") }
}

/// A new session and the command line that asks it; the error says why it cannot be asked.
pub(super) fn in_new_session(
    request: &ActionRequest,
    adapter: &Adapter,
    asking: &Asking,
) -> Result<(SessionObservation, AgentCommand), String> {
    let session = new_session(request, adapter);
    let command = adapter.command(&session, asking);
    let command = command.ok_or_else(|| format!("{} cannot be asked in a new session", adapter.name()))?;
    Ok((session, command))
}

/// The command line of one attempt.
pub(super) fn command(
    adapter: &Adapter,
    current: &Current,
    purpose: AskPurpose,
    is_fresh: bool,
    prompt: &str,
    model: Option<&String>,
) -> Result<AgentCommand, ActionProblem> {
    let (prompt, model) = (prompt.to_owned(), model.cloned());
    let asking = match purpose {
        AskPurpose::Probe => Asking::Probe { prompt, model },
        AskPurpose::Verify if is_fresh => {
            Asking::Fresh { prompt, schema: prompts::CLOSER_SCHEMA.to_owned(), model }
        }
        AskPurpose::Verify => Asking::Closer { prompt, schema: prompts::CLOSER_SCHEMA.to_owned(), model },
    };
    adapter.command(&current.session, &asking).ok_or_else(|| {
        let message = format!("{} has no way to ask this session", adapter.name());
        ActionProblem::new(ActionClass::Refused, message)
    })
}

/// Warnings that a person should see first; an error if asking would disturb a session.
fn warnings(
    adapter: &Adapter,
    current: &Current,
    command: &AgentCommand,
    notes: Vec<String>,
) -> Result<Vec<String>, ActionProblem> {
    let mut warnings = notes;
    match command.trace {
        Trace::Nothing => {}
        Trace::Copy if current.view.process.is_some() && !current.session.session_id.is_empty() => {
            let words = format!(
                "{} cannot be asked without a copy of the session, and the session is still open",
                adapter.name()
            );
            return Err(ActionProblem::new(ActionClass::Refused, words).with_next("ask when it has ended"));
        }
        Trace::Copy => warnings.push(format!(
            "{} cannot be asked without a trace: it makes a copy of the session, which is deleted afterwards",
            adapter.name()
        )),
        Trace::InSession => {
            let words = format!("asking {} would become part of the session", adapter.name());
            return Err(ActionProblem::new(ActionClass::Refused, words));
        }
    }
    match current.view.activity.state {
        ActivityState::NeedsPermission | ActivityState::Asks => {
            warnings.push("the session is waiting for your answer; this is not one".to_owned());
        }
        ActivityState::Working
        | ActivityState::Idle
        | ActivityState::Background
        | ActivityState::Gone
        | ActivityState::Unknown => {}
    }
    Ok(warnings)
}

/// The client that asks, with the limits of the plan.
pub(super) fn asker(request: &ActionRequest, ready: &Ready<'_>, tools: &Tools<'_>) -> Asker {
    let limit = Duration::from_secs(ready.plan.timeout_seconds);
    let mut asker = asker_of_new(ready.adapter, tools, limit);
    asker.environment.extend(decide::variables(request));
    Asker { record: ready.current.record.clone(), ..asker }
}

/// The client that asks a new session.
pub(super) fn asker_of_new(adapter: &Adapter, tools: &Tools<'_>, limit: Duration) -> Asker {
    Asker {
        environment: process::environment(&tools.config.variables, &adapter.facts().variables),
        launcher: tools.config.own_program.clone().map(|program| Launcher { program }),
        time_limit: limit,
        cancel: tools.cancel.clone(),
        record: None,
    }
}
