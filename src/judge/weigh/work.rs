//! The work of the tasks of a workspace, as the records of its sessions tell it: which files they wrote, and whether
//! files may have come with old times.

use std::sync::Arc;

use super::memory::Memory;
use super::tasks::{SessionTask, Standing, asked_at};
use crate::judge::by_turn::{Followed, StepPlaces};
use crate::model::{
    Deed, Exit, Observations, SessionObservation, TaskWork, Timestamp, TurnEnd, TurnSpan, TurnStep,
};

/// Words of commands that bring files with their old times.
const MOVERS: [&str; 12] =
    ["mv", "cp", "tar", "unzip", "rsync", "install", "stash", "touch", "ln", "rename", "checkout", "restore"];

/// Words of commands that may make a commit: those of git and its like, and whatever runs a program of its own.
const COMMITTERS: [&str; 21] = [
    "commit", "merge", "cherry-pick", "rebase", "revert", "pull", " am ", "stash", "gh ", "jj ", "gt ",
    "hg ", "make", "just ", "./", ".sh", "python", "node", "npx", "run ", "release",
];
/// What a prompt says that wants tests to be others, or fewer.
const CHANGES: [&str; 22] = [
    "remove", "delete", "drop", "skip", "ignore", "disable", "clean", "merge", "rewrite", "refactor",
    "parametri", "consolidate", "replace", "simplify", "obsolete", "move", "split", "deduplicate", "削除",
    "スキップ", "整理", "统一",
];
/// So many of the last turns of a session are told apart; what was before them counts as one.
const MOST_TURNS: usize = 200;

/// What was read of the steps of one session.
#[derive(Debug, Default)]
pub(super) struct WorkMemory {
    places: StepPlaces,
    steps: Followed<TurnStep, (), Deeds>,
}

/// What the steps of one session did.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Deeds {
    is_active: bool,
    moves_files: bool,
    /// Whether a command may have written a file, and one may have made a commit.
    may_write: bool,
    may_commit: bool,
    /// Whether a command may still run beside its turn.
    runs_on: bool,
    sets_excludes: bool,
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
        work.sets_excludes |= deeds.sets_excludes;
        work.may_write |= deeds.may_write;
        work.turns = work.turns.filter(|_| !deeds.runs_on).and_then(|mut turns| {
            turns.extend(spans(session, deeds.may_commit)?);
            Some(turns)
        });
        work.has_deeds |= deeds.is_active;
        work.moves_files |= deeds.moves_files;
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
    let names_tests = ["test", "spec", "テスト", "测试"].iter().any(|word| prompt.contains(word));
    names_tests && CHANGES.iter().any(|word| prompt.contains(word))
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
                self.sets_excludes |= paths.iter().any(|path| path.ends_with("info/exclude"));
                let is_new = |path: &&String| !self.paths.iter().any(|known| **known == path[..]);
                let new: Vec<Arc<str>> =
                    paths.iter().filter(is_new).map(|path| Arc::from(&path[..])).collect();
                if !new.is_empty() {
                    Arc::make_mut(&mut self.paths).extend(new);
                }
            }
            Deed::Command(run) => {
                self.may_write = true;
                self.may_commit = self.may_commit || COMMITTERS.iter().any(|word| run.command.contains(word));
                self.runs_on |= matches!(run.exit, Exit::Running | Exit::Unknown);
                self.sets_excludes = self.sets_excludes
                    || ["excludesFile", "excludesfile", "info/exclude"]
                        .iter()
                        .any(|name| run.command.contains(name));
                let mut words = run.command.split(|c: char| !c.is_alphanumeric());
                self.moves_files = self.moves_files || words.any(|word| MOVERS.contains(&word));
            }
            Deed::SentOff { .. } | Deed::Other { .. } => {
                (self.moves_files, self.may_write, self.may_commit) = (true, true, true);
            }
            Deed::Edit { was_done: false, .. } | Deed::Asked { .. } => {}
        }
    }
}
