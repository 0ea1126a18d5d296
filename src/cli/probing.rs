//! `closeout check --ask`: a smart check for scripts. Progress goes to standard error and the result to
//! standard output; the exit code must be 0 only for the verdict COMPLETE.

use std::io::{self, IsTerminal as _};

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{EngineConfig, clock};
use crate::judge::supervised_loop::{Breaker, BreakerNews};
use crate::model::{
    Action, ActionClass, ActionProblem, AskOptions, AskPlan, AskPurpose, Keeping, ProbeAttempt, ProbeReading,
    ProbeRescue, ProbeWord, RecordOrder, RecordRef, Recording, SmartReport, SmartStatus, Timestamp,
    VerdictState, WorkspaceView, display_text,
};
use crate::present::json as forms;
use crate::present::json::{Row, VERSION};
use crate::present::verdict;
use crate::present::{action, baseline};
use crate::store::Store;

use super::args::Check;
use super::ask_args::{Probing, RescueWay};
use super::asking::{allowed, ask};
use super::exit::{Ended, Failure, Outcome};
use super::target_workspace::{TargetWorkspace, confirm};
use super::{output, text};

/// What `check --probe --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Smart {
    /// The version of this form.
    version: u32,
    /// When it was made, in milliseconds since 1970.
    at: Timestamp,
    /// How the smart check ended.
    status: SmartWord,
    /// Whether the work is done: the smart check and the verdict both say so.
    complete: bool,
    /// The verdict.
    verdict: VerdictState,
    /// The verdict's rule in words, or why no agent was asked.
    reason: String,
    /// Probes sent.
    probes_used: u32,
    /// Pauses made between them.
    waits: u32,
    /// A rescue made at least one commit.
    rescued: bool,
    /// The reference of the record that was made of uncommitted work, if one was.
    record: Option<RecordRef>,
    /// All probes, in their order.
    attempts: Vec<ProbeAttempt>,
    /// What else should be known, in words.
    notes: Vec<String>,
    /// The workspace as it is now.
    workspace: Option<Row>,
}

/// How a smart check ended, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SmartWord {
    /// No agent was asked; `reason` says why.
    NotAsked,
    /// As the smart check says.
    #[serde(untagged)]
    Ended(SmartStatus),
}

#[derive(Default)]
struct Found {
    report: Option<SmartReport>,
    /// Why no agent was asked.
    not_asked: Option<String>,
    rescued: bool,
    record: Option<RecordRef>,
    notes: Vec<String>,
}

pub(super) fn run(config: &EngineConfig, check: &Check) -> Ended {
    let mut target_workspace = TargetWorkspace::judge(config)?;
    let store = config.state_folder.as_ref().and_then(|folder| Store::open(folder).ok());
    let id = target_workspace.view().id.clone();
    let breaker = Breaker { n_time_outs: store.as_ref().map_or(0, |store| store.time_outs(&id)) };
    let mut found = if breaker.is_open() {
        let verdict = "the circuit breaker is open: the last questions and commands here timed out; work that becomes \
                     complete closes it, and so does `closeout run --reset-breaker`";
        output::complain(&format!("closeout: {verdict}"));
        Found { not_asked: Some(verdict.to_owned()), ..Found::default() }
    } else {
        find(&mut target_workspace, &check.probing)?
    };
    rescue(&mut target_workspace, &check.probing, &mut found);
    found.notes.extend(target_workspace.notices());
    let state = verdict(target_workspace.view());
    let after = news(found.report.as_ref(), state).map_or(breaker, |news| breaker.after(news));
    if let Some(Err(error)) =
        store.filter(|_| after != breaker).map(|store| store.keep_time_outs(&id, after.n_time_outs))
    {
        found.notes.push(error.to_string());
    }
    let smart = smart(target_workspace.view(), state, found);
    let (is_complete, status) = (smart.complete, smart.status);
    if check.json {
        output::print_line(&forms::line(&smart))?;
    } else {
        output::notes(&smart.notes);
        output::print_text(&text::full(target_workspace.view(), clock::now()))?;
    }
    Ok(match status {
        _ if is_complete => Outcome::Done,
        SmartWord::Ended(SmartStatus::GitError) => Outcome::Unjudged,
        SmartWord::Ended(SmartStatus::ProbeError) if state != VerdictState::RescueNeeded => Outcome::Unjudged,
        _ if state == VerdictState::Error => Outcome::Unjudged,
        SmartWord::Ended(_) | SmartWord::NotAsked => Outcome::NotComplete,
    })
}

fn verdict(view: &WorkspaceView) -> VerdictState {
    view.verdict.as_deref().map_or(VerdictState::Error, |verdict| verdict.state)
}

/// The news for the circuit breaker. An agent that says it is still working did not time out.
fn news(report: Option<&SmartReport>, state: VerdictState) -> Option<BreakerNews> {
    if state == VerdictState::Complete {
        return Some(BreakerNews::Succeeded);
    }
    // If no agent was asked, nothing timed out, and no row is interrupted.
    let report = report?;
    let goes_on = |attempt: &ProbeAttempt| {
        matches!(attempt.reading, Some(ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working)))
    };
    Some(match report.outcome.status {
        SmartStatus::Timeout | SmartStatus::ProbeError if !report.attempts.last().is_some_and(goes_on) => {
            BreakerNews::TimedOut
        }
        SmartStatus::CommitsCreated | SmartStatus::Rescued | SmartStatus::NothingToDo => {
            BreakerNews::Succeeded
        }
        SmartStatus::Timeout | SmartStatus::ProbeError | SmartStatus::GitError => BreakerNews::Other,
    })
}

/// Plans and asks.
fn find(target_workspace: &mut TargetWorkspace<'_>, probing: &Probing) -> Result<Found, Failure> {
    let not_asked = |problem: ActionProblem| Found { not_asked: Some(problem.message), ..Found::default() };
    let wanted = Action::plan_ask(AskPurpose::Probe, None, AskOptions::default());
    let plan = match target_workspace.action(wanted) {
        Ok(plan) => with_flags(plan, probing),
        Err(problem) => {
            output::note(&problem.message);
            return Ok(not_asked(problem));
        }
    };
    if let Err(problem) = allowed(&plan, probing.yes) {
        return Ok(not_asked(problem));
    }
    match ask(target_workspace, plan.max_attempts, Action::probe(plan))? {
        Ok(report) => Ok(Found {
            not_asked: None,
            rescued: report.outcome.rescued,
            record: report.record.clone(),
            notes: report.notes.clone(),
            report: Some(report),
        }),
        Err(problem) if problem.class == ActionClass::Cancelled => Err(problem.into()),
        Err(problem) => {
            output::note(&problem.message);
            Ok(not_asked(problem))
        }
    }
}

fn with_flags(plan: AskPlan, probing: &Probing) -> AskPlan {
    AskPlan {
        max_attempts: probing.max_probes.unwrap_or(plan.max_attempts),
        interval_seconds: probing.probe_interval.unwrap_or(plan.interval_seconds),
        timeout_seconds: probing.probe_timeout.unwrap_or(plan.timeout_seconds),
        rescue: match probing.rescue {
            None => plan.rescue,
            // What the person agrees to is committed later, once they have seen it.
            Some(RescueWay::Ask) => ProbeRescue::Record,
            Some(RescueWay::Auto) => ProbeRescue::Commit,
            Some(RescueWay::Never) => ProbeRescue::Never,
        },
        ..plan
    }
}

/// Rescues what is left: because no agent was asked, since something else says that the work is done, or
/// because a person is to be asked first.
fn rescue(target_workspace: &mut TargetWorkspace<'_>, probing: &Probing, found: &mut Found) {
    let way = match probing.rescue {
        Some(way) if verdict(target_workspace.view()) == VerdictState::RescueNeeded && !found.rescued => way,
        Some(_) | None => return,
    };
    let commits = match way {
        RescueWay::Never => return,
        RescueWay::Auto => found.not_asked.is_some(),
        RescueWay::Ask => io::stdin().is_terminal(),
    };
    if !commits {
        if found.record.is_none()
            && way == RescueWay::Ask
            && let Ok(Recording::Made(record)) =
                target_workspace.action(Action::record(RecordOrder::default()))
        {
            found.record = Some(record.reference.clone());
        }
        return;
    }
    let mut plan = match target_workspace.action(Action::plan_rescue(None, RecordOrder::default())) {
        Ok(Recording::Made(Keeping::Commit(plan))) => plan,
        Ok(Recording::Made(Keeping::Branch(_))) => {
            return found.notes.push("commits are on no branch: `closeout rescue` keeps them".to_owned());
        }
        Ok(Recording::TooLarge(_)) => {
            let words = "a record would be so large that you are asked first: `closeout rescue`";
            return found.notes.push(words.to_owned());
        }
        Err(problem) => return found.notes.push(problem.message),
    };
    found.record = Some(plan.record.reference.clone());
    // A program of the person's own commits to the branch that is checked out.
    let is_here = plan.target.is_some();
    plan.choose_usual();
    if let Some((note, _)) = plan.committed_on() {
        return found.notes.push(action::note(note));
    }
    if let Some(refusal) = plan.why_no_commit() {
        return found.notes.push(format!("recorded, and not committed: {refusal}"));
    }
    let elsewhere = plan.why_elsewhere().map(str::to_owned);
    let program = if way == RescueWay::Auto && is_here { plan.programs.want_trusted() } else { None };
    found.notes.extend(program.map(|program| format!("your own rescue program commits: {program}")));
    for path in plan.paths.iter().filter(|path| path.left_out.is_none()) {
        output::complain(&format!("  {}", display_text::bytes(&path.path)));
    }
    let branch = plan.target_branch().map(baseline::branch).unwrap_or_default();
    let question = match &elsewhere {
        None => format!("Commit these files on {branch}?"),
        Some(why) => format!("{why}. Commit these files on a new branch, {branch}?"),
    };
    if !confirm(&question, way == RescueWay::Auto) {
        return found.notes.push("the work is recorded, and not committed".to_owned());
    }
    match target_workspace.action(Action::rescue(plan)) {
        Ok(_) => {
            found.rescued = true;
            found.notes.extend(elsewhere.map(|why| format!("committed on a new branch, {branch}: {why}")));
        }
        Err(problem) => found.notes.push(problem.message),
    }
}

fn smart(view: &WorkspaceView, state: VerdictState, found: Found) -> Smart {
    let n_new = view.git.as_ref().map_or(0, |git| git.commits.n_new);
    let is_complete = state == VerdictState::Complete;
    let status = match &found.report {
        _ if found.rescued && is_complete => SmartWord::Ended(SmartStatus::Rescued),
        Some(report) => SmartWord::Ended(report.outcome.status),
        None if is_complete && n_new > 0 => SmartWord::Ended(SmartStatus::CommitsCreated),
        None if is_complete => SmartWord::Ended(SmartStatus::NothingToDo),
        None => SmartWord::NotAsked,
    };
    let is_settled = matches!(
        status,
        SmartWord::Ended(SmartStatus::CommitsCreated | SmartStatus::Rescued | SmartStatus::NothingToDo)
    );
    let why = view.verdict.as_deref().map(verdict::why).unwrap_or_default();
    let outcome = found.report.as_ref().map(|report| report.outcome);
    Smart {
        version: VERSION,
        at: clock::now(),
        status,
        complete: is_complete && is_settled,
        verdict: state,
        reason: found.not_asked.filter(|_| status == SmartWord::NotAsked).unwrap_or(why),
        probes_used: outcome.map_or(0, |outcome| outcome.probes_used),
        waits: outcome.map_or(0, |outcome| outcome.waits),
        rescued: found.rescued,
        record: found.record,
        attempts: found.report.map(|report| report.attempts).unwrap_or_default(),
        notes: found.notes,
        workspace: Row::of(view),
    }
}
