//! What the steps of one session did to the work tree. Must not decide whose work it is.

use std::sync::Arc;

use bitflags::bitflags;

use crate::judge::by_turn::{Followed, StepPlaces};
use crate::judge::word_split::words_in;
use crate::judge::{runs, words};
use crate::model::{Deed, Exit, SessionObservation, TurnStep};

/// What was read from the steps of one session.
#[derive(Debug, Default)]
pub(super) struct WorkMemory {
    places: StepPlaces,
    steps: Followed<TurnStep, Acts, Deeds>,
}

bitflags! {
    /// What a step may have done besides its task.
    #[derive(Debug, Clone, Copy, Default)]
    pub(super) struct Acts: u8 {
        /// It was more than a question.
        const IS_ACTIVE = 1;
        const MOVES_FILES = 1 << 1;
        /// A command may have written a file.
        const MAY_WRITE = 1 << 2;
        /// A command may have made a commit.
        const MAY_COMMIT = 1 << 3;
        /// A command may still be running after its turn.
        const RUNS_ON = 1 << 4;
        const SETS_EXCLUDES = 1 << 5;
        /// A command may have begun a branch, or another agent may have worked.
        const MAY_BRANCH = 1 << 6;
        /// A command searched for a commit by halves.
        const BISECTS = 1 << 7;
    }
}

/// What the steps of one session did.
#[derive(Debug, Clone, Default)]
pub(super) struct Deeds {
    pub(super) acts: Acts,
    pub(super) paths: Arc<Vec<Arc<str>>>,
}

impl WorkMemory {
    pub(super) fn follow(&mut self, session: &SessionObservation) -> Deeds {
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
            Deed::Command(run) if !run.is_cut && runs::only_reads(&run.command) => Acts::IS_ACTIVE,
            Deed::Command(run) => {
                let mut said = words_in(&run.command, &[]);
                Acts::IS_ACTIVE
                    | Acts::MAY_WRITE
                    | Acts::MAY_COMMIT.when(words::has(&run.command, "committers"))
                    | Acts::MAY_BRANCH.when(may_branch(&run.command))
                    | Acts::RUNS_ON.when(matches!(run.exit, Exit::Running | Exit::Unknown))
                    | Acts::SETS_EXCLUDES.when(words::has(&run.command, "excludes"))
                    | Acts::BISECTS.when(run.command.contains("git bisect "))
                    | Acts::MOVES_FILES.when(said.any(|word| words::of("movers").contains(word)))
            }
            // What it did has steps of its own; the client can have given it a branch.
            Deed::SentOff { was_read: true, .. } => Acts::MAY_BRANCH,
            Deed::SentOff { .. } | Deed::Other { .. } => {
                Acts::all() - Acts::RUNS_ON - Acts::SETS_EXCLUDES - Acts::BISECTS
            }
        }
    }

    fn when(self, is_so: bool) -> Acts {
        if is_so { self } else { Acts::empty() }
    }
}

/// Whether a command may have begun a branch, or had another agent work: a listing of branches did not, and neither did
/// tests, which some runners start like any other script.
fn may_branch(command: &str) -> bool {
    let names_one = |rest: &str| rest.trim_start().starts_with(|sign: char| sign.is_alphanumeric());
    let is_begun = command.split("git branch ").skip(1).any(names_one);
    is_begun || words::has(command, "branchers") && !runs::are_only_checks(command)
}
