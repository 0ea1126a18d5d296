//! The smart check: drives the judge's state machine, carries out each of its steps, and reports each attempt
//! while it runs.
//!
//! An answer is data: the judge reads it, and it must not decide anything else.

use std::time::Duration;

use crate::action::asking::{Answer, Asked, NoAnswer};
use crate::judge::smart_check::{
    Happened, SmartCheck, SmartCheckConfig, Step, read_probe, read_probe_doubting,
};
use crate::model::{
    ActionProblem, ActionProgress, ActionRequest, ActivityState, AskCost, AskPlan, AskPurpose, NotAsked,
    Parts, ProbeAttempt, ProbeDetails, ProbeFailure, ProbeReading, ProbeRescue, ProbeWord, RecordOrder,
    RecordRef, Rescued, SmartReport, Timestamp, display_text,
};

use super::asking::{self, Ready, asker, confirmed};
use super::rescue;
use super::tools::{Stop, Tools, cancelled};
use crate::engine::clock;

/// How many characters of an answer are kept.
const ANSWER_CHARACTERS: usize = 2000;

/// Called with a question's number right before it is sent; an error stops it.
pub(super) type Permit<'a> = dyn FnMut(u32) -> Result<(), Stop> + 'a;

/// Carries out the smart check that a person confirmed.
pub(super) fn run(request: &ActionRequest, plan: &AskPlan, tools: &Tools<'_>) -> Result<SmartReport, Stop> {
    let ready = confirmed(request, plan, tools)?;
    carry_out(request, ready, tools, &mut |_| Ok(()))
}

/// Carries out a smart check according to its plan. Each of its questions needs a permit from `leave`.
pub(super) fn carry_out<'a>(
    request: &'a ActionRequest,
    ready: Ready<'a>,
    tools: &'a Tools<'a>,
    leave: &'a mut Permit<'a>,
) -> Result<SmartReport, Stop> {
    let mut check = Check {
        request,
        tools,
        ready,
        leave,
        attempts: Vec::new(),
        record: None,
        n_own_commits: 0,
        n_beside: 0,
        notes: Vec::new(),
    };
    let config = SmartCheckConfig {
        max_probes: check.ready.plan.max_attempts,
        probe_interval_seconds: check.ready.plan.interval_seconds,
        has_final_rescue: check.ready.plan.rescue != ProbeRescue::Never,
        may_commit: check.ready.plan.rescue == ProbeRescue::Commit,
    };
    let (mut machine, mut step) = SmartCheck::new(config);
    let outcome = loop {
        if tools.cancel.is_cancelled() {
            return Err(check.ended().into());
        }
        let happened = match step {
            Step::Finish(outcome) => break outcome,
            Step::CountCommits => Happened::Commits(check.count_commits()),
            Step::Probe { number } => match check.probe(number) {
                Ok(reading) => {
                    if is_hopeless(reading) {
                        machine.send_no_more();
                    }
                    Happened::Probed(reading)
                }
                Err(Stop::NotAsked(why)) if !check.attempts.is_empty() => {
                    check.notes.push(format!("not asked again automatically: {}", why_not(&why)));
                    step = machine.send_none();
                    continue;
                }
                Err(ended) => return Err(ended),
            },
            Step::LookAtChanges => Happened::Changes(check.has_changes()),
            Step::Rescue { is_final } => {
                check.rescue(is_final);
                Happened::Rescued
            }
            Step::Wait { seconds } => {
                check.wait(seconds)?;
                Happened::Waited
            }
        };
        step = machine.advance(happened);
    };
    Ok(SmartReport {
        session: Some(check.ready.plan.session.clone()).filter(|_| !check.attempts.is_empty()),
        at: clock::now(),
        outcome,
        attempts: check.attempts,
        record: check.record,
        notes: check.notes,
        is_single: check.ready.plan.options.is_single,
    })
}

/// Whether another probe would fail in the same way, or do harm.
fn is_hopeless(reading: ProbeReading) -> bool {
    matches!(reading, ProbeReading::Failed(ProbeFailure::SpawnError | ProbeFailure::ChangedFiles))
}

/// A smart check in progress.
struct Check<'a> {
    request: &'a ActionRequest,
    tools: &'a Tools<'a>,
    ready: Ready<'a>,
    leave: &'a mut Permit<'a>,
    attempts: Vec<ProbeAttempt>,
    record: Option<RecordRef>,
    /// The number of commits of the work that this check made.
    n_own_commits: u32,
    /// The number of those that it made on a new branch, which the work here does not have.
    n_beside: u32,
    notes: Vec<String>,
}

impl Check<'_> {
    fn tell(&self, message: impl Into<String>, waits_until: Option<Timestamp>) {
        let attempts = self.attempts.clone();
        (self.tools.report)(ActionProgress { message: message.into(), attempts, waits_until, taken: None });
    }

    /// New commits since the baseline; `None`, not zero, if git does not answer.
    fn count_commits(&self) -> Option<u64> {
        self.tell("counting commits", None);
        self.request.baseline.as_ref()?;
        let commits = self.ready.refresher.git(Parts::COMMITS)?.commits;
        // Of the rescue commits only this check's own count: it made them because of what the agent said. An
        // earlier rescue does not show that the work is finished.
        let n_rescued = commits.n_rescued.min(self.n_own_commits);
        Some(u64::from(commits.n_new) + u64::from(n_rescued) + u64::from(self.n_beside))
    }

    /// The problem of a check that a person cancelled; it also names what had been done, which remains.
    fn ended(&self) -> ActionProblem {
        let problem = cancelled();
        let message =
            std::iter::once(&problem.message).chain(&self.notes).cloned().collect::<Vec<_>>().join("; ");
        ActionProblem { message, ..problem }
    }

    fn has_changes(&self) -> Option<bool> {
        self.tell("looking for uncommitted changes", None);
        let git = self.ready.refresher.git(Parts::COMMITS | Parts::CHANGES)?;
        git.changes.map(|changes| !changes.is_clean())
    }

    fn wait(&self, seconds: u64) -> Result<(), ActionProblem> {
        let millis = i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
        self.tell(format!("waiting {seconds} s"), Some(clock::now().plus_millis(millis)));
        if self.tools.cancel.wait(Duration::from_secs(seconds)) { Err(self.ended()) } else { Ok(()) }
    }

    /// Sends one probe and returns how its answer was read; an error if it was not sent.
    fn probe(&mut self, number: u32) -> Result<ProbeReading, Stop> {
        let began_at = clock::now();
        self.attempts.push(ProbeAttempt { number, began_at, ..ProbeAttempt::default() });
        self.tell(format!("asking {}", self.ready.plan.session.agent), None);
        let (reading, ended) = self.ask(number).inspect_err(|stop| {
            if matches!(stop, Stop::NotAsked(_)) {
                self.attempts.pop();
            }
        })?;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.took_ms = Some(ended.took_ms);
            attempt.answer = ended.answer;
            attempt.reading = Some(reading);
            attempt.detail = ended.message;
            attempt.said = ended.said;
            attempt.cost = ended.cost;
            log(self.request, attempt);
        }
        self.tell("an answer was read", None);
        Ok(reading)
    }

    fn ask(&mut self, number: u32) -> Result<(ProbeReading, Ended), Stop> {
        let current = self.ready.refresher.session(&self.ready.plan.session)?;
        if current.view.activity.state == ActivityState::Working {
            // It resumed without a probe: do not disturb it, since its state is known.
            let message = Some("not asked: the session is at work again".to_owned());
            let ended = Ended { took_ms: 0, answer: None, message, said: None, cost: AskCost::default() };
            return Ok((ProbeReading::Answered(ProbeWord::Working), ended));
        }
        self.ready.current = current;
        let plan = &self.ready.plan;
        let (current, model) = (&self.ready.current, self.ready.model.as_ref());
        let command =
            asking::command(self.ready.adapter, current, AskPurpose::Probe, false, &plan.prompt, model)?;
        let before = self.ready.refresher.signature();
        if self.tools.cancel.is_cancelled() {
            return Err(cancelled().into());
        }
        (self.leave)(number)?;
        let client = asker(self.request, &self.ready, self.tools);
        let asked = client.ask(self.ready.adapter, &self.ready.current.session, &command);
        self.notes.extend(asked.notes.iter().cloned());
        if asked.answer == Err(NoAnswer::Cancelled) {
            return Err(self.ended().into());
        }
        let (reading, mut ended) = read(&asked);
        let changed = before.and_then(|before| {
            let after = self.ready.refresher.signature()?;
            if before.is_cut || after.is_cut {
                self.notes.push("not all files could be looked at for changes by the probe".to_owned());
            }
            let changed = before.differences(&after, self.request.workspace.path());
            (!changed.is_empty()).then(|| changed.join(", "))
        });
        if let Some(changed) = changed {
            ended.message = Some(format!("the probe changed files: {changed}"));
            return Ok((ProbeReading::Failed(ProbeFailure::ChangedFiles), ended));
        }
        Ok((reading, ended))
    }

    /// Rescues within what the plan allows. Only commits decide what it was worth.
    fn rescue(&mut self, is_final: bool) {
        let done = match self.ready.plan.rescue {
            ProbeRescue::Never => return,
            // The final rescue makes a record only, unless a person allowed more (SECURITY.md 1.4).
            ProbeRescue::Record => self.keep(),
            ProbeRescue::Commit if is_final => self.keep(),
            ProbeRescue::Commit => self.commit(),
        };
        let Err(stop) = done else { return };
        let message = match stop {
            // What can be done next names the record, if there is one.
            Stop::Problem(ActionProblem { message, next: Some(next), .. }) => format!("{message}; {next}"),
            Stop::Problem(problem) => problem.message,
            Stop::Size(_) => "a record would be so large that you are asked first".to_owned(),
            Stop::Branch(_) => "commits are on no branch: `closeout rescue` keeps them".to_owned(),
            Stop::NotAsked(why) => why_not(&why),
        };
        self.notes.push(format!("the rescue failed: {message}"));
    }

    fn keep(&mut self) -> Result<(), Stop> {
        self.tell("recording the uncommitted work", None);
        let record = rescue::record(self.request, RecordOrder::default(), self.tools)?;
        self.notes.push(format!("the work is recorded: {}", record.reference));
        self.record = Some(record.reference);
        Ok(())
    }

    /// Commits the work; a note says if it was recorded but no commit was made.
    fn commit(&mut self) -> Result<(), Stop> {
        self.tell("committing the uncommitted work", None);
        let mut plan = rescue::plan(self.request, None, RecordOrder::default(), self.tools)?;
        self.record = Some(plan.record.reference.clone());
        if plan.target.is_some()
            && let Some(program) = plan.programs.want_trusted()
        {
            self.notes.push(format!("your own rescue program commits: {program}"));
        }
        plan.choose_usual();
        if let Some((_, branch)) = plan.committed_on() {
            self.notes.push(format!("committed already, on {branch}"));
            self.n_beside = self.n_beside.saturating_add(1);
            return Ok(());
        }
        if let Some(refusal) = plan.why_no_commit() {
            self.notes.push(format!("recorded, and not committed: {refusal}"));
            return Ok(());
        }
        let rescued = rescue::commit(self.request, &plan, self.tools)?;
        let is_beside = plan.is_to_new_branch();
        let why = plan.why_elsewhere().map(|why| format!(", a new branch: {why}")).unwrap_or_default();
        self.notes.push(format!("committed {} files on {}{why}", rescued.n_paths, rescued.branch));
        if is_beside {
            self.n_beside = self.n_beside.saturating_add(count(&rescued));
        } else {
            self.n_own_commits = self.n_own_commits.saturating_add(count(&rescued));
        }
        Ok(())
    }
}

/// How many commits a rescue made.
fn count(rescued: &Rescued) -> u32 {
    u32::try_from(rescued.commits.len()).unwrap_or(u32::MAX)
}

/// Logs a question and its result, never the answer itself.
fn log(request: &ActionRequest, attempt: &ProbeAttempt) {
    let place = display_text::path(request.workspace.path());
    let (number, took_ms) = (attempt.number, attempt.took_ms.unwrap_or_default());
    match attempt.reading {
        Some(ProbeReading::Failed(failure)) => {
            let why = display_text::line(attempt.detail.as_deref().unwrap_or_default());
            tracing::warn!(workspace = %place, number, took_ms, "probe: {failure:?} {why}");
        }
        reading => tracing::info!(workspace = %place, number, took_ms, "probe: {reading:?}"),
    }
}

/// What is kept of a finished attempt.
struct Ended {
    took_ms: u64,
    answer: Option<String>,
    message: Option<String>,
    said: Option<Box<ProbeDetails>>,
    cost: AskCost,
}

impl Ended {
    /// An attempt of which only the cost and the duration are known.
    fn of(asked: &Asked) -> Ended {
        Ended { took_ms: asked.took_ms, answer: None, message: None, said: None, cost: asked.cost }
    }
}

/// Reads an answer, and keeps a shortened copy and a description.
fn read(asked: &Asked) -> (ProbeReading, Ended) {
    let report = match &asked.answer {
        Ok(Answer::Structured(value)) => read_probe(value),
        Ok(Answer::Text(text)) => read_probe_doubting(text),
        Err(no_answer) => {
            let failure = match no_answer {
                NoAnswer::NotStarted(_) => ProbeFailure::SpawnError,
                NoAnswer::TimedOut(_) => ProbeFailure::Timeout,
                NoAnswer::ClientError(_) | NoAnswer::Flooded | NoAnswer::Cancelled => {
                    ProbeFailure::ClientError
                }
                NoAnswer::Unreadable(_) => ProbeFailure::Unreadable,
            };
            let ended = Ended { message: Some(no_answer.to_string()), ..Ended::of(asked) };
            return (ProbeReading::Failed(failure), ended);
        }
    };
    let answer = match &asked.answer {
        Ok(Answer::Structured(value)) => value.to_string(),
        Ok(Answer::Text(text)) => text.clone(),
        Err(_) => String::new(),
    };
    let answer = answer.trim().chars().take(ANSWER_CHARACTERS).collect();
    let mut message: Vec<String> =
        report.message.into_iter().filter(|message| !message.trim().is_empty()).collect();
    message.extend(said(&report.said));
    let message = Some(message.join("; ")).filter(|message| !message.is_empty());
    let said = Some(Box::new(report.said)).filter(|said| **said != ProbeDetails::default());
    (report.reading, Ended { answer: Some(answer), message, said, ..Ended::of(asked) })
}

/// What an agent said besides its status, as text for a person.
fn said(details: &ProbeDetails) -> Vec<String> {
    let lists = [
        ("still active", &details.agents_active),
        ("left", &details.tasks_pending),
        ("done", &details.tasks_completed),
    ];
    let named = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let mut words: Vec<String> =
        named.map(|(title, names)| format!("{title}: {}", names.join(", "))).collect();
    words.extend(details.commits_made.map(|n_commits| format!("commits by its word: {n_commits}")));
    words.extend(details.next_action.as_ref().map(|next| format!("next: {next}")));
    words.extend(
        details
            .should_continue
            .map(|again| if again { "it would go on".to_owned() } else { "it would not go on".to_owned() }),
    );
    words
}

fn why_not(why: &NotAsked) -> String {
    match why {
        NotAsked::AskedBefore => "it was already asked at this point".to_owned(),
        NotAsked::UsedUp { budget, .. } => budget.to_string(),
    }
}
