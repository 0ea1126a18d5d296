//! The work of the tasks of a workspace, as the records of its sessions tell it: which files they wrote, and whether
//! files may have come with old times.

use std::sync::Arc;

use bitflags::bitflags;

use super::memory::Memory;
use super::tasks::{SessionTask, Standing, asked_at};
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::judge::words;
use crate::model::{
    Deed, Exit, Observations, SessionObservation, TaskWork, Timestamp, TurnEnd, TurnSpan, TurnStep,
};

/// So many of the last turns of a session are told apart; what was before them counts as one.
const MOST_TURNS: usize = 200;

/// What was read of the steps of one session.
#[derive(Debug, Default)]
pub(super) struct WorkMemory {
    places: StepPlaces,
    steps: Followed<TurnStep, Acts, Deeds>,
}

bitflags! {
    /// What a step may have done beside its task.
    #[derive(Debug, Clone, Copy, Default)]
    struct Acts: u8 {
        /// It was more than a question.
        const IS_ACTIVE = 1;
        const MOVES_FILES = 1 << 1;
        /// A command may have written a file.
        const MAY_WRITE = 1 << 2;
        /// A command may have made a commit.
        const MAY_COMMIT = 1 << 3;
        /// A command may still run beside its turn.
        const RUNS_ON = 1 << 4;
        const SETS_EXCLUDES = 1 << 5;
    }
}

/// What the steps of one session did.
#[derive(Debug, Clone, Default)]
struct Deeds {
    acts: Acts,
    paths: Arc<Vec<Arc<str>>>,
}

/// The work of all tasks, as far as the records tell whose it is.
pub(super) fn work(observations: &Observations, tasks: &[SessionTask], memory: &mut Memory) -> TaskWork {
    let sessions = observations.session.present().into_iter().chain(&observations.other_sessions);
    let asked: Vec<(&SessionObservation, &SessionTask)> =
        sessions.zip(tasks).filter(|(_, task)| task.standing != Standing::NotAsked).collect();
    let is_told = |(session, task): &(&SessionObservation, &SessionTask)| {
        let history = &session.history;
        !history.turns.is_empty() && history.is_whole && !task.has_undated_prompt()
    };
    let first = asked.iter().filter_map(|(_, task)| task.first_prompt_at()).min();
    let began = asked.iter().filter_map(|(_, task)| task.current()?.began_at).min();
    let mut work = TaskWork {
        first_prompt_at: first.filter(|_| asked.iter().all(is_told)),
        began_at: began.or(first).or_else(|| asked_at(tasks)),
        may_change_tests: asked
            .iter()
            .flat_map(|(_, task)| task.prompts())
            .any(|prompt| is_about_tests(&prompt)),
        turns: asked.iter().all(is_told).then(Vec::new),
        ..TaskWork::default()
    };
    for (session, _) in asked {
        let deeds = memory.of(session).work.follow(session);
        work.sets_excludes |= deeds.acts.contains(Acts::SETS_EXCLUDES);
        work.may_write |= deeds.acts.contains(Acts::MAY_WRITE);
        work.turns = work.turns.filter(|_| !deeds.acts.contains(Acts::RUNS_ON)).and_then(|mut turns| {
            turns.extend(spans(session, deeds.acts.contains(Acts::MAY_COMMIT))?);
            Some(turns)
        });
        work.has_deeds |= deeds.acts.contains(Acts::IS_ACTIVE);
        work.moves_files |= deeds.acts.contains(Acts::MOVES_FILES);
        if !deeds.paths.is_empty() {
            work.paths.push(deeds.paths);
        }
    }
    work
}

/// When the turns of a session ran; `None` where it does not tell.
fn spans(session: &SessionObservation, may_commit: bool) -> Option<Vec<TurnSpan>> {
    let turns = &session.history.turns;
    let n_early = turns.len().saturating_sub(MOST_TURNS);
    let mut begin = session.history.began_at;
    let mut spans = Vec::with_capacity(turns.len() - n_early + 1);
    if let Some(last) = turns[..n_early].last() {
        begin = last.ended_at;
        spans.push(TurnSpan { from: Timestamp(0), to: Some(last.ended_at?), may_commit });
    }
    for turn in &turns[n_early..] {
        let from = turn.prompt.as_ref().and_then(|prompt| prompt.at).or(begin)?;
        let is_over = !matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown);
        if turn.is_missing_steps {
            return None;
        }
        spans.push(TurnSpan { from, to: if is_over { Some(turn.ended_at?) } else { None }, may_commit });
        begin = turn.ended_at;
    }
    Some(spans)
}

/// Whether a prompt wants tests to be others, or fewer.
fn is_about_tests(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    words::has(&prompt, "names_tests") && words::has(&prompt, "changes_tests")
}

impl WorkMemory {
    fn follow(&mut self, session: &SessionObservation) -> Deeds {
        let turns = &session.history.turns;
        let n_known = self.places.follow(turns);
        let from = |at| self.places.steps_from(at, turns);
        self.steps.fold(
            n_known,
            from,
            &Deeds::default(),
            |step, _| Acts::of(step),
            |deeds, step, acts| {
                deeds.take(step, *acts);
            },
        )
    }
}

impl Deeds {
    fn take(&mut self, step: &TurnStep, acts: Acts) {
        self.acts |= acts;
        if let Deed::Edit { paths, was_done: true } = &step.deed {
            let is_new = |path: &&String| !self.paths.iter().any(|known| **known == path[..]);
            let new: Vec<Arc<str>> = paths.iter().filter(is_new).map(|path| Arc::from(&path[..])).collect();
            if !new.is_empty() {
                Arc::make_mut(&mut self.paths).extend(new);
            }
        }
    }
}

impl Acts {
    fn of(step: &TurnStep) -> Acts {
        match &step.deed {
            Deed::Asked { .. } => Acts::empty(),
            Deed::Edit { was_done: false, .. } => Acts::IS_ACTIVE,
            Deed::Edit { paths, was_done: true } => {
                let sets_excludes = paths.iter().any(|path| path.ends_with("info/exclude"));
                Acts::IS_ACTIVE | Acts::SETS_EXCLUDES.when(sets_excludes)
            }
            Deed::Command(run) => {
                let mut said = run.command.split(|c: char| !c.is_alphanumeric());
                Acts::IS_ACTIVE
                    | Acts::MAY_WRITE
                    | Acts::MAY_COMMIT.when(words::has(&run.command, "committers"))
                    | Acts::RUNS_ON.when(matches!(run.exit, Exit::Running | Exit::Unknown))
                    | Acts::SETS_EXCLUDES.when(words::has(&run.command, "excludes"))
                    | Acts::MOVES_FILES.when(said.any(|word| words::of("movers").contains(&word)))
            }
            Deed::SentOff { .. } | Deed::Other { .. } => {
                Acts::IS_ACTIVE | Acts::MOVES_FILES | Acts::MAY_WRITE | Acts::MAY_COMMIT
            }
        }
    }

    fn when(self, is_so: bool) -> Acts {
        if is_so { self } else { Acts::empty() }
    }
}
