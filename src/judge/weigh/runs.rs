//! Tests, builds and linters that the sessions ran themselves, as evidence: a failure says NO; a pass confirms
//! work that another source shows, but is not a YES by itself (DESIGN.md 2.2). Must not run anything.

use std::path::Path;

use crate::judge::runs::{self, Catalog};
use crate::model::{
    CheckKind, CheckRun, Claim, Deed, EditedAfter, Evidence, Fact, Origin, Parts, Point, Reason, Rejection,
    RunOutcome, RunsSummary, SessionObservation, Source, Timestamp,
};

use super::context::EvidenceSet;
use super::excerpt;
use super::memory::Memory;
use super::tasks::{SessionTask, TaskStanding};
use super::written_outside::wrote_outside;
use super::{demanded_acts, demanded_checks};

/// How many failures of one run are named.
const MAX_NAMED: usize = 10;
/// How many runs that prove nothing are named, the last ones.
const MAX_UNPROVEN: usize = 3;

/// What the runs of all sessions mean together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Proven {
    /// When the last complete test run passed, or the first of the demanded checks on which a session's proof rests, if one
    /// did after the last edit in every session that edited.
    pub(super) passed_at: Option<Timestamp>,
    /// Whether a session successfully acted outside the work tree, as its task asked.
    pub(super) acted_outside: bool,
    /// Whether every session did so whose work is known, and its prompt asks for nothing else.
    pub(super) is_only_acts: bool,
    /// When a session last edited a file.
    pub(super) last_edit_at: Option<Timestamp>,
    /// The sessions whose tests did not pass when they were last run, or have not been run since something changed.
    pub(super) not_passing: Vec<Origin>,
}

/// Weighs the runs of the sessions that count. Git ignores the files `ignored`, which are named from the top.
pub(super) fn weigh(
    sessions: &[&SessionObservation],
    tasks: &[SessionTask],
    ignored: &[String],
    catalog: &Catalog,
    memory: &mut Memory,
    evidence_set: &mut EvidenceSet,
) -> Proven {
    let top = memory.top.clone();
    let top = top.as_deref();
    let mut proven = Proven { is_only_acts: true, ..Proven::default() };
    let mut is_checked = true;
    let counting = sessions.iter().zip(tasks).filter(|(_, task)| task.standing == TaskStanding::Counts);
    let mut summaries = Vec::new();
    for (session, task) in counting {
        if session.history.turns.is_empty() {
            // Without turns, its edits are unknown.
            is_checked = false;
            proven.is_only_acts = false;
            continue;
        }
        let home = session.folder.as_ref().and_then(|folder| folder.to_str());
        let known = &mut memory.of(session).runs;
        let summary = runs::summarize(&session.history, task.current(), home, catalog, known);
        proven.last_edit_at = proven.last_edit_at.max(summary.last_edit.and_then(|edit| edit.at));
        let acts: Vec<&str> = summary.acts.iter().map(|act| act.act.as_str()).collect();
        proven.acted_outside |= acts.iter().any(|act| task.asks_for(act, &acts))
            || top.is_some_and(|top| wrote_outside(session, task, top, ignored));
        proven.is_only_acts &= task.is_only(&acts);
        let last = task.current().map(|task| task.last_prompt.as_str());
        let demands = memory.of(session).demands(task.all_prompts(session).chain(last), catalog);
        summaries.push((summary, *session, task, demands));
    }
    let all: Vec<&RunsSummary> = summaries.iter().map(|(summary, ..)| summary).collect();
    let mut proofs = Vec::new();
    for (summary, session, task, demands) in &summaries {
        let others = summaries.iter().filter(|(_, other, ..)| !std::ptr::eq(*other, *session));
        let others: Vec<&RunsSummary> = others
            .filter(|(_, other, ..)| other.folder == session.folder)
            .map(|(summary, ..)| summary)
            .collect();
        weigh_session(summary, session, task, top, &others, evidence_set);
        let met = demanded_checks::weigh(summary, session, task, demands, catalog, evidence_set);
        if is_not_passing(summary) {
            proven.not_passing.push(Origin::of(session));
        }
        let is_proven = summary.proof.is_some() || met.is_some();
        let proof_at = summary.proof.as_ref().and_then(|run| run.moment.at);
        proofs.extend(is_proven.then(|| (proof_at, proof_at.max(met.and_then(|met| met.passed_at)))));
        let is_covered = || others.iter().any(|other| is_proven_by(summary, other));
        is_checked &= is_proven || summary.last_edit.is_none() || is_covered();
        demanded_acts::weigh(summary, &all, session, task, demands, evidence_set);
    }
    // A whole test run proves the work of all sessions, a demanded check that of its own.
    let (whole, own): (Vec<_>, Vec<_>) = proofs.into_iter().unzip();
    let proven_at = whole.into_iter().max().max(own.into_iter().min());
    proven.passed_at = proven_at.flatten().filter(|_| is_checked);
    proven.is_only_acts &= proven.acted_outside;
    proven
}

/// Whether a run was in a folder outside this work tree that no prompt of the task names, where nothing was edited, and
/// from which nothing was merged: in another project, or in another state of this one.
fn is_of_another_project(
    run: &CheckRun,
    summary: &RunsSummary,
    session: &SessionObservation,
    task: &SessionTask,
    top: Option<&str>,
) -> bool {
    const BRINGS: [&str; 4] = ["merge", "cherry-pick", "rebase", "pull"];
    let home = session.folder.as_ref().and_then(|folder| folder.to_str());
    let (Some(top), Some(home), Some(folder)) = (top, home, &run.folder) else { return false };
    let is_below = |path: &str, folder: &str| Path::new(path).starts_with(folder);
    let Some(folder) = runs::path_from(Some(home), folder) else { return false };
    let is_here = || is_below(&folder, top) || is_below(top, &folder) || is_below(&folder, home);
    let name = folder.rsplit('/').next().unwrap_or_default().to_lowercase();
    let is_named = || task.all_prompts(session).any(|prompt| prompt.to_lowercase().contains(&name));
    let steps = || session.history.turns.iter().flat_map(|turn| &turn.steps);
    let is_edited = || {
        let paths = steps().filter_map(|step| match &step.deed {
            Deed::Edit { paths, .. } => Some(paths),
            Deed::Command(_) | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => None,
        });
        let full = paths.flatten().filter_map(|path| runs::path_from(Some(home), path));
        full.into_iter().any(|path| is_below(&path, &folder))
    };
    folder.starts_with('/')
        && is_below(home, top)
        && !is_here()
        && !is_named()
        && !is_edited()
        && !summary.acts.iter().any(|act| BRINGS.contains(&act.act.as_str()))
}

/// Weighs the runs of one session. If it was asked only for answers, it was looking at failures that were there before;
/// what failed in another project is no failure here, and neither is what another session mended.
fn weigh_session(
    summary: &RunsSummary,
    session: &SessionObservation,
    task: &SessionTask,
    top: Option<&str>,
    others: &[&RunsSummary],
    evidence_set: &mut EvidenceSet,
) {
    const UNDECIDED: Claim = Claim::Abstain(Rejection::Undecided);
    let ran = |run: &CheckRun, claim| {
        Evidence::claim(Source::Tests, name(run), claim, Origin::of(session).at(run.moment.at))
    };
    for run in &summary.red {
        if others.iter().any(|other| has_passed(run, other)) {
            evidence_set.add(Parts::WORDS, ran(run, UNDECIDED).because(Fact::PassedElsewhere));
            continue;
        }
        if task.is_only_answered() || is_of_another_project(run, summary, session, task, top) {
            evidence_set.add(Parts::WORDS, ran(run, UNDECIDED).because(Reason::RunFailedBeside(name(run))));
            continue;
        }
        let mut evidence = ran(run, Claim::No);
        evidence.reasons.push(Reason::RunFailed(name(run)));
        evidence.reasons.extend(named(run).map(Reason::Words));
        let point = |failing| Point::FailedRun { tool: run.tool.clone(), failing };
        evidence.points = named(run).map(|failing| point(Some(failing))).collect();
        if evidence.points.is_empty() {
            evidence.points.push(point(None));
        }
        evidence_set.add(Parts::WORDS, evidence);
    }
    for run in &summary.red_before {
        evidence_set.add(Parts::WORDS, ran(run, UNDECIDED).because(Fact::FailedBeforeEdit));
    }
    if let Some(run) = &summary.proof {
        evidence_set.add(Parts::WORDS, ran(run, UNDECIDED).because(Reason::RunPassed(name(run))));
        return;
    }
    // What proves nothing stays visible, or it would look as if no test had been run.
    let unproven = summary.last.iter().rev().filter_map(|run| Some((run, why_unproven(run)?)));
    for (run, why) in unproven.take(MAX_UNPROVEN) {
        evidence_set.add(Parts::WORDS, ran(run, UNDECIDED).because(why));
    }
}

/// Whether the last run of the same check in another session of this folder, the same call or one of all of it, passed
/// after this run failed.
fn has_passed(red: &CheckRun, other: &RunsSummary) -> bool {
    let is_same = |run: &&CheckRun| {
        run.tool == red.tool && run.folder == red.folder && (run.command == red.command || !run.is_part)
    };
    let later = |run: &CheckRun| run.moment.at.zip(red.moment.at).is_some_and(|(at, red)| at > red);
    other.last.iter().filter(is_same).any(|run| run.outcome == RunOutcome::Passed && later(run))
        && !other.red.iter().any(|run| run.tool == red.tool && later(run))
}

/// Whether a whole test run of another session of this folder passed after the last edit of this one.
fn is_proven_by(summary: &RunsSummary, other: &RunsSummary) -> bool {
    let proof = other.proof.as_ref().filter(|proof| proof.folder.is_none());
    let passed_at = proof.and_then(|proof| proof.moment.at);
    let edited_at = summary.last_edit.and_then(|edit| edit.at);
    passed_at.zip(edited_at).is_some_and(|(passed, edited)| passed > edited)
}

/// Whether a test failed when it was last run, none ran, or something has changed since they passed.
fn is_not_passing(summary: &RunsSummary) -> bool {
    let is_test = |run: &&CheckRun| run.kind == CheckKind::Test;
    let has_failed = || summary.red.iter().chain(&summary.red_before).any(|run| is_test(&run));
    let last = summary.last.iter().rfind(is_test).and_then(why_unproven);
    summary.proof.is_none() && (has_failed() || last.is_some_and(Fact::belies_a_pass))
}

/// Why a test run that did not fail is no proof.
fn why_unproven(run: &CheckRun) -> Option<Fact> {
    match run.outcome {
        _ if run.kind != CheckKind::Test => None,
        RunOutcome::Unknown => Some(Fact::OutcomeUnknown),
        RunOutcome::Empty => Some(Fact::NoTestRan),
        RunOutcome::Passed if run.edited_after == EditedAfter::Anything => Some(Fact::PassedBeforeEdit),
        RunOutcome::Passed if run.edited_after == EditedAfter::Documents => Some(Fact::PassedBeforeDocuments),
        RunOutcome::Passed if run.is_part => Some(Fact::PartPassed),
        RunOutcome::Passed | RunOutcome::Failed | RunOutcome::CouldNotStart => None,
    }
}

fn name(run: &CheckRun) -> String {
    excerpt::reason(&run.command)
}

fn named(run: &CheckRun) -> impl Iterator<Item = String> {
    run.failing.iter().take(MAX_NAMED).map(|failing| excerpt::reason(failing))
}
