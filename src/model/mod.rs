//! The domain types of closeout: plain values that every room uses.
//!
//! Nothing here reads the clock, the disk or the environment, and nothing here decides: a type holds only
//! what follows from its own data. `model` imports no other room; every other room imports it.
//!
//! In the order in which they are created: [`WorkspaceSettings`] say where to look; [`Observations`] are what
//! was found there; [`Evidence`] is what each source claims; a [`Snapshot`] holds all evidence of one
//! workspace at one moment; a [`Verdict`] is the judge's conclusion; a [`WorkspaceView`] is what a front
//! shows. [`Event`], [`Intent`] and [`Effect`] are the only values that move between the rooms.

mod action;
mod action_class;
mod action_kind;
mod activity;
mod asked;
mod asking;
mod audit;
mod auto_probe;
mod bare_words;
mod baseline;
mod certainty;
mod check;
mod check_tool;
mod checklist;
mod commit_id;
mod commit_target;
mod custom_agent;
mod decision;
pub mod display_text;
mod effect;
mod event;
mod evidence;
mod gate;
mod git_facts;
mod git_reason;
mod held;
pub mod hex;
mod history;
mod hook_event;
mod intent;
mod loose_commits;
mod mark;
mod notice;
mod observation;
mod open_point;
mod opinion;
mod parts;
mod path_text;
mod point;
mod problem;
mod process_stat;
mod proposed_message;
mod provenance;
pub mod quantity;
mod question;
mod reason;
mod record_ref;
mod ref_name;
mod reply;
mod rescue_plan;
mod rescue_programs;
mod rescue_record;
mod response;
mod restored;
mod run_view;
mod runs;
mod session;
mod session_id;
mod session_place;
mod session_view;
mod settings;
mod smart_check;
mod snapshot;
mod supervised_run;
mod task;
mod task_kind;
mod test_file;
mod text_list;
mod timestamp;
mod trust_list;
mod turn;
mod typed_action;
mod variable_names;
mod verdict;
mod verdict_state;
mod view;
mod watch_target;
mod why;
mod workspace_id;

pub use action::{
    Action, ActionOutcome, ActionProblem, ActionProgress, ActionRequest, LookedAt, RunningAction,
};
pub use action_class::ActionClass;
pub use action_kind::ActionKind;
pub use activity::{Activity, ActivitySource, ActivityState, Attention};
pub use asked::{AnsweredByTool, AskedByTool, AskedOption, AskedQuestion};
pub use asking::{
    AskCost, AskOptions, AskPlan, AskPurpose, Bounds, DecidedFile, EvidenceSummary, KeptReports,
    PROBE_INTERVAL_SECONDS, PROBE_TIMEOUT_SECONDS, PROBES, ProbeAttempt, ProbeDetails, ProbeRescue,
    SeenContent, SeenState, SmartReport, TaskMoment, Trace, VerifyReport,
};
pub use audit::{ActionEnd, Actor, AuditEntry};
pub use auto_probe::{AutoBudget, Hindrance, NotAsked, ProbePermit, SessionMoment};
pub use bare_words::bare_words;
pub use baseline::{Baseline, BaselineOrigin, NamedBaseline, TaskBegin};
pub use certainty::Certainty;
pub use check::{
    CheckAsk, CheckMode, CheckPlace, CheckPlan, CheckRecord, CheckResult, CheckStanding, ConfiguredCheck,
};
pub use check_tool::CheckTool;
pub use checklist::{Checklist, ChecklistItem, ItemState};
pub use commit_id::{CommitId, NoCommitId};
pub use custom_agent::{AgentTrail, BUILT_IN_AGENTS, CustomAgent, TranscriptFormat};
pub use decision::{DecisionReason, DecisionReport, DecisionSource};
pub use effect::{CollectRequest, Effect, JumpTarget};
pub use event::{Event, FoundWorkspace, JumpOutcome};
pub use evidence::{Claim, Evidence, Pointer, Rejection, Source, Strength};
pub use gate::{BlockRow, EndingTurn, GateCall, GateEvent, GateSettings, HeldBack, LetGo};
pub use git_facts::{
    ChangeCounts, ChangeKind, ChangedFile, Changes, CommitCounts, CommitSummary, GitFacts, GitReader, Head,
    HeadNews, HeadStay, HiddenFile, OnDisk, Operation, Stashed, Upstream,
};
pub use git_reason::{CommitAside, GitReason, SomeNames};
pub use held::{HeldEnd, HeldNow, HeldReply, HeldStep};
pub use history::{HistoryEntry, HistoryEvent};
pub use hook_event::{HOOK_TEXT, HookEvent, HookKind, hook_file_stem, stable_hash};
pub use intent::Intent;
pub use loose_commits::{LooseCommit, LooseCommits, LoosePlace};
pub use mark::{Mark, MarkLapse, MarkOrder, MarkSeen, MarkWord, Marks};
pub use notice::{HoursOfDay, NoticeKind, NoticeRoute, NoticeSettings};
pub use observation::{
    FileCheck, GitObservation, Observations, PlanFile, PlanStep, ReadProblem, Reading, TestResults, TextFile,
    Unreadable,
};
pub use open_point::{LeftToDo, OpenPoint, PointKind, PointState};
pub use opinion::{Opinion, OpinionReading, name_of_words};
pub use parts::Parts;
pub use path_text::PathText;
pub use point::Point;
pub use problem::{CollectProblem, WatchProblem, WorkspaceProblems};
pub use process_stat::ProcessStat;
pub use provenance::{Moment, Origin, Provenance};
pub use question::{Choice, Question, QuestionWeight};
pub use reason::{Fact, Reason};
pub use record_ref::RecordRef;
pub use ref_name::RefName;
pub use reply::{
    Draft, LongText, PaneInput, PermissionOption, PermissionPrompt, Receipt, ReceiptState, ReplyBody,
    ReplyChannel, ReplyPlan, ScreenPrompt, ServerPermission,
};
pub use rescue_plan::{
    BranchPlan, CommitAuthor, CommitPath, CommitTarget, LeftOut, MessageWords, NoAuthor, PlanNote,
    PlannedChange, PlannedCommit, PlannedPath, PlannedSplit, RescuePlan, Rescued, ShownCommit, SplitKind,
    UndoDirection, UndoPlan,
};
pub use rescue_programs::{OwnProgram, PlannedPrograms, WantedProgram};
pub use rescue_record::{
    ForgottenRecord, Gap, IgnoredFiles, KeepIn, KeptCommits, KeptRecord, ObjectsGo, Reach, RecordCost,
    RecordList, RecordNotice, RecordOrder, RecordState, RecordTotals, RescueRecord,
};
pub use response::Response;
pub use restored::{Restored, SkipReason};
pub use run_view::{RunEnd, RunView};
pub use runs::{ActingRun, CheckKind, CheckRun, EditedAfter, RunOutcome, RunsSummary, StepMoment, ToldBy};
pub use session::{
    AgentMessage, BackgroundTask, LiveStatus, Pane, ProcessId, SessionName, SessionObservation,
    SessionOrigin, SessionUsage, StatusReport, Subagent, TurnState, WaitsOn,
};
pub use session_id::SessionId;
pub use session_place::SessionPlace;
pub use session_view::{SessionView, SetAside, TodoProgress};
pub use settings::{
    ChosenKey, GivenBaseline, OfferPolicy, OwnSettings, Policy, WatchSettings, WorkspaceSettings,
};
pub use smart_check::{ProbeFailure, ProbeReading, ProbeWord, SmartOutcome, SmartStatus};
pub use snapshot::{LastWords, Sample, SessionFacts, Snapshot};
pub use supervised_run::{
    CommandEnd, LoopState, RunEnding, RunIteration, RunOrder, RunOver, RunPhase, RunStatus, SupervisedRun,
    SupervisedTurn,
};
pub use task::{Demand, SessionTasks, SessionWork, SideTurn, Task, TaskView, TaskWork, TurnSpan};
pub use task_kind::TaskKind;
pub use test_file::{TestCensus, TestChange, is_test_file};
pub use text_list::{TextList, TextListWriter, TextMap};
pub use timestamp::Timestamp;
pub use trust_list::{TrustItem, TrustKind, TrustList};
pub use turn::{
    BreakCause, CommandRun, DatedTodos, Deed, Exit, Goal, GoalState, Prompt, PromptKind, SENDER_MARK, Turn,
    TurnEnd, TurnHistory, TurnStep, UsageLimit,
};
pub use typed_action::{Keeping, Recording, TypedAction};
pub use variable_names::VariableNames;
pub use verdict::{Conflict, Part, PartRole, RescueDegree, RoundCheck, Rounds, Verdict, Warning};
pub use verdict_state::{Proof, VerdictState};
pub use view::{ActionsView, ReadingView, WorkspaceView};
pub use watch_target::{Names, WatchTarget};
pub use why::{AtRisk, NextAction, NextActionKind, Rule, Why, WorkElsewhere};
pub use workspace_id::WorkspaceId;
