//! The base of a run: its order, its state, its limits, and how they are stored. It must not decide the next
//! step.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use super::report::Reporter;
use crate::action::decision;
use crate::cli::environment::Environment;
use crate::cli::exit::Failure;
use crate::cli::run_args::Run;
use crate::engine::EngineConfig;
use crate::engine::clock::{self, Stopwatch};
use crate::judge::supervised_loop::{Breaker, LoopEvent, LoopLimits, NextPrompt, next_prompt};
use crate::model::{
    CommandEnd, HistoryEntry, HistoryEvent, RecordRef, RunIteration, SupervisedRun, VerdictState,
    WorkspaceId, WorkspaceView, display_text,
};
use crate::present::runs;
use crate::process::{self, Cancel};
use crate::store::{RunFolder, Store};

/// How old a decision file must be at the start of a run: its time alone tells an earlier file from one of
/// this run.
const SETTLE: Duration = Duration::from_millis(2_200);

pub(super) struct Driver<'a> {
    pub(super) environment: &'a Environment,
    pub(super) config: &'a EngineConfig,
    pub(super) store: &'a Store,
    pub(super) workspace: WorkspaceId,
    pub(super) folder: RunFolder,
    pub(super) run: SupervisedRun,
    pub(super) limits: LoopLimits,
    pub(super) reporter: Reporter,
    pub(super) stop: Cancel,
    pub(super) typed: Typed,
    pub(super) is_quiet: bool,
    /// The latest record of uncommitted work.
    pub(super) record: Option<RecordRef>,
    pub(super) last: Option<WorkspaceView>,
    /// Whether the agent was at work when its command was ended.
    pub(super) was_active: bool,
    /// The time that the run had used before this process resumed it.
    used_before: Duration,
    /// Since this process took it up.
    pub(super) taken_up: Stopwatch,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        environment: &'a Environment,
        config: &'a EngineConfig,
        (store, workspace): (&'a Store, WorkspaceId),
        run: SupervisedRun,
        arguments: &Run,
        stop: Cancel,
    ) -> Result<Driver<'a>, Failure> {
        let folder = store.run_folder(&workspace).map_err(unkept)?;
        let policy = &config.config.policy;
        let limits = LoopLimits {
            max_iterations: run.order.max_iterations,
            stall_stage: policy.stall_stage,
            unreadable_limit: policy.unreadable_limit,
            budget_micros: run.order.budget_micros,
            waits_for_answers: run.order.waits_for_answers,
        };
        let used_before = if run.iterations.is_empty() { 0 } else { clock::now().millis_since(run.began_at) };
        let is_json = arguments.json || !std::io::IsTerminal::is_terminal(&std::io::stdout());
        let reporter = Reporter { run: run.id.clone(), is_json, max_iterations: run.order.max_iterations };
        Ok(Driver {
            environment,
            config,
            store,
            workspace,
            folder,
            run,
            limits,
            reporter,
            stop,
            typed: Typed::listen(),
            is_quiet: arguments.quiet,
            record: None,
            last: None,
            was_active: false,
            used_before: Duration::from_millis(u64::try_from(used_before).unwrap_or_default()),
            taken_up: Stopwatch::start(),
        })
    }

    /// Adds to the history. If that fails, the run continues without it.
    pub(super) fn note(&self, what: HistoryEvent) {
        let agent =
            self.last.as_ref().and_then(|view| view.agent.clone()).or_else(|| self.run.order.agent.clone());
        let entry = HistoryEntry { at: clock::now(), workspace: self.workspace.clone(), agent, what };
        if let Err(error) = self.store.add_history(&entry) {
            tracing::warn!("{error}");
        }
    }

    /// Why nothing more may begin.
    pub(super) fn over(&self) -> Option<LoopEvent> {
        if self.stop.is_cancelled() {
            return Some(LoopEvent::Cancelled);
        }
        self.time_left().is_some_and(|left| left.is_zero()).then_some(LoopEvent::TimeUp)
    }

    /// The time left for the whole run; `None` without a deadline. Setting the clock changes nothing.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let limit = Duration::from_secs(self.run.order.deadline_seconds?);
        Some(limit.saturating_sub(self.used_before).saturating_sub(self.taken_up.elapsed()))
    }

    /// Waits until an earlier decision file is old enough to be told from one of this run.
    pub(super) fn settle(&self) {
        let Some(file) = self.decision_file() else { return };
        let age =
            std::fs::metadata(self.workspace.path().join(file)).ok().and_then(|found| found.modified().ok());
        let age = age.and_then(|at| at.elapsed().ok());
        if let Some(age) = age.filter(|age| *age < SETTLE) {
            self.stop.wait(SETTLE.saturating_sub(age));
        }
    }

    pub(super) fn decision_file(&self) -> Option<String> {
        let (settings, _) = self.config.config.for_workspace(self.workspace.path());
        self.run.order.decision_file.clone().or(settings.decision_file)
    }

    pub(super) fn keep(&self) -> Result<(), Failure> {
        self.store.keep_run(&self.workspace, &self.run).map_err(|error| {
            let again = if self.run.iterations.is_empty() {
                "nothing was run"
            } else {
                "its work is as the command left it; `closeout run --resume` continues"
            };
            unkept(format!("{error}; {again}"))
        })
    }
}

pub(super) fn dollars(micros: u64) -> f64 {
    // Exact enough for amounts below a million dollars.
    Duration::from_micros(micros).as_secs_f64()
}

/// The failure of a run that cannot be stored. Such a run does not begin: a crash would lose its state.
pub(super) fn unkept(why: impl Display) -> Failure {
    Failure::Unreadable(format!("the run cannot be saved: {}", display_text::line(&why.to_string())))
}

/// The reason if the circuit breaker is open.
pub(super) fn breaker_words(n_time_outs: u32) -> Option<String> {
    let breaker = Breaker { n_time_outs };
    breaker.is_open().then(|| {
        format!("the circuit breaker is open: {n_time_outs} commands in a row timed out; --reset-breaker closes it")
    })
}

/// Reads the answer to an agent's question when it is typed here. It must not interpret it.
pub(super) struct Typed {
    lines: Option<Receiver<String>>,
}

impl Typed {
    /// Starts to read standard input, if it is a terminal.
    pub(super) fn listen() -> Typed {
        if !io::stdin().is_terminal() {
            return Typed { lines: None };
        }
        let (sender, lines) = channel();
        // This thread stays blocked in its read until the program ends.
        let started = thread::Builder::new().spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Typed { lines: started.ok().map(|_| lines) }
    }

    /// Whether a person can type here.
    pub(super) fn is_open(&self) -> bool {
        self.lines.is_some()
    }

    /// Drops what was typed before the question.
    pub(super) fn clear(&mut self) {
        while self.next().is_some() {}
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Option<String> {
        loop {
            match self.lines.as_ref()?.try_recv() {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Some(line),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    self.lines = None;
                    return None;
                }
            }
        }
    }
}

impl Driver<'_> {
    /// The variables of the command: the person's whole environment for a command of their own; for an agent,
    /// only what is meant for it.
    pub(super) fn variables(&self, number: u32, check_id: &str) -> Vec<(OsString, OsString)> {
        let adapters = self.environment.adapters();
        let agent = self.run.order.agent.as_deref();
        let adapter = adapters.iter().find(|adapter| Some(adapter.name()) == agent);
        let mut all = match adapter {
            Some(adapter) => process::environment(&self.config.variables, &adapter.facts().variables),
            None => self.environment.all(),
        };
        let file = self.decision_file();
        let mut own = decision::variables(self.workspace.path(), file.as_deref(), Some(check_id));
        own.push(("CLOSEOUT_PROMPT_FILE".into(), self.folder.place("prompt").into_os_string()));
        own.push(("CLOSEOUT_ITERATION".into(), number.to_string().into()));
        all.retain(|(name, _)| own.iter().all(|(own, _)| own != name));
        all.extend(own);
        all
    }

    pub(super) fn prompt(&self, number: u32, stage: u8, check_id: &str) -> String {
        let file = self.decision_file();
        let decision = file.map(|file| decision::label(self.workspace.path(), &file, Some(check_id)));
        let last = self.run.iterations.iter().rev().find(|iteration| iteration.verdict.is_some());
        let is_cut = self
            .run
            .iterations
            .last()
            .is_some_and(|last| matches!(last.end, Some(CommandEnd::Unknown | CommandEnd::Ended)));
        let mut summary = last.map(summary).unwrap_or_default();
        if is_cut {
            summary.push_str(" Then the command was cut off; check what is there before you continue.");
        }
        let question = self.run.question.as_deref();
        next_prompt(&NextPrompt {
            first: &self.run.order.prompt,
            number,
            max_iterations: self.run.order.max_iterations,
            stage,
            open_points: last.map(|last| last.open_points.as_slice()).unwrap_or_default(),
            summary: summary.trim(),
            answered: question.zip(self.run.answer.as_deref()),
            decision: decision.as_deref(),
        })
    }
}

/// What an iteration achieved, for the next prompt.
fn summary(iteration: &RunIteration) -> String {
    let end = iteration.end.map_or_else(|| "ended".to_owned(), runs::command_end);
    let state = iteration.verdict.map_or("not judged", VerdictState::name);
    format!(
        "The last iteration {end}; the run has {} new commits. The check says {state}: {}.",
        iteration.new_commits,
        iteration.why.trim_end_matches('.')
    )
}
