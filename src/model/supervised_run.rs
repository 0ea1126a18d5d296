//! A supervised run (`closeout run`): an agent's command that is run, checked and told what is left, until
//! the evidence says that the work is done or a limit ends the run.
//!
//! These values are kept in the state folder, so their names must not change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::{CommitId, Proof, Question, TaskKind, Timestamp, VerdictState};

/// How a run ended. A closed set: each has its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The verdict is COMPLETE.
    Complete,
    /// All iterations are used up.
    MaxIterations,
    /// The same points stayed open in round after round.
    Stalled,
    /// Decision files that cannot be read, one after the other.
    Unreadable,
    /// Too many commands in a row stood still or took too long.
    BreakerOpen,
    /// The budget is spent, or the costs are unknown.
    Budget,
    /// The time is over.
    Deadline,
    /// The agent asks, and no one can or may answer.
    Unanswered,
    /// The user, or a signal, ended it.
    Cancelled,
    /// The command cannot be started, or closeout cannot continue.
    Failed,
}

impl RunStatus {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The exit code of `closeout run`.
    pub fn exit_code(self) -> u8 {
        match self {
            RunStatus::Complete => 0,
            RunStatus::MaxIterations => 50,
            RunStatus::Stalled => 51,
            RunStatus::BreakerOpen => 52,
            RunStatus::Budget => 53,
            RunStatus::Deadline => 54,
            RunStatus::Unanswered => 55,
            RunStatus::Unreadable => 56,
            RunStatus::Failed => 30,
            RunStatus::Cancelled => 130,
        }
    }
}

/// How the command of an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "number")]
pub enum CommandEnd {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that was not closeout's.
    Signal(i32),
    /// It stood still: no output, no change of files, git or the record for the configured time.
    StoodStill,
    /// It took longer than an iteration may.
    TookTooLong,
    /// The whole run's time was over, or the user ended it.
    Ended,
    /// closeout was killed while it ran.
    Unknown,
}

impl CommandEnd {
    /// True for a genuine time-out, which the circuit breaker counts.
    pub fn is_time_out(self) -> bool {
        matches!(self, CommandEnd::StoodStill | CommandEnd::TookTooLong)
    }
}

/// One iteration: the command ran once, and its work was judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunIteration {
    /// Its number, from 1. An iteration that continues with an answer keeps the number of the one that asked.
    pub number: u32,
    /// The id that a decision of it must carry.
    pub check_id: String,
    /// HEAD when it began; none in a repository without a commit, and where there is no repository.
    pub baseline: Option<CommitId>,
    /// When it began.
    pub began_at: Timestamp,
    /// When its command ended.
    pub ended_at: Option<Timestamp>,
    /// How.
    pub end: Option<CommandEnd>,
    /// What the check found then.
    pub verdict: Option<VerdictState>,
    /// The rule in words.
    pub why: String,
    /// What was left to do, a point each with its source.
    pub open_points: Vec<String>,
    /// New commits of the whole run by then.
    pub new_commits: u32,
    /// What it cost, in millionths of a dollar, where the command told it.
    pub cost_micros: Option<u64>,
}

/// The phase of a run, so that a killed run continues there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// Nothing was started.
    #[default]
    New,
    /// The command runs.
    Running,
    /// Its work is judged.
    Checking,
    /// Others are at work in the workspace.
    Waiting,
    /// The agent asked, and the answer is waited for.
    Asking,
    /// It ended.
    Ended,
}

/// What a run remembers from one iteration to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopState {
    /// The current phase.
    pub phase: RunPhase,
    /// The number of the current iteration; 0 before the first.
    pub iteration: u32,
    /// How often the run has waited for other work since the command ended.
    pub n_waits: u32,
    /// How often in a row the same points were open; 0 if there are none.
    pub stage: u8,
    /// The keys of those points.
    pub keys: Vec<String>,
    /// How many decisions in a row could not be read.
    pub n_unreadable: u8,
    /// How many time-outs occurred in a row, including those of earlier runs in this workspace.
    pub n_time_outs: u32,
    /// The cost of all iterations, in millionths of a dollar.
    pub cost_micros: u64,
}

/// The options that the user gave for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOrder {
    /// The command with its arguments, as given.
    pub command: Vec<String>,
    /// The agent whose command it is, if closeout built the command.
    pub agent: Option<String>,
    /// The first prompt; empty for none.
    pub prompt: String,
    /// The task kind; overrides the configured one.
    pub task_kind: Option<TaskKind>,
    /// The proof that COMPLETE needs; overrides the configured one.
    pub require: Option<Proof>,
    /// The maximum number of iterations.
    pub max_iterations: u32,
    /// The maximum cost, in millionths of a dollar.
    pub budget_micros: Option<u64>,
    /// The time limit for the whole run, in seconds.
    pub deadline_seconds: Option<u64>,
    /// The time limit for one iteration, in seconds.
    pub timeout_seconds: Option<u64>,
    /// How long nothing may move before the command is killed, in seconds; 0 for no limit.
    pub stall_seconds: u64,
    /// The absolute path of the decision file; overrides the configured one.
    pub decision_file: Option<String>,
    /// Outputs in addition to the command's own, as absolute paths.
    pub outputs: Vec<String>,
    /// True if the run waits for an answer when its agent asks a question.
    pub waits_for_answers: bool,
    /// The agent that verifies the work when nothing else is left to do; an empty name means the session that
    /// did the work, `None` nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
}

/// A run, as it is kept on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisedRun {
    /// The run's id, with which all its check ids begin.
    pub id: String,
    /// When it began.
    pub began_at: Timestamp,
    /// HEAD at the start; the run's commits are counted from there.
    pub baseline: Option<CommitId>,
    /// The options it was started with.
    pub order: RunOrder,
    /// Its state.
    pub state: LoopState,
    /// The iterations, oldest first.
    pub iterations: Vec<RunIteration>,
    /// The agent's question that waits for an answer, or was answered last.
    pub question: Option<String>,
    /// The same question with its choices; runs of an older closeout do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Question>,
    /// The answer to pass to the next command.
    pub answer: Option<String>,
    /// The id of the process that runs it, or ran it last.
    pub pid: u32,
    /// How it ended; `None` while it has not.
    pub ended: Option<RunEnding>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnding {
    /// When.
    pub at: Timestamp,
    /// How.
    pub status: RunStatus,
}

/// What `closeout run` tells the judge about the command that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SupervisedTurn {
    /// When the run began: anything older says nothing about its task.
    pub began_at: Timestamp,
    /// How its command ended; `None` before the first one has.
    pub end: Option<CommandEnd>,
    /// What became of the run; `None` while it judges.
    pub over: Option<RunOver>,
}

/// A run that no process runs any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunOver {
    /// When it ended, or began its last iteration.
    pub at: Timestamp,
    /// How it ended; `None` if it was interrupted, and so can be resumed.
    pub status: Option<RunStatus>,
    /// The number of its last iteration; 0 if none began.
    pub iterations: u32,
}

impl SupervisedTurn {
    /// The last turn of a run that no process runs any more.
    pub fn of_over(run: &SupervisedRun) -> SupervisedTurn {
        let last = run.iterations.last();
        let begun_at = last.map_or(run.began_at, |last| last.began_at);
        let over = RunOver {
            at: run.ended.as_ref().map_or(begun_at, |ended| ended.at),
            status: run.ended.as_ref().map(|ended| ended.status),
            iterations: last.map_or(0, |last| last.number),
        };
        SupervisedTurn { began_at: run.began_at, end: last.and_then(|last| last.end), over: Some(over) }
    }

    /// Whether its word still counts, if a person last asked a session for something at `asked_at`: what became of a run
    /// holds until the next prompt, and the sessions that it started itself speak for it.
    pub fn counts(&self, asked_at: Option<Timestamp>) -> bool {
        self.over.is_none() || asked_at.is_none_or(|asked_at| asked_at < self.began_at)
    }
}

impl RunOver {
    /// Whether a limit ended it: that is no completion (R6).
    pub fn is_used_up(&self) -> bool {
        self.status.is_some_and(|status| match status {
            RunStatus::MaxIterations
            | RunStatus::Stalled
            | RunStatus::BreakerOpen
            | RunStatus::Budget
            | RunStatus::Deadline => true,
            RunStatus::Complete
            | RunStatus::Unreadable
            | RunStatus::Unanswered
            | RunStatus::Cancelled
            | RunStatus::Failed => false,
        })
    }
}
