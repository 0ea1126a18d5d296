//! The checks that the prompts of a task demand: each has to have passed since the last change (DESIGN.md 2.2). Must not run
//! anything.

use std::path::Path;
use std::sync::Arc;

use crate::judge::runs::{self, Catalog, Demanded, Demands, Named};
use crate::judge::{task, words};
use crate::model::{
    CheckKind, CheckRun, Claim, Deed, EditedAfter, Evidence, Fact, LiveStatus, Origin, Parts, Point, Reason,
    RunOutcome, RunsSummary, SessionObservation, Source, StepMoment, Timestamp, is_test_file,
};

use super::context::EvidenceSet;
use super::excerpt;
use super::tasks::SessionTask;

/// Whether a call has each option that makes the demanded one stricter or wider: `cargo clippy` is not `-D warnings`.
fn is_as_strict(command: &str, demanded: &str) -> bool {
    let is_stricter = |word: &&str| words::of("makes_stricter").contains(word);
    let has = |option: &str| command.split_whitespace().any(|word| word == option);
    demanded.split_whitespace().filter(is_stricter).all(has)
}

/// Whether a run was of other packages than those that are demanded, or in another folder.
fn is_beside(run: &CheckRun, demanded: &Demanded) -> bool {
    let packages = runs::packages(&demanded.words);
    if packages.is_empty() {
        return !demanded.is_run_in(run.folder.as_deref()).unwrap_or(!run.is_beside);
    }
    let picked = runs::packages(&run.command);
    !picked.is_empty() && !packages.iter().any(|package| picked.contains(package))
}

/// Whether all that the task wrote are test files, and the run names each: "write tests for the mailer and run them".
fn is_of_all_written(run: &CheckRun, session: &SessionObservation, task: &SessionTask) -> bool {
    let mut files: Vec<&str> = Vec::new();
    for step in task.turns(session).flat_map(|turn| &turn.steps) {
        match &step.deed {
            Deed::Edit { paths, was_done: true } => files.extend(paths.iter().map(String::as_str)),
            // Anything else may have written more.
            Deed::Command(it) if it.command.contains(&run.command) || it.command.starts_with("git ") => {}
            Deed::Edit { .. } | Deed::Asked { .. } => {}
            Deed::Command(_) | Deed::SentOff { .. } | Deed::Other { .. } => return false,
        }
    }
    let names = |file: &str| {
        let mut words = run.command.split_whitespace().map(|word| word.trim_start_matches("./"));
        words.any(|word| Path::new(file).ends_with(word))
    };
    let picks = |word: &str| {
        let name = word.split('=').next().unwrap_or(word).to_lowercase();
        words::of("picks_cases").contains(&name)
    };
    // `python -m` is no option of the tests.
    let options = run.command.split_once(" -m pytest").map_or(&*run.command, |(_, behind)| behind);
    let wants_all = task.all_prompts(session).any(|prompt| {
        let prompt = prompt.to_lowercase();
        words::has(&prompt, "wants_all") || words::has(&prompt, "names_suite")
    });
    !wants_all
        && !options.split_whitespace().any(picks)
        && !files.is_empty()
        && files.iter().all(|file| is_test_file(file) && names(file))
}

/// Whether a run is of what is demanded, or of a check that includes it.
fn is_of(run: &CheckRun, demanded: &Demanded, catalog: &Catalog) -> bool {
    match &demanded.what {
        Named::Tool(tool) => run.tool == *tool,
        Named::Kind(kind) => run.kind == *kind || catalog.covers(&run.tool, *kind),
        Named::Call { .. } => false,
    }
}

/// The checks that the prompts demand, where there are some and all of them passed.
pub(super) struct MetDemands {
    /// When the first of the runs ended that the demands rest on; `None` where that is not known, or none is of a check.
    pub(super) passed_at: Option<Timestamp>,
}

/// A check that a prompt of the task tells to run has to have passed since the last change; one that failed says NO by
/// itself (DESIGN.md 2.2).
pub(super) fn weigh(
    summary: &RunsSummary,
    session: &SessionObservation,
    task: &SessionTask,
    demands: &[Arc<Demands>],
    catalog: &Catalog,
    evidence_set: &mut EvidenceSet,
) -> Option<MetDemands> {
    // What runs beside the session may be the check: that is waited for.
    let is_running = session.live.iter().any(|report| report.status == LiveStatus::Background)
        && !runs::never_end(&session.background);
    // Where the task's begin was not read, that is told of the session (`weigh::session`).
    if task.current().is_none_or(|task| task.is_begin_unread) || is_running {
        return None;
    }
    let mut asked: Vec<&Demanded> = demands.iter().flat_map(|prompt| &prompt.checks).collect();
    asked.dedup();
    let only = only_check(session, task, demands);
    let mut are_met = !asked.is_empty();
    let mut met_at: Vec<Option<Timestamp>> = Vec::new();
    for demanded in asked {
        if let Named::Call { words, must_pass } = &demanded.what {
            let found = runs::last_run(words, task.turns(session));
            let what = excerpt::reason(&demanded.words);
            are_met &= weigh_call(what, found, *must_pass, summary, session, evidence_set);
            continue;
        }
        let runs = || summary.last.iter().filter(|run| is_of(run, demanded, catalog));
        let is_failed = |run: &CheckRun| summary.red.contains(run) || summary.red_before.contains(run);
        let is_beside = |run: &CheckRun| is_beside(run, demanded);
        let is_met = |run: &CheckRun| {
            run.outcome == RunOutcome::Passed
                && run.edited_after == EditedAfter::Nothing
                && !is_beside(run)
                && is_as_strict(&run.command, &demanded.words)
                && (!run.is_part
                    || demanded.is_part_of(&run.command)
                    || demanded.is_named_by(&run.command)
                    || demanded.what == Named::Kind(CheckKind::Test) && is_of_all_written(run, session, task))
        };
        if let Some(run) = runs().find(|run| is_met(run))
            && only.as_ref().is_some_and(|(only, asked)| *only == demanded && run.moment.order >= *asked)
        {
            let provenance = Origin::of(session).at(run.moment.at);
            let passed =
                Evidence::claim(Source::Tests, excerpt::reason(&run.command), Claim::Yes, provenance);
            evidence_set.add(Parts::WORDS, passed.because(Reason::RunPassed(excerpt::reason(&run.command))));
        }
        let met = runs().filter(|run| is_met(run)).max_by_key(|run| run.moment.order);
        met_at.extend(met.map(|run| run.moment.at));
        if met.is_some() || runs().any(is_failed) {
            are_met &= !runs().any(is_failed);
            continue;
        }
        are_met = false;
        let what = excerpt::reason(&demanded.words);
        let found = found_in(runs().next_back(), demanded);
        let points = vec![Point::OrderedRun(what.clone())];
        let provenance = match runs().next_back() {
            Some(run) => Origin::of(session).at(run.moment.at),
            None => Origin::of(session).as_read(),
        };
        let evidence = Evidence::claim(Source::Tests, what.clone(), Claim::No, provenance)
            .because(Reason::Demanded(what, found));
        evidence_set.add(Parts::WORDS, Evidence { points, ..evidence });
    }
    // Without a time is earlier than any.
    are_met.then(|| MetDemands { passed_at: met_at.into_iter().min().flatten() })
}

/// What is told of the last run of a check that is demanded, where none meets the demand.
fn found_in(last: Option<&CheckRun>, demanded: &Demanded) -> Fact {
    match last {
        None => Fact::OrderedNotRun,
        Some(run) if run.edited_after != EditedAfter::Nothing => Fact::OrderedChanged,
        Some(run) if run.outcome == RunOutcome::Passed && is_beside(run, demanded) => Fact::OrderedElsewhere,
        Some(run) if run.outcome == RunOutcome::Passed => Fact::OrderedPart,
        Some(_) => Fact::OrderedUnknown,
    }
}

/// A call that no file lists, `what` in the prompt's words, has to have passed by its exit code; one that shall only be run
/// may hide it. Returns whether it has.
fn weigh_call(
    what: String,
    found: Option<(RunOutcome, StepMoment)>,
    must_pass: bool,
    summary: &RunsSummary,
    session: &SessionObservation,
    evidence_set: &mut EvidenceSet,
) -> bool {
    let is_changed = |moment: StepMoment| summary.last_edit.is_some_and(|edit| edit.order > moment.order);
    let unverified = |found| Reason::Demanded(what.clone(), found);
    let why = match found {
        None => unverified(Fact::OrderedNotRun),
        Some((RunOutcome::Failed, _)) => Reason::RunFailed(what.clone()),
        Some((RunOutcome::Passed, moment)) if !must_pass || !is_changed(moment) => return true,
        Some((RunOutcome::Unknown, _)) if !must_pass => return false,
        Some((RunOutcome::Passed, _)) => unverified(Fact::OrderedChanged),
        Some((RunOutcome::Unknown | RunOutcome::CouldNotStart | RunOutcome::Empty, _)) => {
            unverified(Fact::OrderedUnknown)
        }
    };
    let origin = Origin::of(session);
    let provenance = match found {
        None => origin.as_read(),
        Some((_, moment)) => origin.at(moment.at),
    };
    let evidence = Evidence::claim(Source::Tests, what.clone(), Claim::No, provenance).because(why);
    evidence_set.add(Parts::WORDS, Evidence { points: vec![Point::OrderedRun(what)], ..evidence });
    false
}

/// The check that is all that the last prompt asks for, so that its pass is the whole task, and the place of that prompt.
fn only_check<'d>(
    session: &SessionObservation,
    task: &SessionTask,
    demands: &'d [Arc<Demands>],
) -> Option<(&'d Demanded, u64)> {
    let current = task.current().filter(|_| session.history.tells_steps)?;
    let [only] = &demands.last()?.checks[..] else { return None };
    task::may_need_no_change(&current.last_prompt).then_some((only, current.asked))
}
