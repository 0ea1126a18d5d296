//! Finds the workspaces: the worktrees of a repository, the paths that were given, and the folders of
//! sessions. It reads a few small files per workspace, and must not start a program or judge.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::agent::{self, Memories, Survey, SurveyAsk, hook_events};
use crate::evidence::git;
use crate::git::marked_top;
use crate::model::{
    Names, Parts, ReadProblem, RunView, SupervisedRun, SupervisedTurn, Timestamp, Unreadable, WatchTarget,
    WorkspaceId, display_text,
};

use super::event::{Discovery, Runs};
use super::found::{Found, RunJudging, missing};
use super::session_folders::{self, SessionFolders};
use super::{EngineConfig, Scope, live_runs, reports_elsewhere};
use crate::store::Store;

/// How long a file may take to be made, in milliseconds.
const MAKING_MS: i64 = 10_000;

/// Finds the workspaces of `config`, without what earlier runs stored about them. It began at `at`. `with_older`
/// includes workspaces that have only old sessions.
pub(super) fn discover(
    config: &EngineConfig,
    store: Option<&Store>,
    at: Timestamp,
    with_older: bool,
    memory: &mut Memories,
) -> Discovery {
    let mut n_older_sessions = 0;
    let mut unreadable = Vec::new();
    let (mut runs, judged) = runs(config, store);
    let mut found = Found::new(config, judged);
    let mut search = Search { config, since: since(config, at, with_older), with_older, memory };
    match &config.scope {
        Scope::One(path) => {
            found.add_given(path);
            let only = paths(&found);
            if let Some(path) = only.first() {
                unreadable = search.one(path, &mut found);
            }
        }
        Scope::Worktrees { with_sessions, here, paths: given } => {
            found.add_worktrees(here);
            for path in given {
                found.add_given(path);
            }
            let survey = search.all(&mut found, *with_sessions);
            let ran = found.ran_since(search.since);
            let ran: Vec<WorkspaceId> = runs.keys().cloned().chain(ran).collect();
            for workspace in ran.iter().filter(|workspace| *with_sessions && workspace.path().is_dir()) {
                found.add_given(workspace.path());
            }
            found.folders.extend(survey.watch_targets);
            found.folders.extend(store.map(live_runs::target));
            found.folders.extend(store.map(held_target));
            found.folders.extend(store.map(reports_elsewhere::target));
            n_older_sessions = survey.n_older;
            unreadable = survey.problems;
            if found.workspaces.is_empty() && found.refused.is_empty() {
                let nothing =
                    "is in no git repository, and no agent session was found; name the paths to look at";
                found.refuse(here, nothing);
            }
        }
    }
    for workspace in &mut found.workspaces {
        workspace.run = runs.remove(&workspace.id).map(Box::new);
    }
    unreadable.retain(|problem| !is_being_made(problem, at));
    let told =
        |problem: &Unreadable| format!("sessions cannot be read: {}: {}", problem.name, problem.detail);
    let mut problems: Vec<String> = unreadable.iter().map(told).collect();
    if config.home.is_none() {
        problems
            .push("HOME is not an absolute path: the agents' default folders are not searched".to_owned());
    }
    Discovery {
        began_at: at,
        workspaces: found.workspaces,
        refused: found.refused,
        n_older_sessions,
        folders: found.folders,
        problems,
    }
}

/// Whether a file is only half there and was written a moment ago: its owner may be about to write the rest, which is seen.
fn is_being_made(problem: &Unreadable, at: Timestamp) -> bool {
    let written_at = || {
        let written = std::fs::symlink_metadata(&problem.name).ok()?.modified().ok()?;
        let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok().map(Timestamp)
    };
    problem.problem == ReadProblem::HalfWritten
        && written_at().is_some_and(|written_at| at.millis_since(written_at) < MAKING_MS)
}

/// Watches for replies that another closeout holds or has sent.
fn held_target(store: &Store) -> WatchTarget {
    WatchTarget::new(store.held_folder(), Names::Ending(".json".to_owned()), Parts::WORDS)
}

fn paths(found: &Found<'_>) -> Vec<PathBuf> {
    found.workspaces.iter().map(|workspace| workspace.id.path().to_owned()).collect()
}

/// The search for sessions in one discovery.
struct Search<'a> {
    config: &'a EngineConfig,
    /// What is older adds no workspace.
    since: Timestamp,
    /// Whether nothing is.
    with_older: bool,
    memory: &'a mut Memories,
}

impl Search<'_> {
    /// Surveys the sessions of one workspace and gives it them; returns what cannot be read.
    fn one(&mut self, path: &PathBuf, found: &mut Found<'_>) -> Vec<Unreadable> {
        let moved = session_folders::moved(std::slice::from_ref(path));
        let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
        for place in std::iter::once(path).chain(moved.iter().map(|moved| &moved.from)) {
            let survey = self.survey(std::slice::from_ref(place), Some(place));
            sessions.extend(survey.found);
            unreadable.extend(survey.problems);
        }
        SessionFolders::new(self.config.home.as_deref(), &moved).assign(&sessions, found, false);
        unreadable
    }

    /// Surveys all sessions and gives the workspaces theirs. Only newer sessions add a workspace, but in one all
    /// sessions count, however old: work that one left before a weekend is as unfinished on the Monday after.
    fn all(&mut self, found: &mut Found<'_>, with_sessions: bool) -> Survey {
        let listed = paths(found);
        let moved = session_folders::moved(&listed);
        let with_former = |tops: &[PathBuf]| -> Vec<PathBuf> {
            tops.iter().chain(moved.iter().map(|moved| &moved.from)).cloned().collect()
        };
        let of_listed = self.survey(&with_former(&listed), None);
        let mut folders = SessionFolders::new(self.config.home.as_deref(), &moved);
        folders.assign(&of_listed.found, found, with_sessions);
        let all = paths(found);
        if self.with_older || all.len() == listed.len() {
            return of_listed;
        }
        let of_all = self.survey(&with_former(&all), None);
        folders.assign(&of_all.found, found, false);
        of_all
    }

    /// Surveys the newer sessions and all of those in `all_of`: within one folder, or everywhere.
    fn survey(&mut self, all_of: &[PathBuf], within: Option<&Path>) -> Survey {
        let ask = SurveyAsk { since: self.since, all_of, within };
        let mut found = agent::survey(&self.config.adapters, &ask, self.memory);
        if let (Some(folder), false) = (self.config.hook_folder(), self.config.adapters.is_empty()) {
            hook_events::survey(&folder, &ask, self.memory, &mut found);
        }
        found
    }
}

/// What is older adds no workspace.
fn since(config: &EngineConfig, at: Timestamp, with_older: bool) -> Timestamp {
    let fold_after_ms = i64::try_from(config.config.watch.fold_after_ms).unwrap_or(i64::MAX);
    if with_older { Timestamp(0) } else { Timestamp(at.0.saturating_sub(fold_after_ms)) }
}

/// The runs that are alive, and how those that are over were judged.
fn runs(
    config: &EngineConfig,
    store: Option<&Store>,
) -> (BTreeMap<WorkspaceId, RunView>, BTreeMap<WorkspaceId, RunJudging>) {
    // A run judges its own work.
    let store = store.filter(|_| config.overrides.supervised.is_none());
    let Runs { alive, over, .. } = store.map(live_runs::read).unwrap_or_default();
    let judging = |(id, run): (WorkspaceId, SupervisedRun)| {
        let output = store.and_then(|store| store.judged_output(&id, &run));
        (id, RunJudging { turn: SupervisedTurn::of_over(&run), order: run.order, output })
    };
    // A session whose turn ends was asked for something else.
    let is_gate = config.overrides.ending.is_some();
    (alive, over.into_iter().filter(|_| !is_gate).map(judging).collect())
}

/// The top of the work tree that contains `path`, also if its repository is broken; the error says why there is
/// none.
pub(super) fn worktree_top(path: &Path) -> Result<PathBuf, String> {
    let shown = display_text::path(path);
    let resolved = path.canonicalize().map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            format!("{shown} {}", missing(path))
        } else {
            format!("{shown} cannot be opened: {error}")
        }
    })?;
    match git::work_tree(&resolved) {
        Ok(top) => top.ok_or_else(|| format!("{shown} is in no work tree")),
        Err(unreadable) => marked_top(&resolved).ok_or_else(|| format!("{shown}: {}", unreadable.detail)),
    }
}
