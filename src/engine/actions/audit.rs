//! Writes audit entries before and after each action: who requested it, what was confirmed, how it ended. It
//! must leave out private texts (replies, prompts, answers).

use std::path::Path;

use crate::engine::clock;
use crate::model::quantity::counted;
use crate::model::{
    Action, ActionClass, ActionEnd, ActionKind, ActionOutcome, ActionProblem, ActionRequest, Actor,
    AuditEntry, BranchPlan, CheckResult, CommitId, HeldStep, MarkOrder, RefName, RescuePlan, Timestamp,
    UndoPlan, WorkspaceId, display_text,
};
use crate::present::sets;
use crate::store::{Store, StoreError};

/// The audit entry of an action that begins now; `None` for an [`ActionKind::Plan`], which records
/// nothing and asks nobody.
pub(super) fn begin(request: &ActionRequest, by: Actor, now: Timestamp) -> Option<AuditEntry> {
    let kind = request.action.kind();
    (kind != ActionKind::Plan).then(|| AuditEntry {
        // Unique across runs: no two closeouts begin actions with the same number in the same millisecond under
        // the same process id.
        id: format!("{:x}-{:x}-{:x}", now.0, std::process::id(), request.number),
        at: now,
        by,
        workspace: request.workspace.clone(),
        kind,
        plan: plan_message(&request.action),
        agent: agent_of(&request.action),
        end: None,
        decided: None,
    })
}

/// Writes an audit entry. If this fails, the action must not be carried out.
pub(super) fn write(store: Option<&Store>, entry: &AuditEntry) -> Result<(), ActionProblem> {
    store.map_or(Ok(()), |store| store.write_audit(entry)).map_err(|error| unwritable(&error))
}

/// The problem of an action that is refused because its audit entry cannot be written.
pub(super) fn unwritable(error: &StoreError) -> ActionProblem {
    not_kept("the audit log cannot be written", error)
}

/// The problem of an action that is refused because something of it cannot be kept in the state folder.
pub(super) fn not_kept(what: &str, error: &StoreError) -> ActionProblem {
    let next = if error.is_in_the_way() {
        "nothing was done; move away what stands there, or name another state folder in CLOSEOUT_STATE_DIR"
    } else {
        "nothing was done; make sure that the state folder and what is in it are yours, are writable and have space, or name \
         another one in CLOSEOUT_STATE_DIR"
    };
    ActionProblem::new(ActionClass::Failed, format!("{what}: {error}")).with_next(next)
}

/// The entry, completed with its end. A decision counts as a person's only if nothing suggests otherwise:
/// `is_person` says that closeout has a terminal and was not started by an agent.
pub(super) fn end(entry: AuditEntry, outcome: &ActionOutcome, is_person: bool, now: Timestamp) -> AuditEntry {
    let count =
        if let ActionOutcome::Checked(report) = outcome { Some(report.outcome.probes_used) } else { None };
    let end = ActionEnd { at: now, class: outcome.class(), message: outcome_message(outcome), count };
    let decided = if let (ActionOutcome::Decided(file), true) = (outcome, is_person) {
        Some(file.digest.clone())
    } else {
        None
    };
    AuditEntry { end: Some(end), decided, ..entry }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other action is for one agent")]
fn agent_of(action: &Action) -> Option<String> {
    match action {
        Action::Reply { plan, .. } => Some(plan.session.agent.clone()),
        Action::Held { reply, .. } => Some(reply.session.agent.clone()),
        Action::Ask { plan } => Some(plan.session.agent.clone()),
        Action::AutoProbe { moment } | Action::SecondOpinion { moment } => Some(moment.session.agent.clone()),
        Action::AskMessages { with, .. } => with.clone(),
        _ => None,
    }
}

fn plan_message(action: &Action) -> String {
    match action {
        Action::PlanUndo { .. } | Action::PlanReply { .. } | Action::PlanAsk { .. } | Action::PlanChecks => {
            String::new()
        }
        Action::PlanRescue { .. } | Action::Record { .. } => "all uncommitted work".to_owned(),
        Action::AskMessages { plan, with } => {
            let n_in = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
            format!("{}, for {n_in} paths", with.as_deref().unwrap_or("the session"))
        }
        Action::Rescue { plan } => rescue_message(plan),
        Action::KeepCommits { plan } => branch_message(plan),
        Action::Undo { plan } => undo_message(plan),
        Action::Reply { plan, .. } => format!("to {}, {}", plan.session.agent, plan.channel),
        Action::Held { reply, step: HeldStep::Keep } => {
            format!("to {}, when its turn has ended", reply.session.agent)
        }
        Action::Held { reply, .. } => format!("to {}, held until its turn ended", reply.session.agent),
        Action::Ask { plan } if plan.max_attempts == 1 => format!("{}, once", plan.session.agent),
        Action::Ask { plan } => {
            format!("{}, at most {} times", plan.session.agent, plan.max_attempts)
        }
        Action::AutoProbe { moment } | Action::SecondOpinion { moment } => moment.session.agent.clone(),
        Action::RunChecks { .. } | Action::AutoChecks => "the checks that are configured".to_owned(),
        Action::Mark { order, reason: None } => order_message(order),
        Action::Mark { order, reason: Some(reason) } => format!("{}: {reason}", order_message(order)),
        Action::Decide { is_complete: true, .. } => "complete".to_owned(),
        Action::Decide { is_complete: false, .. } => "incomplete".to_owned(),
    }
}

fn order_message(order: &MarkOrder) -> String {
    if let MarkOrder::TakeBack { order: before } = order {
        format!("{} {}", order.name(), before.name())
    } else {
        order.name().to_owned()
    }
}

fn rescue_message(plan: &RescuePlan) -> String {
    let n_in = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
    let branch = plan.target_branch().map_or("no branch", RefName::as_str);
    format!("{n_in} of {} paths to {branch}, from {}", plan.paths.len(), plan.record.reference)
}

fn branch_message(plan: &BranchPlan) -> String {
    let commits = counted(plan.n_commits as u64, "commit", "commits");
    format!("{commits} to the new branch {}, at {}", plan.branch, plan.tip)
}

fn listed(commits: impl Iterator<Item = CommitId>) -> String {
    commits.map(|commit| commit.to_string()).collect::<Vec<_>>().join(", ")
}

fn undo_message(plan: &UndoPlan) -> String {
    format!("{} on {}", listed(plan.commits.iter().map(|taken| taken.commit)), plan.branch)
}

fn outcome_message(outcome: &ActionOutcome) -> String {
    let message = match outcome {
        ActionOutcome::RescuePlanned(plan) => plan.record.reference.to_string(),
        ActionOutcome::SizeAsked(_)
        | ActionOutcome::BranchPlanned(_)
        | ActionOutcome::UndoPlanned(_)
        | ActionOutcome::ReplyPlanned(_)
        | ActionOutcome::AskPlanned(_)
        | ActionOutcome::ChecksPlanned(_)
        | ActionOutcome::NotAsked(_)
        // The plan says it.
        | ActionOutcome::Marked { .. } => String::new(),
        ActionOutcome::Recorded(record) => record.reference.to_string(),
        ActionOutcome::Rescued(rescued) => format!("{} on {}", listed(rescued.commits.iter().copied()), rescued.branch),
        ActionOutcome::CommitsKept(plan) => format!("{} is at {}", plan.branch, plan.tip),
        ActionOutcome::Undone(plan) => format!("{} {}", plan.branch, plan.end_of_branch()),
        ActionOutcome::Replied(receipt) => {
            format!("reply {}: {}", receipt.id, sets::receipt(receipt.state))
        }
        ActionOutcome::Held { now, .. } => now.label(),
        ActionOutcome::Checked(report) => {
            format!("{} after {} probes", report.outcome.verdict.name(), report.outcome.probes_used)
        }
        ActionOutcome::Verified(report) if report.is_complete => "complete".to_owned(),
        ActionOutcome::Verified(report) => format!("not complete, {} open", report.pending_actions.len()),
        ActionOutcome::Opined(opinion) => format!("{:?}", opinion.reading).to_lowercase(),
        ActionOutcome::Decided(file) => display_text::path(&file.path),
        ActionOutcome::ChecksRan(records) => {
            let n_met = records.iter().filter(|record| record.result == CheckResult::Passed).count();
            format!("{n_met} of {} that ran are met", records.len())
        }
        ActionOutcome::Failed(problem) => problem.message.clone(),
    };
    message.chars().take(500).collect()
}

/// An action in which the monitor has no part, once it was carried out.
#[derive(Debug)]
pub struct Audited<T> {
    /// How it ended.
    pub outcome: Result<T, ActionProblem>,
    /// Why it is not in the audit log, if it went without.
    pub unrecorded: Option<String>,
}

/// Carries out a front's action in which the monitor has no part, and writes audit entries before and after it. A `store`
/// that cannot be opened is one that cannot be written.
pub(in crate::engine) fn audited<T>(
    store: Result<Option<Store>, StoreError>,
    kind: ActionKind,
    workspace: &Path,
    plan: String,
    action: impl FnOnce() -> Result<T, ActionProblem>,
    describe: impl FnOnce(&T) -> String,
) -> Result<Audited<T>, ActionProblem> {
    let now = clock::now();
    let begun = AuditEntry {
        id: format!("{:x}-{:x}-0", now.0, std::process::id()),
        at: now,
        by: Actor::Command,
        workspace: WorkspaceId::local(workspace),
        kind,
        plan,
        agent: None,
        end: None,
        decided: None,
    };
    let written = store.and_then(|store| {
        store.as_ref().map_or(Ok(()), |store| store.write_audit(&begun))?;
        Ok(store)
    });
    let (store, unrecorded) = match written {
        Ok(store) => (store, None),
        // Nobody is kept from the work that was saved by a state folder that can only be read.
        Err(error) if kind == ActionKind::Restore && error.is_read_only() => (None, Some(error.to_string())),
        Err(error) => return Err(unwritable(&error)),
    };
    let outcome = action();
    let (class, message) = match &outcome {
        Ok(done) => (ActionClass::Done, describe(done)),
        Err(problem) => (problem.class, problem.message.clone()),
    };
    let end = Some(ActionEnd { at: clock::now(), class, message, count: None });
    if let Err(problem) = write(store.as_ref(), &AuditEntry { end, ..begun }) {
        tracing::warn!("{}", problem.message);
    }
    Ok(Audited { outcome, unrecorded })
}
