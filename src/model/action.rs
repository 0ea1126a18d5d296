//! Actions on a workspace: what the user can request, the outcome, and the progress.
//!
//! Most actions come in pairs: one makes a plan and changes nothing (except that planning a rescue records
//! the work first), the other carries out the plan that the user confirmed. A plan contains the state it
//! was made from; `action` looks again before it acts and compares. It does exactly what was confirmed, or
//! refuses (`src/ARCHITECTURE.md`, invariant 6). This module only describes actions; it performs none.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ActionClass, ActionKind, AskOptions, AskPlan, AskPurpose, Baseline, BranchPlan, CheckRecord,
    CheckStanding, CommitId, DecidedFile, EvidenceSummary, HeldNow, HeldReply, HeldStep, LeftToDo, MarkOrder,
    NotAsked, Opinion, ProbeAttempt, Receipt, RecordCost, RecordOrder, ReplyBody, ReplyPlan, RescuePlan,
    RescueRecord, Rescued, SessionMoment, SessionName, SessionPlace, SmartReport, TaskKind, Timestamp,
    TrustList, UndoDirection, UndoPlan, VerifyReport, WorkspaceId, WorkspaceSettings,
};

/// An action on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Action {
    /// Record the uncommitted work, and plan a visible commit of it. Answers with
    /// [`ActionOutcome::RescuePlanned`], or with [`ActionOutcome::SizeAsked`] if the record would be large. If all
    /// work is committed, but no branch holds it: with [`ActionOutcome::BranchPlanned`].
    PlanRescue {
        /// The commit message; `None` lets closeout propose one.
        message: Option<String>,
        /// How to make the record.
        order: RecordOrder,
    },
    /// Ask an agent for the plan's commit messages and its split. Answers with
    /// [`ActionOutcome::RescuePlanned`]; if the agent fails, the plan stays as it was.
    AskMessages {
        /// The plan as it was shown.
        plan: Box<RescuePlan>,
        /// The agent to ask in a new session; `None` asks the session whose words count.
        with: Option<String>,
    },
    /// Only record the uncommitted work. Answers with [`ActionOutcome::Recorded`], or with
    /// [`ActionOutcome::SizeAsked`] if the record would be large.
    Record {
        /// How to make the record.
        order: RecordOrder,
    },
    /// Commit what the plan shows. Answers with [`ActionOutcome::Rescued`].
    Rescue {
        /// The plan as it was confirmed.
        plan: Box<RescuePlan>,
    },
    /// Create the branch that the plan shows, for commits that none holds. Answers with
    /// [`ActionOutcome::CommitsKept`].
    KeepCommits {
        /// The plan as it was confirmed.
        plan: Box<BranchPlan>,
    },
    /// Plan an undo or a redo. Answers with [`ActionOutcome::UndoPlanned`].
    PlanUndo {
        /// Undo or redo.
        way: UndoDirection,
    },
    /// Take the last rescue back, or make it again. Answers with [`ActionOutcome::Undone`].
    Undo {
        /// The plan as it was confirmed.
        plan: Box<UndoPlan>,
    },
    /// Plan a reply to a session. Answers with [`ActionOutcome::ReplyPlanned`].
    PlanReply {
        /// The session.
        session: SessionName,
    },
    /// Send a reply. Answers with [`ActionOutcome::Replied`].
    Reply {
        /// The plan as it was shown.
        plan: Box<ReplyPlan>,
        /// What to send.
        body: ReplyBody,
    },
    /// Keep, send or drop a reply that waits until its agent's turn ends. Answers with
    /// [`ActionOutcome::Held`], or with [`ActionOutcome::Replied`] if the reply was sent.
    Held {
        /// The reply.
        reply: Box<HeldReply>,
        /// What to do with it.
        step: HeldStep,
    },
    /// Plan a question to an agent. Answers with [`ActionOutcome::AskPlanned`].
    PlanAsk {
        /// The purpose of the question.
        purpose: AskPurpose,
        /// The session to ask; `None` asks the one whose words count.
        session: Option<SessionName>,
        /// The options in which the user departs from the defaults.
        options: Box<AskOptions>,
    },
    /// Ask the agent as planned. A smart check answers with [`ActionOutcome::Checked`], the closer with
    /// [`ActionOutcome::Verified`].
    Ask {
        /// The plan as it was confirmed.
        plan: Box<AskPlan>,
    },
    /// Ask a session for its status without the user's request: a smart check that rescues nothing. Answers
    /// with [`ActionOutcome::Checked`] or [`ActionOutcome::NotAsked`].
    AutoProbe {
        /// The session and the moment of its task; it is asked in that moment only.
        moment: SessionMoment,
    },
    /// Have a second model read an agent's last words without the user's request. Answers with
    /// [`ActionOutcome::Opined`] or [`ActionOutcome::NotAsked`].
    SecondOpinion {
        /// The session and the moment of its task; its words are read in that moment only.
        moment: SessionMoment,
    },
    /// Record a statement of the user about the workspace. Answers with [`ActionOutcome::Marked`].
    Mark {
        /// The statement.
        order: MarkOrder,
        /// The reason, in the user's words.
        reason: Option<String>,
    },
    /// Write the decision file. Answers with [`ActionOutcome::Decided`].
    Decide {
        /// Whether the work is complete.
        is_complete: bool,
        /// The reason, in the user's words.
        reason: Option<String>,
    },
    /// See whether the checks that the user configured may run. Answers with
    /// [`ActionOutcome::ChecksPlanned`].
    PlanChecks,
    /// Run the checks that the user configured. Answers with [`ActionOutcome::ChecksRan`].
    RunChecks {
        /// The digest of the [`TrustList`] that the user was shown and trusts from now on, if there was one.
        trusting: Option<String>,
    },
    /// Run the configured checks after a turn, without the user's request. Answers with
    /// [`ActionOutcome::ChecksRan`].
    AutoChecks,
}

impl Action {
    /// True if the action only prepares something for the user to confirm. [`Action::PlanRescue`] records
    /// the work all the same.
    pub fn is_plan(&self) -> bool {
        matches!(
            self,
            Action::PlanRescue { .. }
                | Action::PlanUndo { .. }
                | Action::PlanReply { .. }
                | Action::PlanAsk { .. }
                | Action::PlanChecks
                | Action::AskMessages { .. }
        )
    }

    /// The kind of this action.
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::PlanUndo { .. }
            | Action::PlanReply { .. }
            | Action::PlanAsk { .. }
            | Action::PlanChecks => ActionKind::Plan,
            // Planning a rescue makes a record first.
            Action::PlanRescue { .. } | Action::Record { .. } => ActionKind::Record,
            Action::AskMessages { .. } => ActionKind::Messages,
            Action::Rescue { .. } | Action::KeepCommits { .. } => ActionKind::Rescue,
            Action::Undo { plan } => match plan.way {
                UndoDirection::Undo => ActionKind::Undo,
                UndoDirection::Redo => ActionKind::Redo,
            },
            Action::Reply { .. } | Action::Held { .. } => ActionKind::Reply,
            Action::Ask { plan } => match plan.purpose {
                AskPurpose::Probe => ActionKind::Probe,
                AskPurpose::Verify => ActionKind::Verify,
            },
            Action::AutoProbe { .. } => ActionKind::Probe,
            Action::SecondOpinion { .. } => ActionKind::Opinion,
            Action::Decide { .. } => ActionKind::Decide,
            Action::Mark { .. } => ActionKind::Mark,
            Action::RunChecks { .. } | Action::AutoChecks => ActionKind::Checks,
        }
    }
}

/// An action for the engine to carry out, with what is known of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionRequest {
    /// The action's number, counting up over all workspaces of this process.
    pub number: u64,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The action to carry out.
    pub action: Action,
    /// Where the workspace's evidence is.
    pub settings: WorkspaceSettings,
    /// The kind of its task.
    pub task_kind: TaskKind,
    /// The workspace's baseline, once known.
    pub baseline: Option<Baseline>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// The session whose words count, if there is one.
    pub first_session: Option<SessionName>,
    /// What the user asked for: the first prompt of the newest session's task, shortened. Untrusted text.
    pub task: Option<String>,
    /// The user's last prompt, shortened: it may be an answer, or words to go on. Untrusted text.
    pub prompt: Option<String>,
    /// The agent's last message. Untrusted text.
    pub last_words: Option<String>,
    /// The evidence for and against the work being done.
    pub standing: EvidenceSummary,
    /// The work as it was when the verdict was made.
    pub looked_at: LookedAt,
    /// What an earlier closer's checklist left open, with its summary.
    pub verified: Option<Box<VerifyReport>>,
    /// What is left to do, for messages that tell an agent about it.
    pub left_to_do: LeftToDo,
    /// The commits that a rescue would keep, as [`Verdict::loose`](super::Verdict::loose).
    pub loose: Vec<CommitId>,
    /// True while an agent is in its turn, or a supervised run goes on.
    pub is_at_work: bool,
}

/// The state of a workspace's work at one look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// A fingerprint of HEAD and the uncommitted changes; `None` if they could not be read.
    pub content: Option<String>,
    /// True if there was no work yet: no new commit and no uncommitted change.
    pub is_before_work: bool,
    /// The results of the checks that every look reads, by check name.
    pub standing: Vec<(String, CheckStanding)>,
    /// The results of the last runs of checks.
    pub records: Vec<CheckRecord>,
}

/// The outcome of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    /// The work is recorded; the plan describes the visible commit.
    RescuePlanned(Box<RescuePlan>),
    /// The record would be large, so nothing was done. The user is asked, and agrees with
    /// [`RecordOrder::is_size_allowed`].
    SizeAsked(RecordCost),
    /// The work is recorded, and nothing else was done.
    Recorded(Box<RescueRecord>),
    /// The work is committed.
    Rescued(Box<Rescued>),
    /// Which branch would keep commits that none holds. Nothing was done.
    BranchPlanned(Box<BranchPlan>),
    /// The branch is created, as planned.
    CommitsKept(Box<BranchPlan>),
    /// What an undo or a redo would do.
    UndoPlanned(Box<UndoPlan>),
    /// The rescue was taken back or made again, as planned.
    Undone(Box<UndoPlan>),
    /// How a reply would be sent.
    ReplyPlanned(Box<ReplyPlan>),
    /// The state of a reply so far; more can become known later.
    Replied(Box<Receipt>),
    /// What became of a reply that waits until its agent's turn ends.
    Held {
        /// The reply.
        reply: Box<HeldReply>,
        /// What became of it.
        now: HeldNow,
    },
    /// How an agent would be asked.
    AskPlanned(Box<AskPlan>),
    /// What a smart check found.
    Checked(Box<SmartReport>),
    /// What the closer found.
    Verified(Box<VerifyReport>),
    /// A second model's reading of the last words.
    Opined(Box<Opinion>),
    /// The configured checks can run. If they run files of the workspace that are not trusted: everything that
    /// the user would trust.
    ChecksPlanned(Option<Box<TrustList>>),
    /// The checks that had to run have run.
    ChecksRan(Vec<CheckRecord>),
    /// closeout did not ask the agent on its own.
    NotAsked(NotAsked),
    /// The decision file is written.
    Decided(Box<DecidedFile>),
    /// The user's statement is recorded.
    Marked {
        /// The statement.
        order: MarkOrder,
        /// The reason, in the user's words.
        reason: Option<String>,
    },
    /// The action was not carried out.
    Failed(ActionProblem),
}

impl ActionOutcome {
    /// How the action ended.
    pub fn class(&self) -> ActionClass {
        match self {
            ActionOutcome::RescuePlanned(plan) if plan.refusal.is_some() => ActionClass::SavedOnly,
            ActionOutcome::RescuePlanned(plan) => plan.record.class(),
            ActionOutcome::Recorded(record) => record.class(),
            ActionOutcome::Rescued(rescued) => rescued.record.class(),
            ActionOutcome::SizeAsked(_)
            | ActionOutcome::NotAsked(_)
            | ActionOutcome::Held { now: HeldNow::Dropped(_) | HeldNow::WaitsOn, .. } => ActionClass::Refused,
            ActionOutcome::Replied(receipt) => receipt.state.class(),
            ActionOutcome::Checked(report) => report.class(),
            ActionOutcome::Failed(problem) => problem.class,
            ActionOutcome::BranchPlanned(_)
            | ActionOutcome::CommitsKept(_)
            | ActionOutcome::UndoPlanned(_)
            | ActionOutcome::Undone(_)
            | ActionOutcome::ReplyPlanned(_)
            | ActionOutcome::Held { .. }
            | ActionOutcome::AskPlanned(_)
            | ActionOutcome::Verified(_)
            | ActionOutcome::Opined(_)
            | ActionOutcome::ChecksPlanned(_)
            | ActionOutcome::ChecksRan(_)
            | ActionOutcome::Marked { .. }
            | ActionOutcome::Decided(_) => ActionClass::Done,
        }
    }
}

/// Why an action was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionProblem {
    /// The class of the problem.
    pub class: ActionClass,
    /// What happened. May hold untrusted text.
    pub message: String,
    /// What the user can do about it. May hold untrusted text.
    pub next: Option<String>,
}

impl ActionProblem {
    /// A problem of this class, without advice.
    pub fn new(class: ActionClass, message: impl Into<String>) -> ActionProblem {
        ActionProblem { class, message: message.into(), next: None }
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn with_next(self, next: impl Into<String>) -> ActionProblem {
        ActionProblem { next: Some(next.into()), ..self }
    }
}

/// How far an action is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ActionProgress {
    /// What it does now, in words. May hold untrusted text.
    pub message: String,
    /// The probes so far, in their order; the last one may still run.
    pub attempts: Vec<ProbeAttempt>,
    /// Until when it waits, if it does.
    pub waits_until: Option<Timestamp>,
    /// A reply that the agent has received, while its program continues the turn: what is left of the action is
    /// that turn, which blocks no other action.
    pub taken: Option<Box<Receipt>>,
}

/// An action that runs, as a front shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunningAction {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub kind: ActionKind,
    /// Since when.
    pub since: Timestamp,
    /// How far it is.
    pub progress: ActionProgress,
    /// Whether its end was asked for.
    pub is_cancelled: bool,
    /// Whether no user asked for it, but closeout itself began it.
    pub is_automatic: bool,
    /// Whether it only prepares something for the user to confirm.
    #[serde(skip)]
    pub is_plan: bool,
}
