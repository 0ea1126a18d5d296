//! Carries out the steps of a run, one after the other, and stores its state before each. It must not choose
//! them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::command::{self, Command};
use super::driver::{Driver, breaker_words, dollars, unkept};
use super::judging::Found;
use super::judging::{self, Mover, record};
use super::report::{RunNews, RunResult};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::{notices, output};
use crate::engine::clock::{self, Stopwatch};
use crate::judge::supervised_loop::{LoopEvent, LoopStep, advance};
use crate::model::{
    CommandEnd, HistoryEvent, RunEnding, RunIteration, RunPhase, RunStatus, VerdictState, Warning,
    display_text,
};
use crate::present::verdict;
use crate::store::JUDGED_OUTPUT;

/// The interval between judgements while waiting for others or for a person.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// The interval at which an answer is looked for.
const LISTEN: Duration = Duration::from_millis(250);
impl Driver<'_> {
    pub(super) fn run(mut self, is_resumed: bool) -> Result<Outcome, Failure> {
        self.reporter.tell(RunNews::Started {
            path: display_text::path(self.workspace.path()),
            baseline: self.run.baseline,
            max_iterations: self.run.order.max_iterations,
            is_resumed,
        })?;
        if let Some(cut) = self.run.iterations.last_mut().filter(|last| last.end.is_none()) {
            cut.end = Some(CommandEnd::Unknown);
        }
        if self.run.iterations.is_empty() {
            self.settle();
            self.run.began_at = clock::now();
            self.taken_up = Stopwatch::start();
        }
        let mut event = LoopEvent::Begun;
        loop {
            let before = self.run.state.n_time_outs;
            let (mut state, mut step) = advance(self.run.state.clone(), &self.limits, event);
            if !matches!(step, LoopStep::Finish(_) | LoopStep::Check)
                && let Some(over) = self.over()
            {
                (state, step) = advance(state, &self.limits, over);
            }
            self.run.state = state;
            if self.run.state.n_time_outs != before {
                let kept = self.store.keep_time_outs(&self.workspace, self.run.state.n_time_outs);
                kept.map_err(unkept)?;
            }
            if let LoopStep::Finish(status) = step {
                return self.finish(status);
            }
            self.keep()?;
            event = match step {
                LoopStep::Run { number, stage } => self.command(number, stage)?,
                LoopStep::Check => self.check()?,
                LoopStep::WaitForOthers => self.wait_for_others()?,
                LoopStep::Ask => self.ask()?,
                LoopStep::Finish(_) => LoopEvent::Cancelled,
            };
        }
    }

    fn command(&mut self, number: u32, stage: u8) -> Result<LoopEvent, Failure> {
        let check_id = format!("{}-{}", self.run.id, self.run.iterations.len() + 1);
        let prompt = self.prompt(number, stage, &check_id);
        let baseline = self
            .last
            .as_ref()
            .map_or_else(|| self.run.baseline, |view| view.git.as_ref().and_then(|git| git.head.commit()));
        self.run.answer = None;
        self.run.iterations.push(RunIteration {
            number,
            check_id: check_id.clone(),
            baseline,
            began_at: clock::now(),
            ..RunIteration::default()
        });
        self.keep()?;
        self.reporter.tell(RunNews::Iteration { number, stage, check_id: check_id.clone() })?;
        let end = match self.run_command(number, &check_id, &prompt) {
            Ok(end) => end,
            Err(failure) => {
                self.reporter.tell(RunNews::Note { text: failure.to_string() })?;
                return Ok(LoopEvent::NotStarted);
            }
        };
        if let Some(iteration) = self.run.iterations.last_mut() {
            iteration.ended_at = Some(clock::now());
            iteration.end = Some(end);
        }
        Ok(if self.stop.is_cancelled() { LoopEvent::Cancelled } else { LoopEvent::CommandEnded(end) })
    }

    fn run_command(&mut self, number: u32, check_id: &str, prompt: &str) -> Result<CommandEnd, Failure> {
        self.folder.begin("prompt", prompt.as_bytes()).map_err(unkept)?;
        let out = self.folder.begin("output", b"").map_err(unkept)?;
        let errors = self.folder.begin("errors", b"").map_err(unkept)?;
        let words = &self.run.order.command;
        let name = words.first().map(String::as_str).unwrap_or_default();
        let launcher = self.config.own_program.clone();
        let launcher =
            launcher.ok_or_else(|| Failure::Usage("closeout does not know its own program".to_owned()))?;
        let timeout = self.run.order.timeout_seconds.map(Duration::from_secs);
        let left = self.time_left();
        let command = Command {
            words,
            program: command::program(name, &self.environment.here, |name| self.environment.program(name))?,
            workspace: self.workspace.path(),
            environment: self.variables(number, check_id),
            launcher,
            prompt,
            prompt_file: self.folder.place("prompt"),
            output: (self.folder.place("output"), Arc::new(out)),
            errors: (self.folder.place("errors"), Arc::new(errors)),
            time_limit: timeout.into_iter().chain(left).min(),
            is_quiet: self.is_quiet,
        };
        let seconds = self.run.order.stall_seconds;
        let config =
            judging::engine_config(self.environment, self.workspace.path(), &self.run, check_id, None, None)?;
        let watcher = Mover {
            config,
            workspace: self.workspace.clone(),
            patience: (seconds > 0).then(|| Duration::from_secs(seconds)),
            record: Mutex::default(),
        };
        let command::Ended { end, was_active } = command::run(&command, &self.stop, &watcher)?;
        self.was_active = was_active;
        if end == CommandEnd::StoodStill {
            self.record = watcher.record.lock().unwrap_or_else(PoisonError::into_inner).take();
            self.reporter.tell(RunNews::StoodStill { record: self.record.clone() })?;
        }
        // The deadline of the whole run does not count as a time-out of the command.
        let is_of_run = end == CommandEnd::TookTooLong && self.time_left().is_some_and(|left| left.is_zero());
        Ok(if is_of_run { CommandEnd::Ended } else { end })
    }

    fn check(&mut self) -> Result<LoopEvent, Failure> {
        let Found { view, problem, cost_micros } = self.judge_and_verify()?;
        let Some((view, verdict)) = view.as_ref().and_then(|view| Some((view, view.verdict.as_deref()?)))
        else {
            self.reporter.tell(RunNews::Note { text: "the workspace is gone".to_owned() })?;
            return Ok(LoopEvent::NotStarted);
        };
        let cost = judging::cost(&judging::output_end(&self.folder.place("output")));
        let cost = cost.map(|cost| cost + cost_micros.unwrap_or_default()).or(cost_micros);
        let facts = judging::facts(verdict, cost, problem.as_deref());
        let new_commits = view.git.as_ref().map_or(0, |git| git.commits.n_new);
        if let Some(iteration) = self.run.iterations.last_mut() {
            iteration.verdict = Some(facts.state);
            iteration.why = verdict::why(verdict);
            iteration.open_points = judging::open_points(verdict, &self.folder.place(JUDGED_OUTPUT));
            iteration.open_points.extend(problem);
            iteration.new_commits = new_commits;
            iteration.cost_micros = cost;
            if self.run.state.n_waits == 0 {
                let ended_at = iteration.ended_at.unwrap_or(iteration.began_at);
                let news = RunNews::Checked {
                    number: iteration.number,
                    end: iteration.end,
                    took_ms: u64::try_from(ended_at.millis_since(iteration.began_at)).unwrap_or_default(),
                    verdict: facts.state,
                    why: iteration.why.clone(),
                    new_commits,
                    open_points: iteration.open_points.clone(),
                    cost_usd: cost.map(dollars),
                };
                self.reporter.tell(news)?;
                let number = iteration.number;
                let event = iteration.end.map(|end| HistoryEvent::Iteration {
                    run: self.run.id.clone(),
                    number,
                    end,
                    verdict: facts.state,
                    took_ms: ended_at.millis_since(iteration.began_at),
                    was_active: self.was_active,
                });
                if let Some(event) = event {
                    self.note(event);
                }
            }
        }
        self.run.question = judging::question(view);
        self.run.asked.clone_from(&verdict.question);
        self.last = Some(view.clone());
        Ok(LoopEvent::Checked(facts))
    }

    fn wait_for_others(&mut self) -> Result<LoopEvent, Failure> {
        if self.run.state.n_waits == 1 {
            let why = self.last.as_ref().and_then(|view| view.verdict.as_deref()).map(verdict::why);
            self.reporter.tell(RunNews::Waits { why: why.unwrap_or_default() })?;
        }
        self.stop.wait(LOOK_AGAIN);
        Ok(self.over().unwrap_or(LoopEvent::Moved))
    }

    /// Waits for the answer: typed here, given by `closeout reply`, or given in the agent's session.
    fn ask(&mut self) -> Result<LoopEvent, Failure> {
        let question = self.run.question.clone().unwrap_or_default();
        self.typed.clear();
        // Drop an answer to an earlier question.
        let _ = self.folder.take_answer();
        self.reporter.tell(RunNews::Asks { question: question.clone() })?;
        if self.typed.is_open() {
            output::complain("      Type the answer and press Enter, or send it with `closeout reply`:");
        }
        let asked = self.last.as_ref().map(judging::fingerprint);
        let mut looked = Stopwatch::start();
        loop {
            if self.stop.wait(LISTEN) {
                return Ok(LoopEvent::Cancelled);
            }
            if let Some(over) = self.over() {
                return Ok(over);
            }
            let handed = self.folder.take_answer().map_err(unkept)?;
            let (answer, from) = match self.typed.next() {
                Some(typed) => (Some(typed), "here"),
                None => (handed, "reply"),
            };
            if let Some(answer) = answer {
                self.run.answer = Some(answer);
                self.reporter.tell(RunNews::Answered { from })?;
                return Ok(LoopEvent::Answered);
            }
            if looked.elapsed() >= LOOK_AGAIN {
                looked = Stopwatch::start();
                let view = self.judge()?;
                let is_same = view.as_ref().map(judging::fingerprint) == asked
                    && view.as_ref().and_then(judging::question).unwrap_or_default() == question;
                if !is_same {
                    self.reporter.tell(RunNews::Answered { from: "session" })?;
                    return Ok(LoopEvent::Moved);
                }
            }
        }
    }
}

impl Driver<'_> {
    /// Stores the end and reports it.
    pub(super) fn finish(mut self, status: RunStatus) -> Result<Outcome, Failure> {
        let state = self.last.as_ref().and_then(|view| view.verdict.as_deref()).map(|verdict| verdict.state);
        let is_at_risk = self.last.as_ref().and_then(|view| view.verdict.as_deref()).is_some_and(|verdict| {
            verdict.state == VerdictState::RescueNeeded || verdict.warnings.contains(&Warning::WorkAtRisk)
        });
        if status != RunStatus::Complete
            && (is_at_risk || self.last.is_none() || status == RunStatus::Cancelled)
        {
            self.record = record(self.config, &self.workspace).or(self.record);
        }
        let verdict = verdict_of(status, state, is_at_risk);
        if status == RunStatus::Cancelled {
            // Cancelled runs can be resumed, and the command is then run again.
            self.run.state.phase = RunPhase::Running;
        } else {
            self.run.ended = Some(RunEnding { at: clock::now(), status });
        }
        self.keep()?;
        let is_cancelled = status == RunStatus::Cancelled;
        let outcome = if is_cancelled { Outcome::Signalled(2) } else { Outcome::Run(status) };
        // A limit can end the run when the next iteration is due and has not begun.
        let iterations = self.run.iterations.last().map_or(0, |last| last.number);
        self.note(HistoryEvent::RunEnded { run: self.run.id.clone(), status, iterations });
        let last = self.run.iterations.last();
        let open_points = last.map(|last| last.open_points.clone()).unwrap_or_default();
        let result = RunResult {
            status,
            exit_code: outcome.code(),
            verdict,
            reason: self.reason(status),
            iterations,
            new_commits: last.map_or(0, |last| last.new_commits),
            rescued: self.record.is_some(),
            record: self.record.clone(),
            repeated: if status == RunStatus::Stalled { open_points.clone() } else { Vec::new() },
            open_points,
            cost_usd: (self.run.state.cost_micros > 0).then(|| dollars(self.run.state.cost_micros)),
        };
        self.reporter.tell(RunNews::Finished(result))?;
        if let Some(view) = &self.last {
            let ended = (view, self.run.id.as_str(), status);
            notices::tell_end_of_run(self.environment, self.config, self.store, ended, &self.stop);
        }
        Ok(outcome)
    }

    fn reason(&self, status: RunStatus) -> String {
        let why = self.run.iterations.last().map(|last| last.why.clone()).unwrap_or_default();
        let state = &self.run.state;
        match status {
            RunStatus::Complete => why,
            RunStatus::MaxIterations if state.iteration == 1 => {
                format!("the only iteration is used up; {why}")
            }
            RunStatus::MaxIterations => format!("all {} iterations are used up; {why}", state.iteration),
            RunStatus::Stalled => format!("the same points were left {} times in a row", state.stage),
            RunStatus::Unreadable => format!("{} decisions in a row cannot be read", state.n_unreadable),
            RunStatus::BreakerOpen => breaker_words(state.n_time_outs).unwrap_or_default(),
            RunStatus::Budget if state.cost_micros == 0 => {
                "the command does not report its cost, so the budget cannot be enforced".to_owned()
            }
            RunStatus::Budget => format!("${:.2} are spent", dollars(state.cost_micros)),
            RunStatus::Deadline => "the deadline passed".to_owned(),
            RunStatus::Unanswered => "the agent asked, and got no answer".to_owned(),
            RunStatus::Cancelled => "it was ended; `closeout run --resume` continues".to_owned(),
            RunStatus::Failed => "the command could not be run".to_owned(),
        }
    }
}

/// The verdict of a run with this status. A run that a limit ended is never complete (R6).
fn verdict_of(status: RunStatus, state: Option<VerdictState>, is_at_risk: bool) -> VerdictState {
    match status {
        RunStatus::Complete => VerdictState::Complete,
        RunStatus::Unanswered => VerdictState::AwaitingResponse,
        RunStatus::Failed | RunStatus::Unreadable => VerdictState::Error,
        RunStatus::Cancelled => state.unwrap_or(VerdictState::Incomplete),
        _ if is_at_risk => VerdictState::RescueNeeded,
        RunStatus::MaxIterations
        | RunStatus::Stalled
        | RunStatus::BreakerOpen
        | RunStatus::Budget
        | RunStatus::Deadline => VerdictState::Stalled,
    }
}
