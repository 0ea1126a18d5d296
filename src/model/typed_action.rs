//! Actions paired with the types of their answers, for fronts that wait for one answer. A front that gets all outcomes
//! by one way, as the screen does, reads [`ActionOutcome`].

use super::{
    Action, ActionClass, ActionOutcome, ActionProblem, AskOptions, AskPlan, AskPurpose, BranchPlan,
    DecidedFile, HeldNow, HeldReply, HeldStep, MarkOrder, Receipt, RecordCost, RecordOrder, ReplyBody,
    ReplyPlan, RescuePlan, RescueRecord, Rescued, SessionName, SmartReport, UndoDirection, UndoPlan,
    VerifyReport,
};

/// An action, and the type of its answer.
#[derive(Debug, Clone)]
pub struct TypedAction<T> {
    /// The action.
    pub action: Action,
    /// Takes the answer out of the action's outcome.
    pub answer: fn(ActionOutcome) -> Result<T, ActionProblem>,
}

/// The answer to an action that makes a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording<T> {
    /// The record is made.
    Made(T),
    /// It would be large, so nothing was done. The user agrees with [`RecordOrder::is_size_allowed`].
    TooLarge(RecordCost),
}

/// What would keep the work of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeping {
    /// A commit: some work is uncommitted.
    Commit(Box<RescuePlan>),
    /// A branch: all work is committed, and no branch holds it.
    Branch(Box<BranchPlan>),
}

macro_rules! typed {
    ($(fn $name:ident($($field:ident: $type:ty),*) -> $answer:ty {
        $action:expr => $($outcome:ident $content:tt => $taken:expr),+
    })+) => {
        impl Action {$(
            #[doc = concat!("[`Action`] that answers with [`ActionOutcome::", stringify!($($outcome)|+), "`].")]
            pub fn $name($($field: $type),*) -> TypedAction<$answer> {
                let answer = |outcome| match outcome {
                    $(ActionOutcome::$outcome $content => Ok($taken),)+
                    ActionOutcome::Failed(problem) => Err(problem),
                    _ => Err(ActionProblem::new(ActionClass::Unknown, "the action ended in a way that it cannot have")),
                };
                TypedAction { action: $action, answer }
            }
        )+}
    };
}

typed! {
    fn plan_rescue(message: Option<String>, order: RecordOrder) -> Recording<Keeping> {
        Action::PlanRescue { message, order } =>
            RescuePlanned(plan) => Recording::Made(Keeping::Commit(plan)),
            BranchPlanned(plan) => Recording::Made(Keeping::Branch(plan)),
            SizeAsked(cost) => Recording::TooLarge(cost)
    }
    fn record(order: RecordOrder) -> Recording<Box<RescueRecord>> {
        Action::Record { order } =>
            Recorded(record) => Recording::Made(record), SizeAsked(cost) => Recording::TooLarge(cost)
    }
    fn ask_messages(plan: Box<RescuePlan>, with: Option<String>) -> Box<RescuePlan> {
        Action::AskMessages { plan, with } => RescuePlanned(plan) => plan
    }
    fn rescue(plan: Box<RescuePlan>) -> Box<Rescued> { Action::Rescue { plan } => Rescued(rescued) => rescued }
    fn keep_commits(plan: Box<BranchPlan>) -> Box<BranchPlan> {
        Action::KeepCommits { plan } => CommitsKept(plan) => plan
    }
    fn plan_undo(way: UndoDirection) -> Box<UndoPlan> { Action::PlanUndo { way } => UndoPlanned(plan) => plan }
    fn undo(plan: Box<UndoPlan>) -> Box<UndoPlan> { Action::Undo { plan } => Undone(plan) => plan }
    fn plan_reply(session: SessionName) -> Box<ReplyPlan> {
        Action::PlanReply { session } => ReplyPlanned(plan) => plan
    }
    fn reply(plan: Box<ReplyPlan>, body: ReplyBody) -> Box<Receipt> {
        Action::Reply { plan, body } => Replied(receipt) => receipt
    }
    fn hold(reply: HeldReply) -> () {
        Action::Held { reply: Box::new(reply), step: HeldStep::Keep } => Held { now: HeldNow::Kept, .. } => ()
    }
    fn plan_ask(purpose: AskPurpose, session: Option<SessionName>, options: AskOptions) -> AskPlan {
        Action::PlanAsk { purpose, session, options: Box::new(options) } => AskPlanned(plan) => *plan
    }
    fn probe(plan: AskPlan) -> SmartReport {
        Action::Ask { plan: Box::new(AskPlan { purpose: AskPurpose::Probe, ..plan }) } => Checked(report) => *report
    }
    fn verify(plan: AskPlan) -> VerifyReport {
        Action::Ask { plan: Box::new(AskPlan { purpose: AskPurpose::Verify, ..plan }) } => Verified(report) => *report
    }
    fn mark(order: MarkOrder, reason: Option<String>) -> () {
        Action::Mark { order, reason } => Marked { .. } => ()
    }
    fn decide(is_complete: bool, reason: Option<String>) -> DecidedFile {
        Action::Decide { is_complete, reason } => Decided(file) => *file
    }
}
