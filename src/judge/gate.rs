//! Whether an agent that is about to stop is held back, according to the verdict on its
//! workspace. Pure and total.
//!
//! Only evidence against the work holds an agent back. Silence must not, and neither must a question to the
//! person. Letting an agent go says nothing about completion.

use crate::judge::runs;
use crate::model::{
    BlockRow, GateCall, GateEvent, GateSettings, HeldBack, LetGo, OpenPoint, PointKind, Proof,
    QuestionWeight, Rule, Source, Timestamp, Verdict, VerdictState, WorkspaceView,
};

/// The prefix of the id of a configured check's point.
const CHECK: &str = "check/";

/// The gate's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateDecision {
    /// The agent continues.
    Hold(HeldBack),
    /// The agent may stop.
    LetGo(LetGo),
}

/// Why this call needs no look at the workspace; `None` if the verdict decides.
pub fn without_verdict(call: &GateCall, settings: &GateSettings) -> Option<LetGo> {
    let is_final = || call.tool.as_ref().is_some_and(|tool| settings.final_tools.contains(tool));
    if call.is_helper {
        Some(LetGo::Helper)
    } else if call.event == GateEvent::PostToolUse && !is_final() {
        Some(LetGo::OtherTool)
    } else if call.event.ends_turn() && !call.background.is_empty() && !runs::never_end(&call.background) {
        Some(LetGo::Background)
    } else {
        None
    }
}

/// Whether nothing but checks that were not run holds this agent, so that running them is worth the time.
pub fn waits_for_checks(view: &WorkspaceView, call: &GateCall) -> bool {
    let Some(verdict) = &view.verdict else { return false };
    are_checks(verdict.left_to_do.open().filter(|point| is_meant(point, call)))
}

/// Whether there are points, and all of them come from configured checks.
pub fn are_checks<'p>(points: impl Iterator<Item = &'p OpenPoint>) -> bool {
    let mut points = points.peekable();
    points.peek().is_some() && points.all(|point| point.id.starts_with(CHECK))
}

/// Whether the agent is held back. `row` is how many times in a row it was.
pub fn decide(
    view: &WorkspaceView,
    call: &GateCall,
    settings: &GateSettings,
    row: BlockRow,
    now: Timestamp,
) -> GateDecision {
    let let_go = without_verdict(call, settings).or_else(|| by_verdict(view, row));
    if let Some(reason) = let_go {
        return GateDecision::LetGo(reason);
    }
    let Some(held_back) = held_back(view, call, settings.required) else {
        return GateDecision::LetGo(LetGo::NothingOpen);
    };
    if row.n_blocks >= settings.most_blocks {
        return GateDecision::LetGo(LetGo::BlocksUsedUp);
    }
    let is_late = settings.deadline_ms.is_some_and(|deadline| now.millis_since(row.began_at) >= deadline);
    if row.n_blocks > 0 && is_late {
        return GateDecision::LetGo(LetGo::DeadlinePassed);
    }
    GateDecision::Hold(held_back)
}

/// Why the verdict lets the agent go; `None` if open points hold it.
fn by_verdict(view: &WorkspaceView, row: BlockRow) -> Option<LetGo> {
    let Some(verdict) = &view.verdict else { return Some(LetGo::NotJudged) };
    if view.marks.quiet.is_some()
        || (verdict.rule() == Rule::ByYou && verdict.state == VerdictState::Complete)
    {
        return Some(LetGo::YourWord);
    }
    let is_asked =
        verdict.question.as_ref().is_some_and(|question| question.weight == QuestionWeight::Blocking);
    // While another session works, the verdict so far still applies to this one.
    match verdict.so_far.unwrap_or(verdict.state) {
        VerdictState::AwaitingResponse => Some(LetGo::Asks),
        _ if is_asked => Some(LetGo::Asks),
        VerdictState::Complete => Some(LetGo::Complete),
        VerdictState::NoTask => Some(LetGo::NoTask),
        VerdictState::Waiting | VerdictState::Working => Some(LetGo::Background),
        // Rounds belong to the workspace: a session that was not held yet is told once.
        VerdictState::Stalled if row.n_blocks > 0 => Some(LetGo::Stalled),
        VerdictState::Error => Some(LetGo::NotJudged),
        VerdictState::RescueNeeded | VerdictState::Incomplete | VerdictState::Stalled => None,
    }
}

/// What is left to do for this agent at this event.
fn held_back(view: &WorkspaceView, call: &GateCall, required: Proof) -> Option<HeldBack> {
    let verdict = view.verdict.as_deref()?;
    let points: Vec<OpenPoint> =
        verdict.left_to_do.open().filter(|point| is_meant(point, call)).cloned().collect();
    if !points.is_empty() {
        return Some(HeldBack::Points(points));
    }
    (call.event != GateEvent::TaskCompleted && is_unproven(verdict, required))
        .then(|| HeldBack::Unproven(verdict.why.clone(), verdict.next_action.clone()))
}

/// Whether a point holds this agent: it is open, and belongs to its session or to none.
fn is_meant(point: &OpenPoint, call: &GateCall) -> bool {
    let is_of_another = point
        .session
        .as_ref()
        .is_some_and(|session| call.session_id.as_ref().is_some_and(|asking| *asking != session.session_id));
    let is_of_event = match call.event {
        GateEvent::Stop | GateEvent::AfterAgent | GateEvent::PostToolUse => true,
        // The session's words and list belong to the agent that started the subagent.
        GateEvent::SubagentStop => point.session.is_none(),
        // Other tasks of the list are naturally open: only machine checks apply to this one.
        GateEvent::TaskCompleted => point.source.rank() == Source::Tests.rank(),
    };
    point.kind == PointKind::Finish && point.weighs && !is_of_another && is_of_event
}

/// Whether done work is not proven or kept as well as the person requires.
fn is_unproven(verdict: &Verdict, required: Proof) -> bool {
    match verdict.state {
        VerdictState::Incomplete => verdict.rule() == Rule::NotProven,
        VerdictState::RescueNeeded => required > Proof::Said,
        VerdictState::Complete
        | VerdictState::AwaitingResponse
        | VerdictState::Waiting
        | VerdictState::Working
        | VerdictState::Stalled
        | VerdictState::Error
        | VerdictState::NoTask => false,
    }
}
