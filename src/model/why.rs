//! Why a verdict is as it is, and what to do next: facts, which `present` words. Texts of sources are untrusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::{CommitId, Reason, Source};

/// The rule that decided. A closed set: the rows of the table (DESIGN.md 2.3) in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// R0: the session reports that it is working.
    SessionWorks,
    /// R8: the user said so.
    ByYou,
    /// A permission, a dialog or a question waits for an answer.
    Asks,
    /// The run or the last turn failed.
    RunFailed,
    /// Git, or a source that the verdict needs, cannot be read.
    RequiredUnreadable,
    /// R4: the decision file or the closer's report is there and cannot be used. A decision that cannot be used
    /// too often in a row is an ERROR.
    DecisionUnreadable,
    /// No agent was asked for anything here.
    NobodyAsked,
    /// R6: a smart check was used up in vain.
    RoundsUsedUp,
    /// R1: something says that the work is not done.
    SaysNo,
    /// R5: the same open points again and again.
    SameAgain,
    /// Work seems to continue: a guess.
    Works,
    /// The last turn was interrupted or broken off, or how it ended is unknown.
    TurnCut,
    /// Background work runs.
    Waits,
    /// READ_INFO and REPORT: there is no visible output, or a declared one is missing.
    NoOutput,
    /// READ_INFO and REPORT: the output is there and nothing is asked.
    OutputStands,
    /// Done by its word, and work of the task is at risk.
    YesUncommitted,
    /// Done by its word, commits are there, and nothing is at risk.
    YesWithCommits,
    /// Done by its word, and nothing is at risk.
    YesClean,
    /// Only the last words say that it is done, and it acted outside the tree.
    DoneOutside,
    /// Only an answer was asked for, and it was given.
    Answered,
    /// The last words say that it is done, and nothing changed.
    NothingChanged,
    /// R2: nothing says that the work is done.
    NoEvidence,
    /// It would be complete, and is not proven as well as is required.
    NotProven,
}

impl Rule {
    /// The name used in JSON and in the log.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The rule that decided, with the facts of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Why {
    /// The rule says it all.
    Rule(Rule),
    /// The rule, with the reason that its source gives.
    Because(Rule, Reason),
    /// [`Rule::NobodyAsked`].
    NobodyAsked {
        /// New commits that lie here.
        n_commits: u32,
        /// Work that lies here and nowhere else.
        at_risk: Option<AtRisk>,
    },
    /// [`Rule::RunFailed`]: a usage limit, in the words of the session's record.
    UsageLimit(Reason),
    /// [`Rule::RoundsUsedUp`]: a supervised run ended, as the reason says.
    RunOver(Reason),
    /// [`Rule::RequiredUnreadable`].
    Unreadable(Source, Option<Reason>),
    /// [`Rule::DecisionUnreadable`]: which file it is (the decision, or the closer's report), and what is wrong with it.
    UnreadableReport(Source, Option<Reason>),
    /// [`Rule::DecisionUnreadable`], as often in a row as the policy allows.
    UnreadableInARow(u8, Option<Reason>),
    /// [`Rule::SaysNo`]: these sources say it, the first for this reason.
    SaysNo(Vec<Source>, Option<Reason>),
    /// [`Rule::SameAgain`].
    SameAgain {
        /// How many points are open.
        n_points: usize,
        /// For how many rounds in a row.
        n_rounds: u8,
    },
    /// [`Rule::YesWithCommits`].
    Commits {
        /// New commits; if there are none, those of a rescue count.
        n_new: u32,
        /// Commits of a rescue.
        n_rescued: u32,
        /// The other sources that say that the work is done.
        agree: Vec<Source>,
    },
    /// [`Rule::YesUncommitted`]: these sources say that the work is done.
    Uncommitted(Vec<Source>, AtRisk),
    /// [`Rule::YesClean`]: these sources say that the work is done.
    Clean(Vec<Source>),
    /// [`Rule::Asks`]: a permission.
    Permission,
    /// [`Rule::DoneOutside`]: HEAD's history has so many commits of the task in another form.
    Landed(u32),
    /// [`Rule::NothingChanged`] here, but elsewhere.
    ChangedElsewhere(WorkElsewhere),
    /// [`Rule::NoEvidence`], although a source says that the work is done: the work tree was not read.
    TreeUnread,
    /// [`Rule::NoEvidence`] beside work at risk.
    OnlyAtRisk(AtRisk),
}

impl Why {
    /// The rule that decided.
    pub fn rule(&self) -> Rule {
        match self {
            Why::Rule(rule) | Why::Because(rule, _) => *rule,
            Why::NobodyAsked { .. } => Rule::NobodyAsked,
            Why::UsageLimit(_) => Rule::RunFailed,
            Why::RunOver(_) => Rule::RoundsUsedUp,
            Why::Unreadable(..) => Rule::RequiredUnreadable,
            Why::UnreadableReport(..) | Why::UnreadableInARow(..) => Rule::DecisionUnreadable,
            Why::SaysNo(..) => Rule::SaysNo,
            Why::SameAgain { .. } => Rule::SameAgain,
            Why::Commits { .. } => Rule::YesWithCommits,
            Why::Uncommitted(..) => Rule::YesUncommitted,
            Why::Clean(_) => Rule::YesClean,
            Why::Permission => Rule::Asks,
            Why::Landed(_) => Rule::DoneOutside,
            Why::ChangedElsewhere(_) => Rule::NothingChanged,
            Why::TreeUnread | Why::OnlyAtRisk(_) => Rule::NoEvidence,
        }
    }
}

/// Work of the task that HEAD does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum AtRisk {
    /// Changed files of the task; `None` if they were not counted.
    Files(Option<u32>),
    /// Changed files of the task that a rescue committed to another branch.
    OnBranch {
        /// How many; `None` if they were not counted.
        n_files: Option<u32>,
        /// The short name of the branch. Untrusted text.
        branch: String,
    },
    /// Commits that no ref holds.
    Commits(u32),
    /// Stashed, hidden or merely kept, with the reason given in evidence.
    KeptApart(Option<Reason>),
}

/// Where work of a task is that this work tree does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum WorkElsewhere {
    /// Made here, and on another branch.
    OnBranch {
        /// How many.
        n_commits: u32,
        /// The short name of the branch that ends with them, if one does. Untrusted text.
        branch: Option<String>,
    },
    /// Made by a rescue, on a branch of its own. Untrusted text.
    OfRescue(String),
    /// Made here, and dropped by a person: no branch holds them.
    Dropped {
        /// How many.
        n_commits: u32,
        /// The newest of them.
        newest: CommitId,
    },
    /// Files outside the work tree that write calls name: the first, and how many more. Untrusted text.
    Outside(String, usize),
}

/// What the user would do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum NextAction {
    /// Nothing.
    None,
    /// Wait for the agent.
    Wait,
    /// Wait for the end of a usage limit.
    WaitForLimit(Reason),
    /// Allow or deny a call, if it is known which.
    Allow(Option<Reason>),
    /// Answer a question, if it is known which.
    Answer(Option<Reason>),
    /// Rescue uncommitted files.
    Rescue(Option<u32>),
    /// Keep on a branch the commits that no ref holds.
    KeepCommits(u32),
    /// Merge the branch of a rescue that holds what is uncommitted here. Untrusted text.
    Merge(String),
    /// Bring in work that is kept apart.
    BringIn(Option<Reason>),
    /// Send the agent back with the first open point.
    Fix {
        /// The point.
        first: Option<String>,
        /// How many more there are.
        n_more: usize,
    },
    /// Resume a supervised run that was interrupted.
    ResumeRun,
    /// Run the tests, if any are known here.
    RunTests {
        /// Whether a check is known.
        is_known: bool,
    },
    /// Commit the work.
    Commit,
    /// Ask the agent whether the work is done; without a session, decide.
    AskWhetherDone {
        /// Whether a session is known here.
        has_session: bool,
        /// Work at risk meanwhile.
        at_risk: Option<AtRisk>,
    },
    /// See whether anything had to change at all: the agent says that it is done, and nothing did.
    LookAtNothing,
    /// Bring back the work of a task that changed nothing here.
    BringBack(WorkElsewhere),
    /// Do what one's own mark says is left, or take the mark back.
    OwnMark {
        /// Work at risk meanwhile.
        at_risk: Option<AtRisk>,
    },
    /// Look at the session whose turn did not end.
    LookAtTurn {
        /// Why it did not, if that is known.
        cut: Option<Reason>,
    },
    /// Look at last words that announce more or break off, or ask the agent about them.
    LookAtLastWords {
        /// Whether a session is known here.
        has_session: bool,
    },
    /// Repair what cannot be read.
    Repair(Option<Reason>),
    /// Have the decision file or the closer's report written again.
    Rewrite {
        /// Which of them.
        report: Source,
        /// Whether a session is known here.
        has_session: bool,
    },
    /// Look at what failed.
    LookAtError(Option<Reason>),
}

impl NextAction {
    /// Its kind.
    pub fn kind(&self) -> NextActionKind {
        match self {
            NextAction::None => NextActionKind::None,
            NextAction::Wait | NextAction::WaitForLimit(_) => NextActionKind::Wait,
            NextAction::Allow(_) | NextAction::Answer(_) => NextActionKind::Answer,
            NextAction::Rescue(_) | NextAction::KeepCommits(_) => NextActionKind::Rescue,
            NextAction::Merge(_)
            | NextAction::BringIn(_)
            | NextAction::Fix { .. }
            | NextAction::ResumeRun
            | NextAction::RunTests { .. }
            | NextAction::Commit => NextActionKind::Fix,
            NextAction::AskWhetherDone { .. }
            | NextAction::LookAtNothing
            | NextAction::BringBack(_)
            | NextAction::OwnMark { .. }
            | NextAction::LookAtTurn { .. }
            | NextAction::LookAtLastWords { .. } => NextActionKind::Ask,
            NextAction::Repair(_) | NextAction::Rewrite { .. } | NextAction::LookAtError(_) => {
                NextActionKind::Repair
            }
        }
    }
}

/// Kinds of next actions. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextActionKind {
    /// Nothing.
    None,
    /// Answer the question.
    Answer,
    /// Rescue uncommitted work.
    Rescue,
    /// Send the agent back with what is missing.
    Fix,
    /// Ask the agent, or give it evidence to leave; where no session is known, decide oneself.
    Ask,
    /// Mend what keeps closeout from reading.
    Repair,
    /// Wait.
    Wait,
}
