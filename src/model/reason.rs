//! Why evidence claims what it claims, or why it does not count: facts, which `present` words. Must not hold a
//! sentence of closeout's own.

use super::{CollectProblem, CommandEnd, DecisionReason, GitReason, ProbeFailure, RunOver, RunPhase};

/// Why evidence claims what it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Words of the source itself, of a checker or of an error. Untrusted text.
    Words(String),
    /// A fact without parameters.
    Fact(Fact),
    /// What was demanded cannot be verified, with the reading error.
    CannotVerify(String),
    /// The closer's report cannot be used, with the name of the error.
    UnusableReport(String),
    /// The closer found no open item and did not confirm completion; its confidence in percent.
    Unconfirmed(Option<u8>),
    /// The closer's checklist has this many items, all completed.
    AllCompleted(usize),
    /// This many commits followed the closer's answer.
    CommitsSince(usize),
    /// What is wrong with the decision file.
    Decision(DecisionReason),
    /// Another channel decided because of what is wrong with the decision file.
    FileNotUsed(DecisionReason),
    /// The answer to a probe cannot be used.
    ProbeFailed(ProbeFailure),
    /// This command failed in the session.
    RunFailed(String),
    /// This command failed while the session was only asked for an answer.
    RunFailedBeside(String),
    /// This command passed, and nothing was edited since.
    RunPassed(String),
    /// What a prompt asks for, in its words, cannot be verified, because of this.
    Demanded(String, Fact),
    /// How the command of a supervised run ended.
    CommandEnded(CommandEnd),
    /// What became of a supervised run.
    RunOver(RunOver),
    /// A turn runs this call.
    Calls(String),
    /// This background work is running.
    Background(String),
    /// The session waits for permission to do this.
    Permission(String),
    /// So many further sessions were not read.
    UnreadSessions(usize),
    /// The last reply is this error.
    LastReply(String),
    /// A usage limit was reached, which is lifted at this time.
    UsageLimit(String),
    /// An offer, which the configuration does not take for a question.
    Offer(String),
    /// An offer or a question that the user declined.
    Declined(String),
    /// A question of low certainty.
    MayAsk(String),
    /// The words announce more or break off, by this sign.
    StopsHalfWay(String),
    /// The words may say, by this sentence, that something is open.
    MayBeOpen(String),
    /// The words put off what the prompt asks for.
    PutsOff(String),
    /// The words tell a figure beyond the bound that the prompt sets.
    MissesBound {
        /// The bound, in the prompt's words.
        bound: String,
        /// The sentence with the figure.
        words: String,
    },
    /// What git shows.
    Git(GitReason),
    /// The workspace could not be read.
    CannotRead(CollectProblem),
    /// A supervised run is at work.
    SupervisedRun {
        /// What it does.
        phase: RunPhase,
        /// The number of the iteration.
        iteration: u32,
        /// The most iterations.
        max_iterations: u32,
    },
}

/// A reason without parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// A check has not run since the last change.
    NotRun,
    /// It runs in CI, and no result of it is known.
    UnseenInCi,
    /// A check did not run and is not needed: others of its group are met.
    NotNeeded,
    /// A check did not run because one before it is not met.
    BehindFailure,
    /// A check failed before the work began, too.
    FailedBefore,
    /// A check is not met and not needed: others of its group are met.
    Covered,
    /// A check found nothing to check.
    NothingToCheck,
    /// A check demands test results, and there are none of this task.
    NoTestResults,
    /// The results list no test that ran.
    NoTestRan,
    /// The test results have a timestamp in the future.
    ResultsFromFuture,
    /// The test results are older than the task.
    OldResults,
    /// The test results are older than the last edit.
    ResultsBeforeEdit,
    /// A run failed in the same way before the first edit of the task.
    FailedBeforeEdit,
    /// A test run whose outcome cannot be read proves nothing.
    OutcomeUnknown,
    /// A test run passed before the last change.
    PassedBeforeEdit,
    /// It passed, and nothing but documents has changed since.
    PassedBeforeDocuments,
    /// A run of a part of the tests passed.
    PartPassed,
    /// The agent says that the tests pass; its own runs say otherwise.
    SaysTestsPass,
    /// Only the workspace's own file demands it, and the baseline has that file otherwise.
    OwnDemand,
    /// The baseline's commit has the same content.
    OfBaseline,
    /// The open steps that a plan shares with the baseline's commit are not the task's.
    BacklogOfBaseline,
    /// Written before the task began.
    BeforeTask,
    /// An open point from before the last prompt.
    BeforePrompt,
    /// Said before a later prompt or turn.
    BeforeTurn,
    /// Its timestamp is in the future.
    InFuture,
    /// The session's goal is reached.
    GoalReached,
    /// The goal was reached before the last prompt.
    GoalReachedBefore,
    /// The todo list was completed before the last prompt.
    TickedBefore,
    /// Part of the todo list can no longer be read.
    ListCut,
    /// There is no report of the closer.
    NoReport,
    /// The closer's report contradicts itself.
    ReportContradicts,
    /// The closer's answer predates a prompt or turn.
    AskCloserAgain,
    /// The decision is complete and gives no reason.
    SaysComplete,
    /// The decision is incomplete and gives no reason.
    SaysIncomplete,
    /// The output says complete, but not as its last statement.
    MoreAfterComplete,
    /// The channel of the decision contradicts itself.
    ChannelContradicts,
    /// Asked by a probe, the agent says that it is done.
    ProbeComplete,
    /// Asked by a probe, the agent says that background work is running.
    ProbeWaiting,
    /// It said that it waits, so long ago that nobody can believe it any more.
    ProbeWaitedLong,
    /// Asked by a probe, the agent says that work is left.
    ProbeWorking,
    /// A second model found neither a question nor an open point.
    NothingOpen,
    /// The words ask nothing.
    AsksNothing,
    /// The words say that the work is done.
    SaysDone,
    /// The words stop half-way.
    HalfWay,
    /// A later turn has begun since the words.
    LaterTurn,
    /// The words were said in a turn that has not ended.
    TurnNotEnded,
    /// The words were said in a turn that was cut.
    TurnWasCut,
    /// The output has no visible content.
    NothingVisible,
    /// The output is there.
    OutputThere,
    /// There is no output.
    NoOutput,
    /// The check was started from inside the session.
    StartedInside,
    /// The session was asked for nothing yet.
    NotAskedYet,
    /// The user went on in another session.
    LeftForAnother,
    /// The task's last turn was cut; only side questions followed.
    TaskCut,
    /// The check failed here and passed later in another session.
    PassedElsewhere,
    /// The last reply broke off in the middle: the model reached its token limit, or refused to go on.
    BrokeOff,
    /// The agent's process is gone in mid-turn.
    ProcessGone,
    /// The agent's process is stopped in mid-turn.
    ProcessStopped,
    /// A turn is open in a record that is silent.
    SilentTurn,
    /// A line of the record cannot be read.
    UnreadableLine,
    /// The record was not read back to where the task begins.
    BeginUnread,
    /// The session waits for a prompt.
    WaitsForPrompt,
    /// The turn was interrupted.
    TurnInterrupted,
    /// The turn has ended.
    TurnEnded,
    /// The record does not tell what the session does.
    RecordSilent,
    /// A turn runs.
    TurnRuns,
    /// The title of the session's pane says that a turn runs.
    TitleSaysTurn,
    /// In the record, waiting for permission to use the tool looks the same as using it.
    LooksLikeWaiting,
    /// Background work runs.
    BackgroundRuns,
    /// The session waits for permission.
    WaitsForPermission,
    /// The session waits for an answer.
    WaitsForAnswer,
    /// The session asks a question.
    AsksQuestion,
    /// A usage limit was reached, and nothing says when it is lifted.
    UsageLimitReached,
    /// There is no new commit since the baseline.
    NoNewCommit,
    /// The work tree is clean.
    TreeClean,
    /// There is no git repository, which the task needs.
    RepositoryNeeded,
    /// There is no git repository.
    NoRepository,
    /// The commits were made before the last prompt.
    CommitsBefore,
    /// Another branch had the same content before the last prompt.
    CommittedElsewhere,
    /// The commits leave what HEAD holds as it was.
    SameContent,
    /// The commits cancel each other out.
    CancelOut,
    /// HEAD has no log that shows what is new.
    NoHeadLog,
    /// The commits were made between turns and hold no file of the task, or on a branch that no session made.
    MadeByHand,
    /// What HEAD held at the last prompt is not known, so that nothing shows that the commits hold more.
    UnknownContent,
    /// A prompt orders a check, and it was not run.
    OrderedNotRun,
    /// A prompt orders a check, and something was changed since it ran.
    OrderedChanged,
    /// A prompt orders a check, and how it ended is not known.
    OrderedUnknown,
    /// A prompt orders a check, and only a part of it ran.
    OrderedPart,
    /// A prompt orders a check, and it ran outside the folder of the work.
    OrderedElsewhere,
    /// A prompt orders an act such as a push, and nothing shows that it was done.
    OrderedActUnseen,
    /// A prompt orders a commit for each of several things, and all are in one.
    AllInOneCommit,
    /// The upstream branch has all commits.
    UpstreamHasAll,
    /// A subagent of the task has not reported.
    SubagentSilent,
    /// A subagent of the task was stopped or failed, and nothing was done since.
    SubagentStopped,
    /// A prompt that the user queued was never taken up.
    PromptQueued,
    /// A session was asked for work, and its record shows none.
    NoneOfItsWork,
    /// The file is young, and its content is older than the last prompt.
    OnlyTouched,
    /// Every file of the commits was as it is before the task began.
    DirtyBefore,
    /// By their subjects, the commits merely keep unfinished work.
    OnlyKeepWork,
}

impl Fact {
    /// Whether this, said of a test run, contradicts that the tests pass.
    pub fn belies_a_pass(self) -> bool {
        matches!(self, Fact::PassedBeforeEdit | Fact::FailedBeforeEdit | Fact::NoTestRan)
    }
}

impl From<Fact> for Reason {
    fn from(fact: Fact) -> Reason {
        Reason::Fact(fact)
    }
}

impl From<GitReason> for Reason {
    fn from(reason: GitReason) -> Reason {
        Reason::Git(reason)
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Reason {
        Reason::Words(words)
    }
}
