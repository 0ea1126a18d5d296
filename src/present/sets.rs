//! The model's closed sets in words. Symbols and colours are assigned elsewhere; the names for JSON and
//! configuration belong to the model.

use super::texts::sets;
use super::urgency::{Section, Urgency};
use crate::model::{
    ActionClass, ActionKind, ActivitySource, ActivityState, Actor, CommitAside, DecisionReason, Fact,
    LeftOut, LetGo, NoticeKind, Operation, OpinionReading, PartRole, ProbeFailure, ProbeRescue, ProbeWord,
    Proof, QuestionWeight, ReceiptState, RecordState, Rejection, Rule, RunStatus, SmartStatus, Strength,
    Trace, TrustKind, VerdictState, Warning,
};

sets! {
    /// A verdict's state in at most ten characters, the width that a row has for it.
    state(VerdictState, "VerdictState") {
        Complete, AwaitingResponse, RescueNeeded, Incomplete, Waiting, Working, Stalled, Error,
        NoTask,
    }
    /// The rule that decided, without the facts of the case.
    rule(Rule, "Rule") {
        SessionWorks, ByYou, Asks, RunFailed, RequiredUnreadable, DecisionUnreadable, NobodyAsked, RoundsUsedUp,
        SaysNo, SameAgain, Works, TurnCut, Waits, NoOutput, OutputStands, YesUncommitted, YesWithCommits, YesClean,
        DoneOutside, Answered, NothingChanged, NoEvidence, NotProven,
    }
    /// The part of a source in the verdict.
    role(PartRole, "PartRole") { Decided, Agrees, Overruled, Rejected, NotConfigured, NotThere, Noted }
    /// The meaning of a part, for explanations.
    role_meaning(PartRole, "PartRole.meaning") {
        Decided, Agrees, Overruled, Rejected, NotConfigured, NotThere, Noted,
    }
    /// Why evidence does not count.
    rejection(Rejection, "Rejection") {
        NotConfigured, Absent, Stale, Foreign, Unreadable, Vacuous, Undecided, MidTurn, LeftOver, Dismissed,
    }
    /// A reason of evidence.
    fact(Fact, "Fact") {
        NotRun, UnseenInCi, NotNeeded, BehindFailure, FailedBefore, Covered, NothingToCheck, NoTestResults, NoTestRan, ResultsFromFuture, OldResults, ResultsBeforeEdit, FailedBeforeEdit, OutcomeUnknown, PassedBeforeEdit, PassedBeforeDocuments, PartPassed, SaysTestsPass, PassedElsewhere, OwnDemand, OfBaseline, BacklogOfBaseline, BeforeTask, BeforePrompt, BeforeTurn, InFuture, GoalReached, GoalReachedBefore, TickedBefore, ListCut, NoReport, ReportContradicts, AskCloserAgain, SaysComplete, SaysIncomplete, MoreAfterComplete, ChannelContradicts, ProbeComplete, ProbeWaiting, ProbeWaitedLong, ProbeWorking, NothingOpen, AsksNothing, SaysDone, HalfWay, LaterTurn, TurnNotEnded, TurnWasCut, NothingVisible, OutputThere, NoOutput, StartedInside, NotAskedYet, LeftForAnother, TaskCut, BrokeOff, ProcessGone, ProcessStopped, SilentTurn, UnreadableLine, BeginUnread, WaitsForPrompt, TurnInterrupted, TurnEnded, RecordSilent, TurnRuns, TitleSaysTurn, LooksLikeWaiting, BackgroundRuns, WaitsForPermission, WaitsForAnswer, AsksQuestion, UsageLimitReached, NoNewCommit, TreeClean, RepositoryNeeded, NoRepository, CommitsBefore, CommittedElsewhere, SameContent, CancelOut, NoHeadLog, MadeByHand, UnknownContent, OrderedNotRun, OrderedChanged, OrderedUnknown, OrderedPart, OrderedElsewhere, OrderedActUnseen, AllInOneCommit, UpstreamHasAll, SubagentSilent, SubagentStopped, PromptQueued, NoneOfItsWork, DirtyBefore, OnlyTouched, OnlyKeepWork,
    }
    /// What is wrong with a decision file: what was expected and what was found.
    decision_reason(DecisionReason, "DecisionReason") {
        TooLarge, Unreadable, EmptyFile, InvalidJson, NotAnObject, MissingDecision, UnknownDecision, CheckIdMismatch, CheckIdPlaceholder, StaleFile, NoMarkerInFile, NoDecision,
    }
    /// Why commits since the baseline are not new work, behind their number.
    commit_aside(CommitAside, "CommitAside") { Rescued, Foreign, Empty, Noise, Elsewhere, Landed, Lost }
    /// How reliable a source's claim is.
    strength(Strength, "Strength") { Verified, Person, SelfReported, Guess }
    /// A warning as a sentence.
    warning(Warning, "Warning") {
        WorkAtRisk, OperationInProgress, CommitsLost, DetachedWork, TemporaryFolder, ChangesUnknown, VacuousOnly,
        WordsStopHalfWay, DecisionUnreadable, OwnSettings,
        OwnSettingsIgnored, MarkLapsed, Conflict,
    }
    /// What a workspace's urgency means, for the help page.
    urgency(Urgency, "Urgency") {
        Permission, Asks, Error, Stalled, Rescue, Incomplete, ToCommit, Working, Waiting, Offer, Unseen, Unjudged,
        Seen, Quiet,
    }
    /// The name of a section of the list.
    section(Section, "Section") {
        NeedsYou, AtRisk, LeftToDo, AtWork, Unseen, Unread, Finished, Quiet,
    }
    /// How well a COMPLETE is proven, in one word.
    proof(Proof, "Proof") { Said, Committed, Checked, ByYou }
    /// What a proof means, for the help page.
    proof_meaning(Proof, "Proof.meaning") { Said, Committed, Checked, ByYou }
    /// What a session is doing.
    activity(ActivityState, "ActivityState") {
        Working, Idle, NeedsPermission, Asks, Background, Gone, Unknown,
    }
    /// The source of a session's activity.
    activity_source(ActivitySource, "ActivitySource") {
        Hook, Registry, Api, Transcript, Run, Process, PaneTitle, None,
    }
    /// What a question means for the progress of the work.
    weight(QuestionWeight, "QuestionWeight") { Blocking, Offer }
    /// An operation of git, with its article.
    operation(Operation, "Operation") { Merge, Rebase, CherryPick, Revert, Bisect, ApplyMailbox }
    /// What is running, as the beginning of a row's note.
    running(ActionKind, "ActionKind.running") {
        Plan, Record, Rescue, Undo, Redo, Restore, Forget, Trust, Reply, Probe, Verify, Opinion, Messages, Decide, Mark, Gate,
        Checks,
    }
    /// Why a gate lets an agent stop.
    let_go(LetGo, "LetGo") {
        Complete, YourWord, NoTask, Asks, Background, NothingOpen, Stalled, NotJudged, OtherTool, Helper,
        BlocksUsedUp, DeadlinePassed,
    }
    /// How a supervised run ended, behind "the run ended:".
    run_status(RunStatus, "RunStatus") {
        Complete, MaxIterations, Stalled, Unreadable, BreakerOpen, Budget, Deadline, Unanswered, Cancelled, Failed,
    }
    /// How an action ended, for a history.
    action_class(ActionClass, "ActionClass") {
        Done, SavedGaps, SavedOnly, Nothing, Refused, Declined, Busy, Untrusted, Unknown, Failed, TimedOut, Damage,
        Cancelled,
    }
    /// Why a notice is given, to follow the name of the workspace.
    notice_kind(NoticeKind, "NoticeKind") {
        Question, Permission, Rescue, Stalled, Error, Limit, Finished,
    }
    /// The title of an action's outcome.
    title(ActionKind, "ActionKind.title") {
        Plan, Record, Rescue, Undo, Redo, Restore, Forget, Trust, Reply, Probe, Verify, Opinion, Messages, Decide, Mark, Gate,
        Checks,
    }
    /// Who requested an action.
    actor(Actor, "Actor") { Screen, Command, Configuration, Agent, Automatic }
    /// Why a path is left out of a commit.
    left_out(LeftOut, "LeftOut") { Secret, Junk, Large, Evidence, Noise, Nested, Flagged, Gap, Name, Untrusted }
    /// The state of a reply.
    receipt(ReceiptState, "ReceiptState") { Delivered, Queued, Held, Refused, Consumed, Unknown }
    /// A second model's reading of last words.
    reading(OpinionReading, "OpinionReading") { Asks, Unfinished, Finished }
    /// An agent's answer to a status question.
    probe_word(ProbeWord, "ProbeWord") { Complete, Waiting, Working }
    /// Why an answer to a probe could not be used.
    probe_failure(ProbeFailure, "ProbeFailure") {
        Timeout, SpawnError, Unreadable, UnknownStatus, ClientError, ChangedFiles,
    }
    /// How a smart check ended, as a sentence.
    smart_status(SmartStatus, "SmartStatus") {
        CommitsCreated, Rescued, NothingToDo, Timeout, ProbeError, GitError,
    }
    /// What a probe leaves behind.
    trace(Trace, "Trace") { Nothing, Copy, InSession }
    /// What a smart check may do with uncommitted work.
    probe_rescue(ProbeRescue, "ProbeRescue") { Never, Record, Commit }
    /// The state of a kept record.
    record_state(RecordState, "RecordState") { Kept, PutBack, NotInJournal, OfAnother, Stray, VaultOnly, Lost }
    /// What could run a program.
    trust_kind(TrustKind, "TrustKind") { Setting, Attribute, Hook, File, RescueProgram, NotCovered, Check }
}
