//! Writes down what is done, before and after: who wanted it, what was confirmed, how it ended. Private
//! texts (replies, prompts, answers) stay out.

use std::path::Path;

use crate::engine::clock;
use crate::model::{
    Act, ActClass, ActEnd, ActKind, ActOutcome, ActProblem, ActRequest, ActedBy, AuditEntry, RescuePlan,
    Timestamp, UndoPlan, WorkspaceId, display_text,
};
use crate::store::Store;

/// The entry of an act that begins now; `None` for a plan, which changes nothing.
pub(super) fn begin(request: &ActRequest, by: ActedBy, now: Timestamp) -> Option<AuditEntry> {
    let kind = request.act.kind();
    (kind != ActKind::Plan).then(|| AuditEntry {
        // Unique over runs: two closeouts do not begin their acts of one number in the same millisecond
        // with the same process id.
        id: format!("{:x}-{:x}-{:x}", now.0, std::process::id(), request.number),
        at: now,
        by,
        workspace: request.workspace.clone(),
        kind,
        plan: plan_words(&request.act),
        end: None,
        decided: None,
    })
}

/// Writes an entry down. Nothing is done that cannot be written down.
pub(super) fn write(store: Option<&Store>, entry: &AuditEntry) -> Result<(), ActProblem> {
    store.map_or(Ok(()), |store| store.write_audit(entry)).map_err(|error| {
        ActProblem::new(ActClass::Failed, format!("the record of what is done cannot be written: {error}"))
            .with_next(
                "nothing was done; see that there is room in the state folder and that it can be written",
            )
    })
}

/// The entry with its end. A decision is a person's only where nothing speaks against it: `is_person` says that
/// closeout has a terminal and no agent above it.
pub(super) fn end(entry: AuditEntry, outcome: &ActOutcome, is_person: bool, now: Timestamp) -> AuditEntry {
    let end = ActEnd { at: now, class: outcome.class(), words: outcome_words(outcome) };
    let decided = if let (ActOutcome::Decided(file), true) = (outcome, is_person) {
        Some(file.digest.clone())
    } else {
        None
    };
    AuditEntry { end: Some(end), decided, ..entry }
}

fn plan_words(act: &Act) -> String {
    match act {
        Act::PlanUndo { .. } | Act::PlanReply { .. } | Act::PlanAsk { .. } => String::new(),
        Act::PlanRescue { .. } | Act::Record { .. } => "all uncommitted work".to_owned(),
        Act::Rescue { plan } => rescue_words(plan),
        Act::Undo { plan } => undo_words(plan),
        Act::Reply { plan, .. } => format!("to {}, {}", plan.session.agent, plan.channel_words),
        Act::Ask { plan } => {
            format!("{}, at most {} times", plan.session.agent, plan.max_attempts)
        }
        Act::AutoProbe { moment } => moment.session.agent.clone(),
        Act::Decide { is_complete: true, .. } => "complete".to_owned(),
        Act::Decide { is_complete: false, .. } => "incomplete".to_owned(),
    }
}

fn rescue_words(plan: &RescuePlan) -> String {
    let n_in = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
    format!("{n_in} of {} paths to {}, from {}", plan.paths.len(), plan.branch, plan.record.reference)
}

fn undo_words(plan: &UndoPlan) -> String {
    let commits: Vec<&str> = plan.commits.iter().map(|taken| taken.commit.as_str()).collect();
    format!("{} on {}", commits.join(", "), plan.branch)
}

fn outcome_words(outcome: &ActOutcome) -> String {
    let words = match outcome {
        ActOutcome::RescuePlanned(plan) => plan.record.reference.clone(),
        ActOutcome::SizeAsked(_)
        | ActOutcome::UndoPlanned(_)
        | ActOutcome::ReplyPlanned(_)
        | ActOutcome::AskPlanned(_)
        | ActOutcome::NotAsked(_) => String::new(),
        ActOutcome::Recorded(record) => record.reference.clone(),
        ActOutcome::Rescued(rescued) => format!("{} on {}", rescued.commits.join(", "), rescued.branch),
        ActOutcome::Undone(plan) => {
            format!("{} is at {}", plan.branch, plan.to.as_deref().unwrap_or("no commit"))
        }
        ActOutcome::Replied(receipt) => format!("reply {}: {:?}", receipt.id, receipt.state).to_lowercase(),
        ActOutcome::Checked(report) => {
            format!("{} after {} probes", report.outcome.verdict.name(), report.outcome.probes_used)
        }
        ActOutcome::Verified(report) if report.is_complete => "complete".to_owned(),
        ActOutcome::Verified(report) => format!("not complete, {} open", report.pending_actions.len()),
        ActOutcome::Decided(file) => display_text::path(&file.path),
        ActOutcome::Failed(problem) => problem.words.clone(),
    };
    words.chars().take(500).collect()
}

/// Writes an act of a front down that the monitor has no part in: before, and how it ended.
pub(in crate::engine) fn audited<T>(
    store: Option<&Store>,
    (kind, workspace, plan): (ActKind, &Path, String),
    act: impl FnOnce() -> Result<T, ActProblem>,
    words: impl FnOnce(&T) -> String,
) -> Result<T, ActProblem> {
    let now = clock::now();
    let begun = AuditEntry {
        id: format!("{:x}-{:x}-0", now.0, std::process::id()),
        at: now,
        by: ActedBy::Command,
        workspace: WorkspaceId::local(workspace),
        kind,
        plan,
        end: None,
        decided: None,
    };
    write(store, &begun)?;
    let outcome = act();
    let (class, words) = match &outcome {
        Ok(done) => (ActClass::Done, words(done)),
        Err(problem) => (problem.class, problem.words.clone()),
    };
    let end = Some(ActEnd { at: clock::now(), class, words });
    if let Err(problem) = write(store, &AuditEntry { end, ..begun }) {
        tracing::warn!("{}", problem.words);
    }
    outcome
}
