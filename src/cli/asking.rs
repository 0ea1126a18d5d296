//! `closeout probe` and `closeout verify`: asks an agent once.

use std::sync::{Mutex, PoisonError};

use crate::config::Flags;
use crate::engine::{Launch, Overlay, Scope, judge_once};
use crate::model::{
    Act, ActOutcome, ActProblem, ActProgress, AskPlan, AskPurpose, ProbeReading, ProbeRescue, ProbeWord,
    SessionName, SmartReport, SmartStatus, Trace, display_text,
};

use super::acting::{Acting, confirm, fail, unexpected};
use super::ask_args::{Asked, Probe, Verify};
use super::environment::Environment;
use super::exit::{Failure, Outcome};
use super::{Ended, ask_words, output, report};

/// Asks for the status.
pub(super) fn probe(environment: &Environment, probe: &Probe) -> Ended {
    let (launch, session) = locate(environment, &probe.asked.target)?;
    let mut acting = Acting::judge(&launch)?;
    let plan = match planned(&mut acting, AskPurpose::Probe, session, &probe.asked)? {
        Planned::Ready(plan) => AskPlan { max_attempts: 1, rescue: ProbeRescue::Never, ..*plan },
        Planned::Ended(outcome) => return Ok(outcome),
    };
    match ask(&mut acting, plan) {
        Ok(ActOutcome::Checked(report)) => {
            if probe.asked.json {
                output::print_line(&report::line(&report))?;
            } else if report.attempts.is_empty() {
                output::print_line("not asked: there are commits since the baseline")?;
            }
            Ok(end_of_probe(&report))
        }
        Ok(other) => Ok(unexpected(&other)),
        Err(signal) => Ok(Outcome::Signalled(signal)),
    }
}

fn end_of_probe(report: &SmartReport) -> Outcome {
    match report.attempts.last().and_then(|attempt| attempt.reading) {
        None if report.outcome.status == SmartStatus::CommitsCreated => Outcome::Done,
        Some(ProbeReading::Answered(ProbeWord::Complete)) => Outcome::Done,
        Some(ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working)) | None => Outcome::NotComplete,
        Some(ProbeReading::Failed(_)) => Outcome::Act(report.class()),
    }
}

/// Asks for a checklist.
pub(super) fn verify(environment: &Environment, verify: &Verify) -> Ended {
    let (launch, session) = locate(environment, &verify.asked.target)?;
    let mut acting = Acting::judge(&launch)?;
    let plan = match planned(&mut acting, AskPurpose::Verify, session, &verify.asked)? {
        Planned::Ready(plan) => *plan,
        Planned::Ended(outcome) => return Ok(outcome),
    };
    match ask(&mut acting, plan) {
        Ok(ActOutcome::Verified(report)) => {
            for note in &report.notes {
                output::complain(&format!("closeout: {}", display_text::line(note)));
            }
            if verify.asked.json {
                output::print_line(&report::line(&report))?;
            } else {
                output::print(&ask_words::checklist(&report))?;
            }
            Ok(if report.error.is_some() {
                Outcome::Act(crate::model::ActClass::Unknown)
            } else if report.is_complete {
                Outcome::Done
            } else {
                Outcome::NotComplete
            })
        }
        Ok(other) => Ok(unexpected(&other)),
        Err(signal) => Ok(Outcome::Signalled(signal)),
    }
}

/// A plan that may be carried out, or how the program ends.
enum Planned {
    Ready(Box<AskPlan>),
    Ended(Outcome),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other outcome is one that the act cannot have")]
fn planned(
    acting: &mut Acting<'_>,
    purpose: AskPurpose,
    session: Option<SessionName>,
    asked: &Asked,
) -> Result<Planned, Failure> {
    let mut plan = match acting.act(Act::PlanAsk { purpose, session }) {
        ActOutcome::AskPlanned(plan) => plan,
        other => return Ok(Planned::Ended(unexpected(&other))),
    };
    plan.timeout_seconds = asked.timeout.unwrap_or(plan.timeout_seconds);
    if asked.dry_run {
        if asked.json {
            output::print_line(&report::line(&plan))?;
        } else {
            output::print(&ask_words::plan(&plan))?;
        }
        return Ok(Planned::Ended(Outcome::Done));
    }
    if let Err(problem) = allowed(&plan, asked.yes) {
        return Ok(Planned::Ended(fail(&problem)));
    }
    Ok(Planned::Ready(plan))
}

/// What a person should know is told; where a trace is left for a while, they are asked.
pub(super) fn allowed(plan: &AskPlan, is_yes: bool) -> Result<(), ActProblem> {
    for warning in &plan.warnings {
        output::complain(&format!("closeout: {}", display_text::line(warning)));
    }
    if plan.trace == Trace::Nothing || confirm("Ask it all the same?", is_yes) {
        return Ok(());
    }
    Err(ActProblem::new(crate::model::ActClass::Refused, "the agent is not asked"))
}

/// Carries out a plan; each step is told on standard error. The signal, if one ended it.
pub(super) fn ask(acting: &mut Acting<'_>, plan: AskPlan) -> Result<ActOutcome, u8> {
    let signalled = acting.end_on_signal();
    let lines = Mutex::new(ask_words::Lines::default());
    let most = plan.max_attempts;
    let report = move |progress: ActProgress| {
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.new_in(&progress, most) {
            output::complain(&line);
        }
    };
    let outcome = acting.act_with(Act::Ask { plan: Box::new(plan) }, &report);
    match signalled.signal() {
        Some(signal) => Err(signal),
        None => Ok(outcome),
    }
}

/// The workspace that is meant, and the session, if one was named by the beginning of its id.
fn locate(environment: &Environment, target: &str) -> Result<(Launch, Option<SessionName>), Failure> {
    let launch = |scope| environment.launch(scope, Flags::default(), Overlay::default());
    let path = environment.absolute(target.as_ref());
    if path.exists() {
        return Ok((launch(Scope::One(path))?, None));
    }
    let scope = Scope::Worktrees { with_sessions: true, here: environment.here.clone(), paths: Vec::new() };
    let judged = judge_once(&launch(scope)?);
    let sessions =
        judged.views.iter().flat_map(|view| view.sessions.iter().map(move |session| (view, session)));
    let mut found: Vec<_> = sessions.filter(|(_, session)| session.session_id.starts_with(target)).collect();
    match (found.pop(), found.is_empty()) {
        (Some((view, session)), true) => {
            let name = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
            Ok((launch(Scope::One(view.id.path().to_owned()))?, Some(name)))
        }
        (Some(_), false) => {
            Err(Failure::Usage(format!("several sessions begin with {}", display_text::line(target))))
        }
        (None, _) => Err(Failure::NoWorkspace(format!(
            "{} is neither a directory nor the beginning of a session's id",
            display_text::line(target)
        ))),
    }
}
