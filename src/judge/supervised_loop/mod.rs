//! The supervised loop of `closeout run`: a state machine without a clock or I/O. It takes events and returns
//! the next step.
//!
//! Must not judge. Whether the work is done is for the verdict, which comes from the
//! same engine as `closeout check`.

mod breaker;
mod prompt;
#[cfg(test)]
mod tests;

pub use breaker::{Breaker, BreakerNews, TIME_OUTS_TO_OPEN};
pub use prompt::{NextPrompt, is_later_iteration, next_prompt, own_part};

use crate::model::{CommandEnd, LoopState, RunPhase, RunStatus, VerdictState};

/// How often the loop waits for others at work in the workspace after a command ended. Beyond that, their
/// activity becomes a point left to do.
pub const MAX_WAITS: u32 = 30;

/// The bounds of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimits {
    /// The most iterations; at least one is run.
    pub max_iterations: u32,
    /// The run ends when the same points are open in this many consecutive rounds (R5).
    pub stall_stage: u8,
    /// The run ends after this many consecutive unreadable decisions (R4).
    pub unreadable_limit: u8,
    /// The most money to spend, in millionths of a dollar; `None` for no limit.
    pub budget_micros: Option<u64>,
    /// Whether the loop waits for the answer to a question.
    pub waits_for_answers: bool,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopEvent {
    /// The run begins, or resumes after its closeout was killed.
    Begun,
    /// The command ended.
    CommandEnded(CommandEnd),
    /// The command could not be started.
    NotStarted,
    /// The work was judged.
    Checked(CheckFacts),
    /// The question was answered here; the answer goes into the next prompt.
    Answered,
    /// Something changed while the loop waited for others, or for an answer from elsewhere.
    Moved,
    /// The time limit of the whole run has passed.
    TimeUp,
    /// A person cancelled the run.
    Cancelled,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFacts {
    /// The verdict.
    pub state: VerdictState,
    /// The names of the points that are left, stable between rounds.
    pub keys: Vec<String>,
    /// Whether there is a decision that cannot be read.
    pub is_unreadable: bool,
    /// The cost of the iteration in millionths of a dollar, if known.
    pub cost_micros: Option<u64>,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopStep {
    /// Run the command.
    Run {
        /// The number of the iteration.
        number: u32,
        /// How many times in a row the same points were open before it.
        stage: u8,
    },
    /// Judge the work.
    Check,
    /// Wait until others have changed something, then judge again.
    WaitForOthers,
    /// Ask the person, and wait for the answer.
    Ask,
    /// The run is over.
    Finish(RunStatus),
}

/// The state after `event`, and the next step. Total: an event that does not belong to the phase changes
/// nothing and repeats the phase's own step.
pub fn advance(mut state: LoopState, limits: &LoopLimits, event: LoopEvent) -> (LoopState, LoopStep) {
    let step = match event {
        LoopEvent::Cancelled => LoopStep::Finish(RunStatus::Cancelled),
        LoopEvent::NotStarted => LoopStep::Finish(RunStatus::Failed),
        LoopEvent::TimeUp => LoopStep::Finish(RunStatus::Deadline),
        LoopEvent::Begun => begin(&mut state),
        LoopEvent::CommandEnded(end) => {
            let news = if end.is_time_out() { BreakerNews::TimedOut } else { BreakerNews::Other };
            state.n_time_outs = Breaker { n_time_outs: state.n_time_outs }.after(news).n_time_outs;
            state.n_waits = 0;
            LoopStep::Check
        }
        LoopEvent::Checked(facts) => checked(&mut state, limits, &facts),
        LoopEvent::Answered => LoopStep::Run { number: state.iteration.max(1), stage: state.stage },
        LoopEvent::Moved => LoopStep::Check,
    };
    state.phase = match step {
        LoopStep::Run { number, .. } => {
            state.iteration = number;
            RunPhase::Running
        }
        LoopStep::Check => RunPhase::Checking,
        LoopStep::WaitForOthers => RunPhase::Waiting,
        LoopStep::Ask => RunPhase::Asking,
        LoopStep::Finish(_) => RunPhase::Ended,
    };
    (state, step)
}

/// Starts the command of a new run. A run that was killed resumes where it was.
fn begin(state: &mut LoopState) -> LoopStep {
    if (Breaker { n_time_outs: state.n_time_outs }).is_open() {
        return LoopStep::Finish(RunStatus::BreakerOpen);
    }
    match state.phase {
        RunPhase::New | RunPhase::Ended => LoopStep::Run { number: 1, stage: 0 },
        // The command was cut off, whatever it had said by then.
        RunPhase::Running => LoopStep::Run { number: state.iteration.max(1), stage: state.stage },
        RunPhase::Checking | RunPhase::Waiting | RunPhase::Asking => LoopStep::Check,
    }
}

fn checked(state: &mut LoopState, limits: &LoopLimits, facts: &CheckFacts) -> LoopStep {
    let is_first_look = state.n_waits == 0;
    if is_first_look {
        state.cost_micros = state.cost_micros.saturating_add(facts.cost_micros.unwrap_or_default());
    }
    match facts.state {
        VerdictState::Complete => {
            state.n_time_outs = Breaker::default().n_time_outs;
            return LoopStep::Finish(RunStatus::Complete);
        }
        VerdictState::AwaitingResponse if limits.waits_for_answers => {
            state.n_waits = state.n_waits.saturating_add(1);
            return LoopStep::Ask;
        }
        VerdictState::AwaitingResponse => return LoopStep::Finish(RunStatus::Unanswered),
        VerdictState::Working | VerdictState::Waiting if state.n_waits < MAX_WAITS => {
            state.n_waits += 1;
            return LoopStep::WaitForOthers;
        }
        VerdictState::Working
        | VerdictState::Waiting
        | VerdictState::RescueNeeded
        | VerdictState::Incomplete
        | VerdictState::Stalled
        | VerdictState::Error
        | VerdictState::NoTask => {}
    }
    count_round(state, facts);
    let is_spent = limits.budget_micros.is_some_and(|most| {
        // A person who sets a limit does not want to pay for iterations whose cost is unknown.
        state.cost_micros >= most || facts.cost_micros.is_none() && is_first_look
    });
    if (Breaker { n_time_outs: state.n_time_outs }).is_open() {
        LoopStep::Finish(RunStatus::BreakerOpen)
    } else if state.n_unreadable >= limits.unreadable_limit {
        LoopStep::Finish(RunStatus::Unreadable)
    } else if state.stage >= limits.stall_stage {
        LoopStep::Finish(RunStatus::Stalled)
    } else if is_spent {
        LoopStep::Finish(RunStatus::Budget)
    } else if state.iteration >= limits.max_iterations {
        LoopStep::Finish(RunStatus::MaxIterations)
    } else {
        LoopStep::Run { number: state.iteration.saturating_add(1), stage: state.stage }
    }
}

/// Raises the stage if the same points are open in the next round (R5); other points start again.
fn count_round(state: &mut LoopState, facts: &CheckFacts) {
    let mut keys = facts.keys.clone();
    keys.sort();
    keys.dedup();
    state.stage = match (keys.is_empty(), keys == state.keys) {
        (true, _) => 0,
        (false, true) => state.stage.saturating_add(1),
        (false, false) => 1,
    };
    state.keys = keys;
    state.n_unreadable = if facts.is_unreadable { state.n_unreadable.saturating_add(1) } else { 0 };
}
