//! The judge's verdict on a snapshot, with the rule that decided and the part that each source had in it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommitId, Evidence, LeftToDo, NextAction, Proof, Question, Rule, Timestamp, VerdictState, Why};

/// How urgent a rescue is (DESIGN.md 2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RescueDegree {
    /// Finished and not committed, but someone will commit by hand: the session lives or is young, on a
    /// named branch of a lasting work tree.
    ToCommit,
    /// The work may be lost.
    AtRisk,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The state.
    pub state: VerdictState,
    /// The rule that decided, with the facts of this case.
    pub why: Why,
    /// What the user would do next.
    pub next_action: NextAction,
    /// What is left to do, by every source.
    pub left_to_do: LeftToDo,
    /// Every source's part, by rank.
    pub parts: Vec<Part>,
    /// Pairs of sources that contradict one another, as positions in `parts`.
    pub conflicts: Vec<Conflict>,
    /// What the user should know beside the state.
    pub warnings: Vec<Warning>,
    /// The newest of each line of commits that no ref holds and no person had taken back: a rescue would keep them.
    #[serde(skip)]
    pub loose: Vec<CommitId>,
    /// The question that stands, under any verdict.
    pub question: Option<Question>,
    /// How often the same open points were seen in a row (R5); 1 is the first time, 0 none.
    pub stage: u8,
    /// True when only the agent itself says that the work is done.
    pub is_self_reported: bool,
    /// How well it is proven; exactly when the state is COMPLETE.
    pub proof: Option<Proof>,
    /// How urgent the rescue is; exactly when the state is `RESCUE_NEEDED`.
    pub degree: Option<RescueDegree>,
    /// What the rest says while a session is at work (R0).
    pub so_far: Option<VerdictState>,
}

impl Verdict {
    /// The rule that decided.
    pub fn rule(&self) -> Rule {
        self.why.rule()
    }
}

/// One source's part in a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What the source says.
    pub evidence: Arc<Evidence>,
    /// Its part.
    pub role: PartRole,
}

/// What became of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartRole {
    /// It decided, alone or with others of its claim.
    Decided,
    /// It says the same as the verdict.
    Agrees,
    /// It says something else and a stronger rule decided.
    Overruled,
    /// It does not count; its rejection says why.
    Rejected,
    /// No settings name it.
    NotConfigured,
    /// It is configured, by default or by name, and is not there.
    NotThere,
    /// It counts and was not needed for this verdict.
    Noted,
}

impl PartRole {
    /// The roles of sources that say nothing, of which there are many.
    pub const SILENT: [PartRole; 2] = [PartRole::NotThere, PartRole::NotConfigured];

    /// Whether a source in this role says nothing.
    pub fn is_silent(self) -> bool {
        PartRole::SILENT.contains(&self)
    }
}

/// Two sources that contradict one another, as positions in [`Verdict::parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conflict {
    /// The one that says that the work is done, or that the tests pass.
    pub yes: usize,
    /// The one that says otherwise.
    pub against: usize,
}

/// What the user should know beside the state. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Work exists only in this work tree, and the verdict does not say so.
    WorkAtRisk,
    /// A merge, rebase, … is not ended.
    OperationInProgress,
    /// Commits made here that are no longer reachable.
    CommitsLost,
    /// HEAD is on no branch and has commits that only it reaches.
    DetachedWork,
    /// The work that is at risk lies in a temporary folder of the system.
    TemporaryFolder,
    /// The work tree was not looked at yet.
    ChangesUnknown,
    /// Every YES is vacuous.
    VacuousOnly,
    /// The agent's last words announce more work or break off.
    WordsStopHalfWay,
    /// The decision file or the closer's report is there and cannot be read: what it says is not in the verdict.
    DecisionUnreadable,
    /// COMPLETE, and settings that the workspace chose itself had a part in it.
    OwnSettings,
    /// The workspace's own file says what could soften the verdict, and is not in the baseline's commit as
    /// it is now: it does not count.
    OwnSettingsIgnored,
    /// The user's mark has lapsed: something came up that it did not cover.
    MarkLapsed,
    /// Sources contradict one another.
    Conflict,
}

/// What the rounds before this one left behind (R4, R5, R6). The monitor keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rounds {
    /// The open points now: fingerprints, else reasons; sorted.
    pub open_points: Vec<String>,
    /// The open points with which the last round ended. While a turn runs it is no round yet.
    #[serde(default)]
    pub round_points: Vec<String>,
    /// How often rounds ended with these in a row.
    #[serde(default)]
    pub round_stage: u8,
    /// How often they were the same in a row.
    pub stage: u8,
    /// The open points with which the round before ended, with which those of this one are compared.
    #[serde(default)]
    pub past_points: Vec<String>,
    /// How often rounds had ended with those in a row.
    #[serde(default)]
    pub past_stage: u8,
    /// Unreadable decisions in a row.
    pub n_unreadable: u8,
    /// The mark of the last round.
    pub mark: Option<String>,
    /// The last check that was made by its own command, with an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<RoundCheck>,
    /// When anything but the open points of a look changed last: always later than what it replaces, so that of two the
    /// newer one counts.
    #[serde(default)]
    pub changed_at: Option<Timestamp>,
    /// True if a smart check used all its probes in vain; the monitor sets this each time.
    pub is_used_up: bool,
}

/// What a check found, so that the next one knows whether anything has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundCheck {
    /// A name for the sources as they were.
    pub sources: String,
    /// The mark of the round to which it belonged.
    pub mark: Option<String>,
}

impl Rounds {
    /// Whether both are the same apart from what each look finds anew.
    pub fn is_same_round(&self, other: &Rounds) -> bool {
        let kept = |rounds: &Rounds| Rounds {
            open_points: Vec::new(),
            stage: 0,
            is_used_up: false,
            changed_at: None,
            ..rounds.clone()
        };
        kept(self) == kept(other)
    }
}
