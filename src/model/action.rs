//! What a person can have done to a workspace, what became of it, and how far it is.
//!
//! Most actions come in two: one that makes a plan and changes nothing (that of a rescue records the work first), and
//! one that carries out the plan that a person confirmed. A plan carries what was seen of the world: the room that
//! carries it out looks again and compares. What is confirmed is what is done, or it is refused (`src/ARCHITECTURE.md`, invariant 6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ActionClass, ActionKind, AskOptions, AskPlan, AskPurpose, Baseline, CheckRecord, CheckStanding,
    DecidedFile, EvidenceSummary, HeldNow, HeldReply, HeldStep, LeftToDo, MarkOrder, NotAsked, Opinion,
    ProbeAttempt, Receipt, RecordCost, RecordOrder, ReplyBody, ReplyPlan, RescuePlan, RescueRecord, Rescued,
    SessionMoment, SessionName, SessionPlace, SmartReport, TaskKind, Timestamp, UndoDirection, UndoPlan,
    VerifyReport, WorkspaceId, WorkspaceSettings,
};

/// An action on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Action {
    /// Record the uncommitted work, and plan a visible commit of it. Answers with
    /// [`ActionOutcome::RescuePlanned`].
    PlanRescue {
        /// The commit message; `None` has one proposed.
        message: Option<String>,
        /// How the record is to be made.
        order: RecordOrder,
    },
    /// Ask an agent for the messages and the split of a plan. Answers with [`ActionOutcome::RescuePlanned`]; where that
    /// fails, the plan holds as it was.
    AskMessages {
        /// The plan as it was shown.
        plan: Box<RescuePlan>,
        /// The agent that is asked anew; `None` asks the session whose words count.
        with: Option<String>,
    },
    /// Only record the uncommitted work. Answers with [`ActionOutcome::Recorded`].
    Record {
        /// How the record is to be made.
        order: RecordOrder,
    },
    /// Commit what the plan shows. Answers with [`ActionOutcome::Rescued`].
    Rescue {
        /// The plan as it was confirmed.
        plan: Box<RescuePlan>,
    },
    /// Tell what an undo or a redo would do. Answers with [`ActionOutcome::UndoPlanned`].
    PlanUndo {
        /// Which.
        way: UndoDirection,
    },
    /// Take the last rescue back, or make it again. Answers with [`ActionOutcome::Undone`].
    Undo {
        /// The plan as it was confirmed.
        plan: Box<UndoPlan>,
    },
    /// Tell how a reply to a session would go. Answers with [`ActionOutcome::ReplyPlanned`].
    PlanReply {
        /// The session.
        session: SessionName,
    },
    /// Send a reply. Answers with [`ActionOutcome::Replied`].
    Reply {
        /// The plan as it was shown.
        plan: Box<ReplyPlan>,
        /// What is sent.
        body: ReplyBody,
    },
    /// Keep, send or drop a reply that waits for the end of its agent's turn. Answers with [`ActionOutcome::Held`],
    /// or, where it was sent, with [`ActionOutcome::Replied`].
    Held {
        /// The reply.
        reply: Box<HeldReply>,
        /// What is to be done with it.
        step: HeldStep,
    },
    /// Tell how an agent would be asked. Answers with [`ActionOutcome::AskPlanned`].
    PlanAsk {
        /// For what.
        purpose: AskPurpose,
        /// The session; `None` is the one whose words count.
        session: Option<SessionName>,
        /// What a person wants otherwise than usual.
        options: Box<AskOptions>,
    },
    /// Ask the agent by the plan: a smart check, which answers with [`ActionOutcome::Checked`], or the closer,
    /// which answers with [`ActionOutcome::Verified`].
    Ask {
        /// The plan as it was confirmed.
        plan: Box<AskPlan>,
    },
    /// Ask a session for its status where no person asked for that: a smart check that rescues nothing. Answers
    /// with [`ActionOutcome::Checked`], or with [`ActionOutcome::NotAsked`].
    AutoProbe {
        /// The session, and where its task is: it is asked in that moment only.
        moment: SessionMoment,
    },
    /// Have a second model read an agent's last words where no person asked for that. Answers with
    /// [`ActionOutcome::Opined`], or with [`ActionOutcome::NotAsked`].
    SecondOpinion {
        /// Whose words, and where its task is: they are read in that moment only.
        moment: SessionMoment,
    },
    /// Say something of the workspace as its person. Answers with [`ActionOutcome::Marked`].
    Mark {
        /// What.
        order: MarkOrder,
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// Write the decision file. Answers with [`ActionOutcome::Decided`].
    Decide {
        /// Whether the work is complete.
        is_complete: bool,
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// Runs the checks that the person configured.
    RunChecks,
    /// The same where no person asked for it, after a turn.
    AutoChecks,
}

impl Action {
    /// Whether it only prepares what a person confirms then. One of them records the work all the same.
    pub fn is_plan(&self) -> bool {
        match self {
            Action::PlanRescue { .. }
            | Action::PlanUndo { .. }
            | Action::PlanReply { .. }
            | Action::PlanAsk { .. }
            | Action::AskMessages { .. } => true,
            Action::Record { .. }
            | Action::Rescue { .. }
            | Action::Undo { .. }
            | Action::Reply { .. }
            | Action::Held { .. }
            | Action::Ask { .. }
            | Action::AutoProbe { .. }
            | Action::SecondOpinion { .. }
            | Action::Mark { .. }
            | Action::RunChecks
            | Action::AutoChecks
            | Action::Decide { .. } => false,
        }
    }

    /// What it is.
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::PlanUndo { .. } | Action::PlanReply { .. } | Action::PlanAsk { .. } => ActionKind::Plan,
            // It makes a record first.
            Action::PlanRescue { .. } | Action::Record { .. } => ActionKind::Record,
            Action::AskMessages { .. } => ActionKind::Messages,
            Action::Rescue { .. } => ActionKind::Rescue,
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
            Action::RunChecks | Action::AutoChecks => ActionKind::Checks,
        }
    }
}

/// An action that the engine is to carry out, with what is known of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionRequest {
    /// Counts up over all workspaces of one run.
    pub number: u64,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What is to be done.
    pub action: Action,
    /// Where its evidence is.
    pub settings: WorkspaceSettings,
    /// The kind of its task.
    pub task_kind: TaskKind,
    /// Its baseline, once known.
    pub baseline: Option<Baseline>,
    /// Where the records of its sessions are.
    pub sessions: Vec<SessionPlace>,
    /// The session whose words count, if there is one.
    pub first_session: Option<SessionName>,
    /// The person's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// The agent's last words. Untrusted text.
    pub last_words: Option<String>,
    /// What speaks for and against that the work is done.
    pub standing: EvidenceSummary,
    /// The work as it was when the verdict was made.
    pub looked_at: LookedAt,
    /// Of an earlier checklist by the closer what it left open, and its summary.
    pub verified: Option<Box<VerifyReport>>,
    /// What is left to do, where an agent is told of it.
    pub left_to_do: LeftToDo,
}

/// The work of a workspace as it was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// A name for HEAD and the uncommitted changes; `None` where nobody could look.
    pub content: Option<String>,
    /// Whether there was no work yet: no new commit, and nothing uncommitted.
    pub is_before_work: bool,
    /// How the checks stand that every look reads, by their names.
    pub standing: Vec<(String, CheckStanding)>,
    /// What came of the last runs of checks.
    pub records: Vec<CheckRecord>,
}

/// What became of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    /// The work is recorded, and this is what a visible commit would be.
    RescuePlanned(Box<RescuePlan>),
    /// The record would be large. Nothing was done: a person is to be asked, and says yes by
    /// [`RecordOrder::is_size_allowed`].
    SizeAsked(RecordCost),
    /// The work is recorded, and nothing else was done.
    Recorded(Box<RescueRecord>),
    /// It is committed.
    Rescued(Box<Rescued>),
    /// What an undo or a redo would do.
    UndoPlanned(Box<UndoPlan>),
    /// It is taken back, or made again, as the plan says.
    Undone(Box<UndoPlan>),
    /// How a reply would go.
    ReplyPlanned(Box<ReplyPlan>),
    /// What became of a reply until now; more can be known of it later.
    Replied(Box<Receipt>),
    /// What became of a reply that waits for the end of its agent's turn.
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
    /// What a second model made of the last words.
    Opined(Box<Opinion>),
    /// The checks that were needed have run.
    ChecksRan(Vec<CheckRecord>),
    /// The agent was not asked by closeout itself.
    NotAsked(NotAsked),
    /// The decision file is written.
    Decided(Box<DecidedFile>),
    /// The person's word is taken.
    Marked {
        /// What was said.
        order: MarkOrder,
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// It was not done.
    Failed(ActionProblem),
}

impl ActionOutcome {
    /// How it ended.
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
            ActionOutcome::UndoPlanned(_)
            | ActionOutcome::Undone(_)
            | ActionOutcome::ReplyPlanned(_)
            | ActionOutcome::Held { .. }
            | ActionOutcome::AskPlanned(_)
            | ActionOutcome::Verified(_)
            | ActionOutcome::Opined(_)
            | ActionOutcome::ChecksRan(_)
            | ActionOutcome::Marked { .. }
            | ActionOutcome::Decided(_) => ActionClass::Done,
        }
    }
}

/// Why an action was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionProblem {
    /// The class of the reason.
    pub class: ActionClass,
    /// What happened, in words. May hold untrusted text.
    pub message: String,
    /// What a person can do about it. May hold untrusted text.
    pub next: Option<String>,
}

impl ActionProblem {
    /// A problem of this class.
    pub fn new(class: ActionClass, words: impl Into<String>) -> ActionProblem {
        ActionProblem { class, message: words.into(), next: None }
    }

    /// The same with what a person can do about it.
    #[must_use]
    pub fn with_next(self, next: impl Into<String>) -> ActionProblem {
        ActionProblem { next: Some(next.into()), ..self }
    }
}

/// How far an action is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionProgress {
    /// What it does now, in words. May hold untrusted text.
    pub message: String,
    /// The probes so far, in their order; the last one may still run.
    pub attempts: Vec<ProbeAttempt>,
    /// Until when it waits, if it does.
    pub waits_until: Option<Timestamp>,
    /// A reply that its agent has, while the agent's program goes on with its turn: what is left of the action is
    /// that turn, and keeps nobody from other actions.
    pub taken: Option<Box<Receipt>>,
}

/// An action that runs, as a front shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Whether no person asked for it, but closeout itself began it.
    pub is_automatic: bool,
}
