//! From raw observations to evidence: each source is read by its judge and says one thing.
//!
//! What comes out carries no long texts. Evidence that is older than the task, of another check,
//! unreadable or vacuous does not count and stays visible with its reason (DESIGN.md 2.2).

mod activity;
pub mod asked;
mod checks;
mod context;
mod decision;
mod deeds;
mod deferral;
mod excerpt;
mod git;
mod memory;
mod plans;
mod runs;
mod session;
mod session_view;
mod spoken;
mod tasks;
mod texts;
mod words;
mod work;

pub use activity::is_interrupted;
pub use context::WeighContext;
pub use memory::Memory;

use context::EvidenceSet;

use crate::judge::GRACE_MS;
use crate::model::{
    Claim, CommandEnd, Evidence, Observations, Parts, ReadProblem, Reading, Rejection, Sample, Source,
    SupervisedTurn, Timestamp, Unreadable,
};

/// Weighs what one collection found.
pub fn weigh(observations: Observations, scales: &WeighContext<'_>) -> Sample {
    weigh_again(observations, scales, &mut Memory::default())
}

/// The same with what was read of this workspace before.
pub fn weigh_again(mut observations: Observations, scales: &WeighContext<'_>, memory: &mut Memory) -> Sample {
    let mut pile = EvidenceSet::default();
    let parts = observations.parts;
    let tasks = tasks::read(&observations, memory);
    if parts.contains(Parts::WORDS) {
        observations.task_started_at = observations.baseline_at.max(tasks::asked_at(&tasks));
    }
    let run_at = scales.settings.supervised.as_ref().map(|supervised| supervised.began_at);
    observations.task_started_at = observations.task_started_at.max(run_at);
    if parts.intersects(Parts::COMMITS | Parts::CHANGES) {
        git::weigh(&observations, scales, &mut pile);
    }
    let words = parts.contains(Parts::WORDS).then(|| {
        memory.keep_sessions_of(&observations);
        words::weigh(&observations, &tasks, scales, memory, &mut pile)
    });
    if let Some(run) = scales.settings.supervised.as_ref().and_then(run)
        && parts.contains(Parts::WORDS)
    {
        pile.add(Parts::WORDS, run);
    }
    if parts.contains(Parts::CHECKS) {
        checks::weigh(&observations, scales, &mut pile);
    }
    let recheck_at = recheck_at(&observations);
    let processes = session_view::processes(words.as_ref());
    let git = observations.git.present().map(|git| git.facts.clone());
    Sample {
        parts,
        taken_at: observations.taken_at,
        evidence: pile.evidence,
        git,
        checklists: pile.checklists,
        session_facts: words,
        watch_targets: observations.watch_targets,
        processes,
        new_baseline: observations.new_baseline,
        recheck_at,
        in_force: None,
    }
}

/// A file that is being written is looked at again when it is old enough to be taken as it is, and a
/// session without a process when that is believed, and what a source tells that tells no changes when
/// it can tell more.
fn recheck_at(observations: &Observations) -> Option<Timestamp> {
    let is_half_written = |unreadable: &Unreadable| unreadable.problem == ReadProblem::HalfWritten;
    let files = [&observations.decision, &observations.closer].into_iter().filter_map(Reading::unreadable);
    let plans = observations.plans.iter().filter_map(Reading::unreadable);
    let tests = observations.tests.unreadable();
    let found = files.chain(plans).chain(tests).any(is_half_written);
    let files = found.then(|| observations.taken_at.plus_millis(GRACE_MS));
    let sessions = observations.session.present().into_iter().chain(&observations.other_sessions);
    let believed = sessions.filter_map(activity::believed_at).filter(|at| *at > observations.taken_at);
    files.into_iter().chain(believed).chain(observations.recheck_at).min()
}

/// How the command of a supervised run ended: a crash or a failure is one (rank 1), and no end is a YES.
fn run(supervised: &SupervisedTurn) -> Option<Evidence> {
    let end = supervised.end?;
    let name = "the command";
    let evidence = match end {
        CommandEnd::Code(0) => Evidence::abstain(Source::Run, name, Rejection::Undecided),
        CommandEnd::Code(_)
        | CommandEnd::Signal(_)
        | CommandEnd::StoodStill
        | CommandEnd::TookTooLong
        | CommandEnd::Ended
        | CommandEnd::Unknown => Evidence::claim(Source::Run, name, Claim::Fail),
    };
    Some(evidence.because(format!("it {}", end.label())))
}
