//! `closeout ask` and `closeout verify`: asks an agent once. It must not ask before what a person should know
//! was shown.

use std::fmt::Write as _;
use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{EngineConfig, OneShot};
use crate::model::{
    Action, ActionClass, ActionProblem, ActionProgress, AskOptions, AskPlan, AskPurpose, ItemState,
    ProbeAttempt, ProbeReading, ProbeRescue, ProbeWord, SessionName, SmartReport, SmartStatus, Trace,
    TypedAction, VerifyReport, display_text,
};
use crate::present::{action, age, sets};

use super::ask_args::{Asked, Verify};
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::json::Printed;
use super::output;
use super::target::{self, Target};
use super::target_workspace::{TargetWorkspace, confirm, tell_wait};

/// The longest structured output passed to the closer, in bytes.
const LONGEST_OUTPUT: u64 = 64 << 10;

/// `probe --dry-run --json` and `verify --dry-run --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Asking {
    /// How the agent would be asked.
    plan: AskPlan,
}

pub(super) fn probe(environment: &Environment, asked: &Asked) -> Ended {
    let target = Target::of(environment, &asked.target);
    let config = target.engine_config(environment)?;
    let (mut target_workspace, session) = judged(&target, &config)?;
    let once = AskOptions { is_single: true, ..AskOptions::default() };
    let plan = planned(&mut target_workspace, Action::plan_ask(AskPurpose::Probe, session, once), asked)?;
    let plan = AskPlan { max_attempts: 1, rescue: ProbeRescue::Never, ..plan };
    let report = ask(&mut target_workspace, 1, Action::probe(plan))??;
    let outcome = end_of_probe(&report);
    if asked.json {
        Printed::new(report.class(), &report).ending(outcome, None, Vec::new()).print()?;
    } else if report.attempts.is_empty() {
        output::print_line("not asked: there are commits since the baseline")?;
    }
    Ok(outcome)
}

fn end_of_probe(report: &SmartReport) -> Outcome {
    match report.attempts.last().and_then(|attempt| attempt.reading) {
        None if report.outcome.status == SmartStatus::CommitsCreated => Outcome::Done,
        Some(ProbeReading::Answered(ProbeWord::Complete)) => Outcome::Done,
        Some(ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working)) | None => Outcome::NotComplete,
        Some(ProbeReading::Failed(_)) => Outcome::Action(report.class()),
    }
}

pub(super) fn verify(environment: &Environment, verify: &Verify) -> Ended {
    let target = Target::of(environment, &verify.asked.target);
    let config = target.engine_config(environment)?;
    let (mut target_workspace, session) = judged(&target, &config)?;
    let wanted = Action::plan_ask(AskPurpose::Verify, session, options(verify)?);
    let plan = planned(&mut target_workspace, wanted, &verify.asked)?;
    let report = ask(&mut target_workspace, plan.max_attempts, Action::verify(plan))??;
    output::notes(&report.notes);
    let outcome = end_of_verify(&report);
    if verify.asked.json {
        let reason = report.error.clone();
        Printed::new(ActionClass::Done, &report).ending(outcome, reason, Vec::new()).print()?;
    } else {
        output::print(&checklist(&report))?;
    }
    Ok(outcome)
}

fn options(verify: &Verify) -> Result<AskOptions, Failure> {
    let structured_output = verify.structured_output.as_deref().map(|path| {
        let failed = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
        let mut text = String::new();
        file.take(LONGEST_OUTPUT + 1).read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
        if text.len() as u64 > LONGEST_OUTPUT {
            return Err(failed(format!("it is longer than {LONGEST_OUTPUT} bytes")));
        }
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        Ok(value.to_string())
    });
    Ok(AskOptions {
        with: verify.with.clone(),
        params: verify.params.iter().cloned().collect(),
        steps: verify.steps.clone(),
        structured_output: structured_output.transpose()?,
        ..AskOptions::default()
    })
}

fn end_of_verify(report: &VerifyReport) -> Outcome {
    if report.error.is_some() {
        Outcome::Action(ActionClass::Unknown)
    } else if report.is_complete {
        Outcome::Done
    } else {
        Outcome::NotComplete
    }
}

/// A plan that may be carried out.
fn planned(
    target_workspace: &mut TargetWorkspace<'_>,
    wanted: TypedAction<AskPlan>,
    asked: &Asked,
) -> Result<AskPlan, Failure> {
    let mut plan = target_workspace.action(wanted)?;
    plan.timeout_seconds = asked.timeout.unwrap_or(plan.timeout_seconds);
    if asked.dry_run {
        if asked.json {
            Printed::new(ActionClass::Done, Asking { plan }).print()?;
        } else {
            output::print(&plan_text(&plan))?;
        }
        return Err(Failure::Over(Outcome::Done));
    }
    allowed(&plan, asked.yes)?;
    Ok(plan)
}

/// Prints the plan's warnings, and asks the person if asking leaves a trace for a while.
pub(super) fn allowed(plan: &AskPlan, is_yes: bool) -> Result<(), ActionProblem> {
    output::notes(&plan.warnings);
    if plan.trace == Trace::Nothing || confirm("Ask it anyway?", is_yes) {
        return Ok(());
    }
    Err(ActionProblem::new(ActionClass::Declined, "the agent is not asked"))
}

/// Asks, at most `most` times, and prints each step on standard error.
///
/// # Errors
/// A signal ended it.
pub(super) fn ask<T>(
    target_workspace: &mut TargetWorkspace<'_>,
    most: u32,
    wanted: TypedAction<T>,
) -> Result<Result<T, ActionProblem>, Failure> {
    let signalled = target_workspace.end_on_signal();
    let lines = Mutex::new(Lines::default());
    let report = move |progress: ActionProgress| {
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.new_in(&progress, most) {
            output::complain(&line);
        }
    };
    let outcome = target_workspace.act_with(wanted, &report);
    match signalled.signal() {
        Some(signal) => Err(Failure::Over(Outcome::Signalled(signal))),
        None => Ok(outcome),
    }
}

/// The one session that `target` names, judged together with its workspace. For a workspace it is `None`: the
/// engine chooses the session whose words count.
fn judged<'a>(
    target: &Target,
    config: &'a EngineConfig,
) -> Result<(TargetWorkspace<'a>, Option<SessionName>), Failure> {
    if let Target::Folder(_) = target {
        return Ok((TargetWorkspace::judge(config)?, None));
    }
    let all = OneShot::judge_telling(config, tell_wait);
    let views = all.judged().views;
    let sessions = target.sessions(&views, None);
    let [(view, session)] = sessions.as_slice() else {
        let is_none = sessions.is_empty();
        let way = "give more of its id";
        return Err(if is_none { target.not_found() } else { target::several(&sessions, way) });
    };
    let name = session.session_name();
    Ok((TargetWorkspace::on(all, (*view).clone()), Some(name)))
}

fn plan_text(plan: &AskPlan) -> String {
    let mut text = String::new();
    let session = display_text::line(&plan.session.session_id);
    let _ = writeln!(text, "asks     {} (session {session})", display_text::line(&plan.session.agent));
    let _ = writeln!(text, "runs     {}", action::command(&plan.command));
    let _ = writeln!(text, "leaves   {}", sets::trace(plan.trace));
    let _ = writeln!(text, "prompt   {}", display_text::line(&plan.prompt_from));
    for warning in &plan.warnings {
        let _ = writeln!(text, "note     {}", display_text::line(warning));
    }
    let _ = writeln!(text, "\n{}", display_text::block(plan.prompt.trim_end()));
    text
}

/// Turns progress reports into lines, each printed once.
#[derive(Debug, Default)]
struct Lines {
    n_ended: usize,
    last: String,
}

impl Lines {
    /// The lines that `progress` adds.
    fn new_in(&mut self, progress: &ActionProgress, most: u32) -> Vec<String> {
        let mut lines = Vec::new();
        let ended = progress.attempts.iter().filter(|attempt| attempt.reading.is_some());
        for attempt in ended.skip(self.n_ended) {
            self.n_ended += 1;
            lines.push(self::attempt(attempt, most));
        }
        let running = progress.attempts.last().filter(|attempt| attempt.reading.is_none());
        let words = match running {
            Some(attempt) => format!("probe {}/{most}: {}", attempt.number, progress.message),
            None => progress.message.clone(),
        };
        // The result of an attempt was just added.
        if words != self.last && lines.is_empty() {
            lines.push(display_text::line(&words).into_owned());
        }
        self.last = words;
        lines
    }
}

fn attempt(attempt: &ProbeAttempt, most: u32) -> String {
    let reading = attempt.reading.map_or("no answer yet", action::reading);
    let mut text = format!("probe {}/{most}: {reading}", attempt.number);
    if let Some(took_ms) = attempt.took_ms.filter(|took_ms| *took_ms > 0) {
        let _ = write!(text, " after {}", age::span(took_ms));
    }
    if let Some(cost) = action::cost(attempt.cost) {
        let _ = write!(text, ", {cost}");
    }
    if let Some(words) = &attempt.detail {
        let _ = write!(text, ": {}", display_text::line(words));
    }
    text
}

fn checklist(report: &VerifyReport) -> String {
    let mut text = String::new();
    for item in &report.checklist.items {
        let mark = if item.state == ItemState::Done { "[x]" } else { "[ ]" };
        let _ = writeln!(text, "{mark} {}", display_text::line(&item.title));
        if let Some(evidence) = &item.evidence {
            let _ = writeln!(text, "      {}", display_text::line(evidence));
        }
    }
    for action in &report.pending_actions {
        let _ = writeln!(text, "to do: {}", display_text::line(action));
    }
    if let Some(summary) = &report.summary {
        let _ = writeln!(text, "{}", display_text::line(summary));
    }
    if let Some(error) = &report.error {
        let _ = writeln!(text, "the answer cannot be used: {}", display_text::line(error));
    }
    let done = if report.is_complete { "complete" } else { "not complete" };
    let confidence = report.confidence_percent.map(|percent| format!(", confidence {percent} %"));
    let cost = action::cost(report.cost).map(|cost| format!(", {cost}"));
    let round = report.round;
    let (confidence, cost) = (confidence.unwrap_or_default(), cost.unwrap_or_default());
    let _ = writeln!(text, "{done} (round {round}{confidence}{cost})");
    text
}
