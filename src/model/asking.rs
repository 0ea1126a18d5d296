//! Questions to an agent: how it would be asked, and what it answered. Nothing here asks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::smart_check::{ProbeFailure, ProbeReading, ProbeWord, SmartStatus};
use super::{
    ActionClass, CheckRecord, Checklist, Marks, OpenPoint, Opinion, RecordRef, Rounds, SessionName,
    SmartOutcome, Timestamp, VerdictState,
};

/// The allowed range of a smart check setting, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The minimum.
    pub least: u16,
    /// The maximum.
    pub most: u16,
}

/// How many probes a smart check may send.
pub const PROBES: Bounds = Bounds { least: 0, most: 20 };
/// The time between two probes, in seconds.
pub const PROBE_INTERVAL_SECONDS: Bounds = Bounds { least: 1, most: 3600 };
/// How long a probe may take before it is abandoned, in seconds.
pub const PROBE_TIMEOUT_SECONDS: Bounds = Bounds { least: 1, most: 600 };

/// What an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskPurpose {
    /// Its status, in a smart check.
    Probe,
    /// A checklist with evidence, by the closer.
    Verify,
}

/// What a command leaves behind in the agent's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trace {
    /// Nothing.
    Nothing,
    /// A copy of the session that is to be deleted afterwards, and may stay.
    Copy,
    /// It becomes part of the session.
    InSession,
}

/// What the user wants of a question otherwise than usual. All but the last is of the closer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskOptions {
    /// The agent that is asked in a new session, in place of the session that did the work.
    pub with: Option<String>,
    /// Values for the placeholders of the prompt, by their names.
    pub params: BTreeMap<String, String>,
    /// The steps whose prompts are used, one question each; if empty, the configured step.
    pub steps: Vec<String>,
    /// What the agent gave as its structured output: JSON text.
    pub structured_output: Option<String>,
    /// Whether the status is asked for once, or by closeout itself: such answers use up nothing (R6).
    pub is_single: bool,
}

/// How an agent would be asked, as the user sees it before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskPlan {
    /// For what.
    pub purpose: AskPurpose,
    /// The session.
    pub session: SessionName,
    /// The command line, argument by argument. May contain untrusted text.
    pub command: Vec<String>,
    /// What it leaves behind.
    pub trace: Trace,
    /// What is asked, in full.
    pub prompt: String,
    /// Where the prompt is from: a file of the workspace, or "built in".
    pub prompt_from: String,
    /// How often at most.
    pub max_attempts: u32,
    /// The pause between two attempts, in seconds.
    pub interval_seconds: u64,
    /// The time limit of an attempt, in seconds.
    pub timeout_seconds: u64,
    /// What happens with uncommitted work at the end of a smart check.
    pub rescue: ProbeRescue,
    /// What the user should know first, a sentence each. May hold untrusted text.
    pub warnings: Vec<String>,
    /// What the user wanted otherwise than usual.
    pub options: AskOptions,
}

/// The sources for and against the work being done, by name. An agent is asked for its status only if there
/// are neither (DESIGN.md 2.3, R3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvidenceSummary {
    /// Sources that say YES, without earlier probes, the last words, and commits, which a smart check counts
    /// itself.
    pub yes: Vec<String>,
    /// Sources that say NO.
    pub no: Vec<String>,
}

/// What a smart check may do with uncommitted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeRescue {
    /// Nothing.
    Never,
    /// Record it, and leave the visible commit to the user.
    Record,
    /// Commit it: trusted configuration or a flag allows it.
    Commit,
}

/// One attempt of a smart check to ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeAttempt {
    /// 1 for the first one.
    pub number: u32,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it took, in milliseconds; `None` while it runs.
    pub took_ms: Option<u64>,
    /// What was answered, shortened. Untrusted text.
    pub answer: Option<String>,
    /// How that was read; `None` while it runs.
    pub reading: Option<ProbeReading>,
    /// More in words: why there is no answer, or that files were changed. May hold untrusted text.
    #[serde(alias = "words")]
    pub detail: Option<String>,
    /// What it said beside its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Box<ProbeDetails>>,
    /// What it cost, where the client tells.
    pub cost: AskCost,
}

/// What an agent says of its task beside its status. Shown; it decides nothing. Untrusted texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeDetails {
    /// Its agents that are still working, each with what it is doing, if known.
    pub agents_active: Vec<String>,
    /// The tasks that are left.
    pub tasks_pending: Vec<String>,
    /// The tasks that are done.
    pub tasks_completed: Vec<String>,
    /// The commits that it says it made. Never counted.
    pub commits_made: Option<u64>,
    /// What it would do next.
    pub next_action: Option<String>,
    /// Its advice whether to ask again. Never followed.
    pub should_continue: Option<bool>,
}

/// What asking cost, where the client tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskCost {
    /// Tokens put before the model.
    pub input_tokens: Option<u64>,
    /// Of these, read from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub micro_dollars: Option<u64>,
}

impl AskCost {
    /// The sum of two costs; a number that only one of them has is taken as it is.
    #[must_use]
    pub fn plus(&self, other: &AskCost) -> AskCost {
        let plus = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        AskCost {
            input_tokens: plus(self.input_tokens, other.input_tokens),
            cached_tokens: plus(self.cached_tokens, other.cached_tokens),
            output_tokens: plus(self.output_tokens, other.output_tokens),
            micro_dollars: plus(self.micro_dollars, other.micro_dollars),
        }
    }
}

/// What a smart check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartReport {
    /// The session that was asked; `None` if none had to be.
    pub session: Option<SessionName>,
    /// When it ended.
    pub at: Timestamp,
    /// How it ended.
    pub outcome: SmartOutcome,
    /// All attempts, in their order.
    pub attempts: Vec<ProbeAttempt>,
    /// The reference of the record that was made, if one was.
    pub record: Option<RecordRef>,
    /// What else the user should know, a sentence each. May hold untrusted text.
    pub notes: Vec<String>,
    /// Whether it was a single question, or automatic, and not a check that uses up its probes.
    #[serde(default)]
    pub is_single: bool,
}

impl SmartReport {
    /// Whether it used all its probes in vain (R6). If the last answer was "complete", what is left is the
    /// work that nobody committed.
    pub fn is_used_up(&self) -> bool {
        let last = self.attempts.last().and_then(|attempt| attempt.reading);
        !self.is_single
            && matches!(self.outcome.status, SmartStatus::Timeout | SmartStatus::ProbeError)
            && last != Some(ProbeReading::Answered(ProbeWord::Complete))
    }

    /// How the action ended that made this report: like its last probe if the probes failed, otherwise done.
    pub fn class(&self) -> ActionClass {
        if self.outcome.status != SmartStatus::ProbeError {
            return ActionClass::Done;
        }
        match self.attempts.last().and_then(|attempt| attempt.reading) {
            Some(ProbeReading::Failed(ProbeFailure::Timeout)) => ActionClass::TimedOut,
            Some(ProbeReading::Failed(ProbeFailure::SpawnError | ProbeFailure::ClientError)) => {
                ActionClass::Failed
            }
            Some(
                ProbeReading::Failed(
                    ProbeFailure::Unreadable | ProbeFailure::UnknownStatus | ProbeFailure::ChangedFiles,
                )
                | ProbeReading::Answered(_),
            )
            | None => ActionClass::Unknown,
        }
    }
}

/// What the closer found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyReport {
    /// The session that was asked.
    pub session: SessionName,
    /// When it answered.
    pub at: Timestamp,
    /// 1 for the first one of a workspace.
    pub round: u32,
    /// Whether all is done, by the rules of the closer.
    pub is_complete: bool,
    /// How sure the model says it is, in hundredths.
    pub confidence_percent: Option<u8>,
    /// The items.
    pub checklist: Checklist,
    /// What is left to do. Untrusted text.
    pub pending_actions: Vec<String>,
    /// The model's summary. Untrusted text.
    pub summary: Option<String>,
    /// Why the answer could not be used, in words.
    pub error: Option<String>,
    /// How often was asked: 2 if the first answer could not be read.
    pub n_attempts: u32,
    /// What it cost.
    pub cost: AskCost,
    /// What else the user should know, a sentence each. May hold untrusted text.
    pub notes: Vec<String>,
    /// The agent that was asked in a new session, where it was not the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// What was asked, shortened. May hold untrusted text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt_used: String,
}

/// A decision file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecidedFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether it says that the work is complete.
    pub is_complete: bool,
    /// The id of the check that it carries.
    pub check_id: Option<String>,
    /// The SHA-256 of its content, in hexadecimal.
    pub digest: String,
}

/// The moment of a workspace's task: a new prompt or a finished turn starts another moment. What an agent
/// said in one moment says nothing about the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskMoment {
    /// When the user last wrote to the session whose words count.
    pub prompted_at: Option<Timestamp>,
    /// For each session, when its last turn ended; if that is unknown, when its record last grew.
    pub turns: Vec<(SessionName, Option<Timestamp>)>,
}

/// What agents of a workspace last said when asked, with the moment of the task, and what else other runs need
/// to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReports {
    /// The last smart check.
    pub smart_check: Option<(Box<SmartReport>, TaskMoment)>,
    /// The closer's last checklist.
    pub verified: Option<(Box<VerifyReport>, TaskMoment)>,
    /// The user's statements about the workspace.
    #[serde(default)]
    pub marks: Marks,
    /// The rounds by check id; the key is empty if there is none.
    #[serde(default)]
    pub rounds: BTreeMap<String, Rounds>,
    /// What was left to do at the last judgement, and which points were sent to an agent.
    #[serde(default)]
    pub points: Vec<OpenPoint>,
    /// The results of the last runs of checks.
    #[serde(default)]
    pub checks: Vec<CheckRecord>,
    /// What the user last looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Box<SeenState>>,
    /// A second model's reading of the last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinion: Option<Box<Opinion>>,
    /// The decision file as it was first seen with its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<SeenContent>,
}

impl KeptReports {
    /// What to keep where `known` is kept, which another closeout may have changed since: its marks, which only a change of
    /// a mark changes, and of each check id the newer rounds.
    #[must_use]
    pub fn over(mut self, known: KeptReports) -> KeptReports {
        self.marks = known.marks;
        for (check_id, rounds) in known.rounds {
            if self.rounds.get(&check_id).is_none_or(|own| own.changed_at < rounds.changed_at) {
                self.rounds.insert(check_id, rounds);
            }
        }
        self
    }
}

/// The content of a file, and since when it has been there. A file that was only touched, copied or written again with
/// the same content says nothing new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenContent {
    /// The SHA-256 of the content, in hexadecimal.
    pub digest: String,
    /// When the file was written as it was first seen with this content.
    pub since: Timestamp,
}

/// The state of a workspace when the user looked at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenState {
    /// The state.
    pub state: VerdictState,
    /// When the workspace entered that state.
    pub since: Timestamp,
    /// True if closeout found it in that state, so that it may have been in it for longer.
    pub is_found: bool,
    /// The moment that its sessions were in: what they did after it was not seen.
    pub moment: TaskMoment,
    /// When the user looked.
    pub at: Timestamp,
}
