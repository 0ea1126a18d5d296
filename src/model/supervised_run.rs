//! A supervised run (`closeout run`): an agent's command that is run, checked and told what is left, until the
//! evidence says that the work is done or a limit ends it.
//!
//! These values are kept in the state folder, so their names stay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::{Proof, Question, TaskKind, Timestamp, VerdictState};

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
    /// The money is spent, or nobody tells how much was.
    Budget,
    /// The time is over.
    Deadline,
    /// The agent asks, and nobody may or can answer.
    Unanswered,
    /// A person, or a signal, ended it.
    Cancelled,
    /// The command cannot be started, or closeout cannot go on.
    Failed,
}

impl RunStatus {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The exit code of the program.
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
    /// The whole run's time was over, or a person ended it.
    Ended,
    /// closeout was killed while it ran.
    Unknown,
}

impl CommandEnd {
    /// Whether this is a genuine time-out, which the circuit breaker counts.
    pub fn is_time_out(self) -> bool {
        matches!(self, CommandEnd::StoodStill | CommandEnd::TookTooLong)
    }

    /// It in words; each fits behind "the command".
    pub fn label(self) -> String {
        match self {
            CommandEnd::Code(code) => format!("ended with exit code {code}"),
            CommandEnd::Signal(signal) => format!("was ended by signal {signal}"),
            CommandEnd::StoodStill => "stood still and was ended".to_owned(),
            CommandEnd::TookTooLong => "took too long and was ended".to_owned(),
            CommandEnd::Ended => "was ended with the run".to_owned(),
            CommandEnd::Unknown => "was cut off when closeout was killed".to_owned(),
        }
    }
}

/// One iteration: the command ran once, and its work was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunIteration {
    /// Its number, from 1. One that goes on with an answer has the number of the one that asked.
    pub number: u32,
    /// The id that a decision of it must carry.
    pub check_id: String,
    /// HEAD when it began; none in a repository without a commit, and where there is no repository.
    pub baseline: Option<String>,
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

/// Where a run stands. Told apart so that one that was killed goes on there.
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
    /// Where it stands.
    pub phase: RunPhase,
    /// The number of the iteration; 0 before the first.
    pub iteration: u32,
    /// How often others were waited for since the command ended.
    pub n_waits: u32,
    /// How often the same points were open in a row; 0 with none.
    pub stage: u8,
    /// Those points.
    pub keys: Vec<String>,
    /// Decisions in a row that could not be read.
    pub n_unreadable: u8,
    /// Time-outs in a row, those of earlier runs in this workspace too.
    pub n_time_outs: u32,
    /// What all iterations cost, in millionths of a dollar.
    pub cost_micros: u64,
}

/// What a person ordered with a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOrder {
    /// The command with its arguments, as they were given.
    pub command: Vec<String>,
    /// The agent whose command it is, if closeout made it.
    pub agent: Option<String>,
    /// The first prompt; empty if there is none.
    pub prompt: String,
    /// The kind of the task, in place of the configured one.
    pub task_kind: Option<TaskKind>,
    /// How well COMPLETE has to be proven, in place of the configured one.
    pub require: Option<Proof>,
    /// The most iterations.
    pub max_iterations: u32,
    /// The most money, in millionths of a dollar.
    pub budget_micros: Option<u64>,
    /// The time of the whole run, in seconds.
    pub deadline_seconds: Option<u64>,
    /// The time of one iteration, in seconds.
    pub timeout_seconds: Option<u64>,
    /// The command is ended when nothing moved for so many seconds; 0 never ends it.
    pub stall_seconds: u64,
    /// The decision file, absolute, in place of the configured one.
    pub decision_file: Option<String>,
    /// Outputs beside that of the command, absolute.
    pub outputs: Vec<String>,
    /// Whether a question waits for an answer.
    pub waits_for_answers: bool,
    /// The agent that verifies the work when nothing else is left to do; empty is the session that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
}

/// A run, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisedRun {
    /// Its id, the beginning of all its check ids.
    pub id: String,
    /// When it began.
    pub began_at: Timestamp,
    /// HEAD when it began, from which its commits are counted.
    pub baseline: Option<String>,
    /// What was ordered.
    pub order: RunOrder,
    /// Where it stands.
    pub state: LoopState,
    /// The iterations, the oldest first.
    pub iterations: Vec<RunIteration>,
    /// The agent's question that waits for an answer, or was answered last.
    pub question: Option<String>,
    /// The same with its choices; a run of an older closeout has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Question>,
    /// The answer that the next command is told.
    pub answer: Option<String>,
    /// The process that runs it, or ran it last.
    pub pid: u32,
    /// How it ended.
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

/// What `closeout run` tells the judge of the command that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisedTurn {
    /// When the run began: what is older says nothing of its task.
    pub began_at: Timestamp,
    /// How its command ended; `None` before the first one.
    pub end: Option<CommandEnd>,
}
