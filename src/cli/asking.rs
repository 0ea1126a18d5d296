//! `closeout ask` and `closeout verify`: asks an agent once. It must not ask before what a person should know
//! was shown.

use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{EngineConfig, OneShot};
use crate::model::{
    Action, ActionClass, ActionOutcome, ActionProblem, ActionProgress, AskOptions, AskPlan, AskPurpose,
    ProbeReading, ProbeRescue, ProbeWord, SessionName, SmartReport, SmartStatus, Trace, VerifyReport,
    display_text,
};

use super::ask_args::{Asked, Probe, Verify};
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::json::{self, Printed, unexpected};
use super::target::{self, Target};
use super::target_workspace::{TargetWorkspace, confirm};
use super::{ask_words, output};

/// The longest structured output passed to the closer, in bytes.
const LONGEST_OUTPUT: u64 = 64 << 10;

/// `probe --dry-run --json` and `verify --dry-run --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Asking {
    /// How the agent would be asked.
    plan: AskPlan,
}

pub(super) fn probe(environment: &Environment, probe: &Probe) -> Ended {
    let target = Target::of(environment, &probe.asked.target);
    let config = target.engine_config(environment)?;
    let (mut target_workspace, session) = judged(&target, &config)?;
    let once = AskOptions { is_single: true, ..AskOptions::default() };
    let plan = match planned(&mut target_workspace, AskPurpose::Probe, (session, once), &probe.asked)? {
        Planned::Ready(plan) => AskPlan { max_attempts: 1, rescue: ProbeRescue::Never, ..*plan },
        Planned::Ended(outcome) => return Ok(outcome),
    };
    match ask(&mut target_workspace, plan) {
        Ok(ActionOutcome::Checked(report)) => {
            let outcome = end_of_probe(&report);
            if probe.asked.json {
                Printed::new(report.class(), &*report).ending(outcome, None, Vec::new()).print()?;
            } else if report.attempts.is_empty() {
                output::print_line("not asked: there are commits since the baseline")?;
            }
            Ok(outcome)
        }
        Ok(other) => unexpected(&other, probe.asked.json),
        Err(signal) => Ok(Outcome::Signalled(signal)),
    }
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
    let options = options(verify)?;
    let plan = match planned(&mut target_workspace, AskPurpose::Verify, (session, options), &verify.asked)? {
        Planned::Ready(plan) => *plan,
        Planned::Ended(outcome) => return Ok(outcome),
    };
    match ask(&mut target_workspace, plan) {
        Ok(ActionOutcome::Verified(report)) => {
            for note in &report.notes {
                output::complain(&format!("closeout: {}", display_text::line(note)));
            }
            let outcome = end_of_verify(&report);
            if verify.asked.json {
                let reason = report.error.clone();
                Printed::new(ActionClass::Done, &*report).ending(outcome, reason, Vec::new()).print()?;
            } else {
                output::print(&ask_words::checklist(&report))?;
            }
            Ok(outcome)
        }
        Ok(other) => unexpected(&other, verify.asked.json),
        Err(signal) => Ok(Outcome::Signalled(signal)),
    }
}

/// The options that the arguments set.
fn options(verify: &Verify) -> Result<AskOptions, Failure> {
    let structured_output = verify.structured_output.as_deref().map(|path| {
        let told = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let file = std::fs::File::open(path).map_err(|error| told(error.to_string()))?;
        let mut text = String::new();
        file.take(LONGEST_OUTPUT + 1).read_to_string(&mut text).map_err(|error| told(error.to_string()))?;
        if text.len() as u64 > LONGEST_OUTPUT {
            return Err(told(format!("it is longer than {LONGEST_OUTPUT} bytes")));
        }
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| told(error.to_string()))?;
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

/// A plan that may be carried out, or how the program ends.
enum Planned {
    Ready(Box<AskPlan>),
    Ended(Outcome),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other outcome is one that the action cannot have")]
fn planned(
    target_workspace: &mut TargetWorkspace<'_>,
    purpose: AskPurpose,
    (session, options): (Option<SessionName>, AskOptions),
    asked: &Asked,
) -> Result<Planned, Failure> {
    let mut plan =
        match target_workspace.action(Action::PlanAsk { purpose, session, options: Box::new(options) }) {
            ActionOutcome::AskPlanned(plan) => plan,
            other => return Ok(Planned::Ended(unexpected(&other, asked.json)?)),
        };
    plan.timeout_seconds = asked.timeout.unwrap_or(plan.timeout_seconds);
    if asked.dry_run {
        if asked.json {
            Printed::new(ActionClass::Done, Asking { plan: (*plan).clone() }).print()?;
        } else {
            output::print(&ask_words::plan(&plan))?;
        }
        return Ok(Planned::Ended(Outcome::Done));
    }
    if let Err(problem) = allowed(&plan, asked.yes) {
        return Ok(Planned::Ended(json::fail(&problem, asked.json)?));
    }
    Ok(Planned::Ready(plan))
}

/// Prints the plan's warnings, and asks the person if asking leaves a trace for a while.
pub(super) fn allowed(plan: &AskPlan, is_yes: bool) -> Result<(), ActionProblem> {
    for warning in &plan.warnings {
        output::complain(&format!("closeout: {}", display_text::line(warning)));
    }
    if plan.trace == Trace::Nothing || confirm("Ask it all the same?", is_yes) {
        return Ok(());
    }
    Err(ActionProblem::new(ActionClass::Declined, "the agent is not asked"))
}

/// Carries out a plan and prints each step on standard error. The error is the number of a signal that ended
/// it.
pub(super) fn ask(target_workspace: &mut TargetWorkspace<'_>, plan: AskPlan) -> Result<ActionOutcome, u8> {
    let signalled = target_workspace.end_on_signal();
    let lines = Mutex::new(ask_words::Lines::default());
    let most = plan.max_attempts;
    let report = move |progress: ActionProgress| {
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.new_in(&progress, most) {
            output::complain(&line);
        }
    };
    let outcome = target_workspace.act_with(Action::Ask { plan: Box::new(plan) }, &report);
    match signalled.signal() {
        Some(signal) => Err(signal),
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
    let all = OneShot::judge(config);
    let views = all.judged().views;
    let sessions = target.sessions(&views, None);
    let [(view, session)] = sessions.as_slice() else {
        let is_none = sessions.is_empty();
        let way = "write more of its id";
        return Err(if is_none { target.not_found() } else { target::several(&sessions, way) });
    };
    let name = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
    Ok((TargetWorkspace::on(all, (*view).clone()), Some(name)))
}
