//! The end of a run: what is stored, what is reported, and the exit code. It must not start anything again.

use crate::cli::exit::{Failure, Outcome};
use crate::cli::notices;
use crate::engine::clock;
use crate::model::{HistoryEvent, RunEnding, RunPhase, RunStatus, VerdictState, Warning};

use super::driver::{Driver, breaker_words, dollars};
use super::mover::record;
use super::report::{RunNews, RunResult};

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
        let outcome = match status {
            RunStatus::Cancelled => Outcome::Signalled(2),
            RunStatus::Complete
            | RunStatus::MaxIterations
            | RunStatus::Stalled
            | RunStatus::Unreadable
            | RunStatus::BreakerOpen
            | RunStatus::Budget
            | RunStatus::Deadline
            | RunStatus::Unanswered
            | RunStatus::Failed => Outcome::Run(status),
        };
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
                "the command does not tell its cost, so the budget cannot be held".to_owned()
            }
            RunStatus::Budget => format!("${:.2} are spent", dollars(state.cost_micros)),
            RunStatus::Deadline => "the deadline passed".to_owned(),
            RunStatus::Unanswered => "the agent asks, and nobody answers".to_owned(),
            RunStatus::Cancelled => "it was ended; `closeout run --resume` goes on".to_owned(),
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
