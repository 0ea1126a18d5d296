//! What a person can have done to a workspace, what became of it, and how far it is.
//!
//! Most acts come in two: one that makes a plan and changes nothing (that of a rescue records the work first), and
//! one that carries out the plan that a person confirmed. A plan carries what was seen of the world: the room that
//! carries it out looks again and compares. What is confirmed is what is done, or it is refused (DESIGN.md, invariant 6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ActClass, AskPlan, AskPurpose, Baseline, DecidedFile, NotAsked, ProbeAttempt, Receipt, RecordCost,
    RecordOrder, ReplyBody, ReplyPlan, RescuePlan, RescueRecord, Rescued, SessionMoment, SessionName,
    SessionPlace, SmartReport, Standing, TaskKind, Timestamp, UndoPlan, UndoWay, VerifyReport, WorkspaceId,
    WorkspaceSettings,
};

/// An act on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Act {
    /// Record the uncommitted work, and plan a visible commit of it. Answers with
    /// [`ActOutcome::RescuePlanned`].
    PlanRescue {
        /// The commit message; `None` has one proposed.
        message: Option<String>,
        /// How the record is to be made.
        order: RecordOrder,
    },
    /// Only record the uncommitted work. Answers with [`ActOutcome::Recorded`].
    Record {
        /// How the record is to be made.
        order: RecordOrder,
    },
    /// Commit what the plan shows. Answers with [`ActOutcome::Rescued`].
    Rescue {
        /// The plan as it was confirmed.
        plan: Box<RescuePlan>,
    },
    /// Tell what an undo or a redo would do. Answers with [`ActOutcome::UndoPlanned`].
    PlanUndo {
        /// Which.
        way: UndoWay,
    },
    /// Take the last rescue back, or make it again. Answers with [`ActOutcome::Undone`].
    Undo {
        /// The plan as it was confirmed.
        plan: Box<UndoPlan>,
    },
    /// Tell how a reply to a session would go. Answers with [`ActOutcome::ReplyPlanned`].
    PlanReply {
        /// The session.
        session: SessionName,
    },
    /// Send a reply. Answers with [`ActOutcome::Replied`].
    Reply {
        /// The plan as it was shown.
        plan: Box<ReplyPlan>,
        /// What is sent.
        body: ReplyBody,
    },
    /// Tell how an agent would be asked. Answers with [`ActOutcome::AskPlanned`].
    PlanAsk {
        /// For what.
        purpose: AskPurpose,
        /// The session; `None` is the one whose words count.
        session: Option<SessionName>,
    },
    /// Ask the agent by the plan: a smart check, which answers with [`ActOutcome::Checked`], or the closer,
    /// which answers with [`ActOutcome::Verified`].
    Ask {
        /// The plan as it was confirmed.
        plan: Box<AskPlan>,
    },
    /// Ask a session for its status where no person asked for that: a smart check that rescues nothing. Answers
    /// with [`ActOutcome::Checked`], or with [`ActOutcome::NotAsked`].
    AutoProbe {
        /// The session, and where its task is: it is asked in that moment only.
        moment: SessionMoment,
    },
    /// Write the decision file. Answers with [`ActOutcome::Decided`].
    Decide {
        /// Whether the work is complete.
        is_complete: bool,
        /// Why, in the person's words.
        reason: Option<String>,
    },
}

/// What an act is, without what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// A plan of one of the others that changes nothing.
    Plan,
    /// A record of uncommitted work on a hidden reference.
    Record,
    /// A visible commit of uncommitted work.
    Rescue,
    /// The undo of a rescue.
    Undo,
    /// The redo of a rescue.
    Redo,
    /// Work of a record put into a folder.
    Restore,
    /// A record deleted for good.
    Forget,
    /// Programs of a workspace trusted, or not any more.
    Trust,
    /// A reply to an agent.
    Reply,
    /// A smart check with probes.
    Probe,
    /// A closer's checklist.
    Verify,
    /// A decision file.
    Decide,
}

impl ActKind {
    /// The word for it in a history.
    pub fn name(self) -> &'static str {
        match self {
            ActKind::Plan => "plan",
            ActKind::Record => "record",
            ActKind::Rescue => "rescue",
            ActKind::Undo => "undo",
            ActKind::Redo => "redo",
            ActKind::Restore => "restore",
            ActKind::Forget => "forget",
            ActKind::Trust => "trust",
            ActKind::Reply => "reply",
            ActKind::Probe => "probe",
            ActKind::Verify => "verify",
            ActKind::Decide => "decide",
        }
    }
}

impl Act {
    /// Whether it only prepares what a person confirms then. One of them records the work all the same.
    pub fn is_plan(&self) -> bool {
        match self {
            Act::PlanRescue { .. } | Act::PlanUndo { .. } | Act::PlanReply { .. } | Act::PlanAsk { .. } => {
                true
            }
            Act::Record { .. }
            | Act::Rescue { .. }
            | Act::Undo { .. }
            | Act::Reply { .. }
            | Act::Ask { .. }
            | Act::AutoProbe { .. }
            | Act::Decide { .. } => false,
        }
    }

    /// What it is.
    pub fn kind(&self) -> ActKind {
        match self {
            Act::PlanUndo { .. } | Act::PlanReply { .. } | Act::PlanAsk { .. } => ActKind::Plan,
            // It makes a record first.
            Act::PlanRescue { .. } | Act::Record { .. } => ActKind::Record,
            Act::Rescue { .. } => ActKind::Rescue,
            Act::Undo { plan } => match plan.way {
                UndoWay::Undo => ActKind::Undo,
                UndoWay::Redo => ActKind::Redo,
            },
            Act::Reply { .. } => ActKind::Reply,
            Act::Ask { plan } => match plan.purpose {
                AskPurpose::Probe => ActKind::Probe,
                AskPurpose::Verify => ActKind::Verify,
            },
            Act::AutoProbe { .. } => ActKind::Probe,
            Act::Decide { .. } => ActKind::Decide,
        }
    }
}

/// An act that the engine is to carry out, with what is known of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActRequest {
    /// Counts up over all workspaces of one run.
    pub number: u64,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What is to be done.
    pub act: Act,
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
    pub standing: Standing,
    /// Of an earlier checklist by the closer what it left open, and its summary.
    pub verified: Option<Box<VerifyReport>>,
}

/// What became of an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActOutcome {
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
    /// How an agent would be asked.
    AskPlanned(Box<AskPlan>),
    /// What a smart check found.
    Checked(Box<SmartReport>),
    /// What the closer found.
    Verified(Box<VerifyReport>),
    /// The agent was not asked by closeout itself.
    NotAsked(NotAsked),
    /// The decision file is written.
    Decided(Box<DecidedFile>),
    /// It was not done.
    Failed(ActProblem),
}

impl ActOutcome {
    /// How it ended.
    pub fn class(&self) -> ActClass {
        match self {
            ActOutcome::RescuePlanned(plan) if plan.refusal.is_some() => ActClass::SavedOnly,
            ActOutcome::RescuePlanned(plan) => plan.record.class(),
            ActOutcome::Recorded(record) => record.class(),
            ActOutcome::Rescued(rescued) => rescued.record.class(),
            ActOutcome::SizeAsked(_) | ActOutcome::NotAsked(_) => ActClass::Refused,
            ActOutcome::Replied(receipt) => receipt.state.class(),
            ActOutcome::Checked(report) => report.class(),
            ActOutcome::Failed(problem) => problem.class,
            ActOutcome::UndoPlanned(_)
            | ActOutcome::Undone(_)
            | ActOutcome::ReplyPlanned(_)
            | ActOutcome::AskPlanned(_)
            | ActOutcome::Verified(_)
            | ActOutcome::Decided(_) => ActClass::Done,
        }
    }
}

/// Why an act was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActProblem {
    /// The class of the reason.
    pub class: ActClass,
    /// What happened, in words. May hold untrusted text.
    pub words: String,
    /// What a person can do about it. May hold untrusted text.
    pub next: Option<String>,
}

impl ActProblem {
    /// A problem of this class.
    pub fn new(class: ActClass, words: impl Into<String>) -> ActProblem {
        ActProblem { class, words: words.into(), next: None }
    }

    /// The same with what a person can do about it.
    #[must_use]
    pub fn with_next(self, next: impl Into<String>) -> ActProblem {
        ActProblem { next: Some(next.into()), ..self }
    }
}

/// How far an act is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActProgress {
    /// What it does now, in words. May hold untrusted text.
    pub words: String,
    /// The probes so far, in their order; the last one may still run.
    pub attempts: Vec<ProbeAttempt>,
    /// Until when it waits, if it does.
    pub waits_until: Option<Timestamp>,
    /// A reply that its agent has, while the agent's program goes on with its turn: what is left of the act is
    /// that turn, and keeps nobody from other acts.
    pub taken: Option<Box<Receipt>>,
}

/// An act that runs, as a front shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningAct {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub kind: ActKind,
    /// Since when.
    pub since: Timestamp,
    /// How far it is.
    pub progress: ActProgress,
    /// Whether its end was asked for.
    pub is_cancelled: bool,
    /// Whether no person asked for it, but closeout itself began it.
    pub is_automatic: bool,
}
