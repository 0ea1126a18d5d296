//! The work of the tasks of a workspace, as the records of its sessions tell it: which files they wrote, and whether
//! files may have come with old times.

use std::sync::Arc;

use super::memory::Memory;
use super::tasks::{SessionTask, Standing, asked_at};
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::model::{Deed, Observations, SessionObservation, TaskWork, TurnStep};

/// Words of commands that bring files with their old times.
const MOVERS: [&str; 12] =
    ["mv", "cp", "tar", "unzip", "rsync", "install", "stash", "touch", "ln", "rename", "checkout", "restore"];

/// What was read of the steps of one session.
#[derive(Debug, Default)]
pub(super) struct WorkMemory {
    places: StepPlaces,
    steps: Followed<TurnStep, (), Deeds>,
}

/// What the steps of one session did.
#[derive(Debug, Clone, Default)]
struct Deeds {
    is_active: bool,
    moves_files: bool,
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
        ..TaskWork::default()
    };
    for (session, _) in asked {
        let deeds = memory.of(session).work.follow(session);
        work.has_deeds |= deeds.is_active;
        work.moves_files |= deeds.moves_files;
        if !deeds.paths.is_empty() {
            work.paths.push(deeds.paths);
        }
    }
    work
}

impl WorkMemory {
    fn follow(&mut self, session: &SessionObservation) -> Deeds {
        let turns = &session.history.turns;
        let n_known = self.places.follow(turns);
        let from = |at| self.places.steps_from(at, turns);
        self.steps.fold(n_known, from, &Deeds::default(), |_, _| (), |deeds, step, ()| deeds.take(step))
    }
}

impl Deeds {
    fn take(&mut self, step: &TurnStep) {
        self.is_active |= !matches!(step.deed, Deed::Asked { .. });
        match &step.deed {
            Deed::Edit { paths, was_done: true } => {
                let is_new = |path: &&String| !self.paths.iter().any(|known| **known == path[..]);
                let new: Vec<Arc<str>> =
                    paths.iter().filter(is_new).map(|path| Arc::from(&path[..])).collect();
                if !new.is_empty() {
                    Arc::make_mut(&mut self.paths).extend(new);
                }
            }
            Deed::Command(run) => {
                let mut words = run.command.split(|c: char| !c.is_alphanumeric());
                self.moves_files = self.moves_files || words.any(|word| MOVERS.contains(&word));
            }
            Deed::SentOff { .. } | Deed::Other { .. } => self.moves_files = true,
            Deed::Edit { was_done: false, .. } | Deed::Asked { .. } => {}
        }
    }
}
