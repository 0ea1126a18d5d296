//! Turns raw observations into evidence: each source is read by its judge and yields one claim.
//!
//! The result carries no long texts. Evidence that is older than the task, belongs to another check, or is
//! unreadable or vacuous does not count, but stays visible with its reason (DESIGN.md 2.2). Must not combine
//! claims into a verdict.

mod act_names;
mod activity;
pub mod asked;
mod bounds;
mod checks;
mod closer;
mod context;
mod decision;
mod deeds;
mod deferral;
mod demanded_acts;
mod demanded_checks;
mod excerpt;
mod git;
mod idle;
mod left_open;
mod memory;
mod named_plan;
mod naming;
mod on_request;
mod ordered;
mod ordered_files;
mod plans;
mod runs;
mod session;
mod session_view;
mod speech;
mod spoken;
mod tasks;
mod texts;
mod told_done;
mod untouched;
mod words_context;
mod work;
mod written_outside;

pub use activity::is_interrupted;
pub use context::WeighContext;
pub(in crate::judge) use git::unfinished;
pub use memory::Memory;

use std::sync::Arc;

use context::EvidenceSet;
use tasks::SessionTask;

use crate::judge::GRACE_MS;
use crate::model::{
    Claim, CommandEnd, Evidence, Observations, Origin, Parts, ReadProblem, Reading, Reason, Rejection,
    RunStatus, Sample, Source, SupervisedTurn, Timestamp, Unreadable,
};

/// Weighs what one collection found, without a memory of earlier ones.
pub fn weigh(observations: Observations, context: &WeighContext<'_>) -> Sample {
    weigh_again(observations, context, &mut Memory::default())
}

/// Weighs what one collection found, reusing what `memory` kept of this workspace's texts and sessions.
pub fn weigh_again(
    mut observations: Observations,
    context: &WeighContext<'_>,
    memory: &mut Memory,
) -> Sample {
    let mut evidence_set = EvidenceSet::default();
    let parts = observations.parts;
    let tasks = tasks::read(&observations, memory);
    let asked_at =
        if parts.contains(Parts::WORDS) { tasks::asked_at(&tasks) } else { observations.prompted_at };
    let run_at = context.settings.supervised.as_ref().map(|supervised| supervised.began_at);
    observations.task_started_at = observations.baseline_at.max(asked_at).max(run_at);
    if parts.intersects(Parts::COMMITS | Parts::CHANGES) {
        git::weigh(&observations, context, &mut evidence_set);
    }
    let words = parts.contains(Parts::WORDS).then(|| {
        memory.keep_sessions_of(&observations);
        if let Some(git) = observations.git.present() {
            memory.top = git.top.to_str().map(str::to_owned);
        }
        speech::weigh(&observations, &tasks, context, memory, &mut evidence_set)
    });
    let asked_at = || tasks.iter().filter_map(SessionTask::last_asked_at).max();
    if parts.contains(Parts::WORDS)
        && let Some(turn) = context.settings.supervised.as_ref().filter(|turn| turn.counts(asked_at()))
        && let Some(run) = run(turn)
    {
        evidence_set.add(Parts::WORDS, run);
    }
    if parts.contains(Parts::CHECKS) {
        if parts.contains(Parts::WORDS) {
            memory.prompts = tasks::prompts(&tasks);
        }
        let context = WeighContext { prompts: &memory.prompts, ..*context };
        checks::weigh(&observations, &context, &mut evidence_set);
        ordered_files::weigh(&observations, &context, &mut evidence_set);
        closer::weigh(&observations, &mut evidence_set);
    }
    let recheck_at = recheck_at(&observations);
    let processes = session_view::processes(words.as_ref());
    let git = observations.git.present().map(|git| git.facts.clone());
    Sample {
        parts,
        taken_at: observations.taken_at,
        evidence: shared(evidence_set.evidence),
        git: git.map(Arc::new),
        checklists: shared(evidence_set.checklists),
        session_facts: words,
        watch_targets: observations.watch_targets,
        processes,
        new_baseline: observations.new_baseline,
        named: None,
        recheck_at,
        in_force: None,
    }
}

/// The same items, to be shared by all that hold them.
fn shared<T>(items: Vec<(Parts, T)>) -> Vec<(Parts, Arc<T>)> {
    items.into_iter().map(|(part, item)| (part, Arc::new(item))).collect()
}

/// When to look again without a hint: when a half-written file is old enough to be read as it is, when a status
/// report that is still doubtful will be believed, or when a source that announces no changes can say more.
fn recheck_at(observations: &Observations) -> Option<Timestamp> {
    let is_half_written = |unreadable: &Unreadable| unreadable.problem == ReadProblem::HalfWritten;
    let files = [&observations.decision, &observations.closer].into_iter().filter_map(Reading::unreadable);
    let plans = observations.plans.iter().filter_map(Reading::unreadable);
    let tests = observations.tests.unreadable();
    let found = files.chain(plans).chain(tests).any(is_half_written);
    let files = found.then(|| observations.taken_at.plus_millis(GRACE_MS));
    let sessions = observations.sessions();
    let believed = sessions.filter_map(activity::believed_at).filter(|at| *at > observations.taken_at);
    files.into_iter().chain(believed).chain(observations.recheck_at).min()
}

/// How the command of a supervised run ended: a crash or a failure is evidence (rank
/// 1), a clean end is not a YES. Once the run is over, what became of it says more.
fn run(supervised: &SupervisedTurn) -> Option<Evidence> {
    if let Some(over) = supervised.over {
        let claim = match over.status {
            None => Claim::No,
            Some(RunStatus::Failed | RunStatus::Unreadable) => Claim::Fail,
            Some(_) => Claim::Abstain(Rejection::Undecided),
        };
        let evidence = Evidence::claim(Source::Run, "closeout run", claim, Origin::Run.at(over.at));
        return Some(evidence.because(Reason::RunOver(over)));
    }
    let end = supervised.end?;
    let claim = match end {
        CommandEnd::Code(0) => Claim::Abstain(Rejection::Undecided),
        CommandEnd::Code(_)
        | CommandEnd::Signal(_)
        | CommandEnd::StoodStill
        | CommandEnd::TookTooLong
        | CommandEnd::Ended
        | CommandEnd::Unknown => Claim::Fail,
    };
    let evidence = Evidence::claim(Source::Run, "the command", claim, Origin::Run.as_read());
    Some(evidence.because(Reason::CommandEnded(end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{OfferPolicy, Policy, TaskKind, TextFile, WorkspaceSettings};

    /// Also where the sessions are not read, and only an earlier reading knows what was asked.
    #[test]
    fn a_task_begins_with_the_last_prompt_or_the_baseline_whichever_is_later() {
        let policy =
            Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
        let settings = WorkspaceSettings::default();
        let context = WeighContext::new(TaskKind::Implementation, &policy, &settings);
        let (early, late) = (Some(Timestamp(0)), Some(Timestamp(10 * GRACE_MS)));
        for (prompted_at, baseline_at, is_old) in
            [(None, None, false), (early, early, false), (late, early, true), (early, late, true)]
        {
            let report = TextFile {
                name: "closer.json".to_owned(),
                content: "no report".to_owned(),
                size: 9,
                is_excerpt: false,
                written_at: Timestamp(0),
            };
            let closer = Reading::Present(report);
            let observations = Observations {
                parts: Parts::CHECKS,
                prompted_at,
                baseline_at,
                closer,
                ..Observations::default()
            };
            let sample = weigh(observations, &context);
            let closer = sample.evidence.iter().find(|(_, it)| it.source == Source::Closer).unwrap();
            assert_eq!(closer.1.is_rejected_as(Rejection::Stale), is_old, "{prompted_at:?} {baseline_at:?}");
        }
    }
}
