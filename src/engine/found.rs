//! The workspaces that discovery has found so far, each once, with its settings. It must not judge them.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{EngineConfig, Overrides};
use crate::evidence::git::{self, WORKTREE_FILES, Worktree};
use crate::git::marked_top;
use crate::model::{
    FoundWorkspace, KeptReports, Names, Parts, ReadProblem, RunOrder, SupervisedTurn, TaskKind, Timestamp,
    WatchTarget, WorkspaceId, WorkspaceSettings, display_text,
};

/// What judged a run that is over, which judges its work on until somebody is asked for something else.
pub(super) struct RunJudging {
    pub(super) turn: SupervisedTurn,
    pub(super) order: RunOrder,
    /// What its command wrote in the end.
    pub(super) output: Option<PathBuf>,
}

/// The workspaces found, and the paths that are not workspaces.
pub(super) struct Found<'a> {
    config: &'a EngineConfig,
    /// The last run of each workspace, if it is over.
    pub(super) runs: BTreeMap<WorkspaceId, RunJudging>,
    pub(super) workspaces: Vec<FoundWorkspace>,
    known: HashSet<WorkspaceId>,
    pub(super) refused: Vec<(PathBuf, String)>,
    /// Where a new worktree would appear.
    pub(super) folders: Vec<WatchTarget>,
}

impl<'a> Found<'a> {
    pub(super) fn new(config: &'a EngineConfig, runs: BTreeMap<WorkspaceId, RunJudging>) -> Found<'a> {
        Found {
            config,
            runs,
            workspaces: Vec::new(),
            known: HashSet::new(),
            refused: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// The workspaces whose last run was over at `since` or later.
    pub(super) fn ran_since(&self, since: Timestamp) -> Vec<WorkspaceId> {
        let is_later = |run: &RunJudging| run.turn.over.is_some_and(|over| over.at >= since);
        self.runs.iter().filter(|(_, run)| is_later(run)).map(|(id, _)| id.clone()).collect()
    }

    /// Adds all worktrees of the repository that contains `here`.
    pub(super) fn add_worktrees(&mut self, here: &Path) {
        match git::worktrees(here) {
            Ok(worktrees) => {
                // Git is still creating the worktrees that lack a file.
                let completed = |path| WatchTarget::new(path, Names::these(WORKTREE_FILES), Parts::COMMITS);
                self.folders.extend(worktrees.half_made.into_iter().map(completed));
                self.folders.push(WatchTarget::new(worktrees.folder, Names::Any, Parts::COMMITS));
                for worktree in &worktrees.found {
                    self.add_worktree(worktree);
                }
            }
            Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => {}
            Err(unreadable) => match marked_top(here) {
                // The collection reports on its row what is wrong.
                Some(top) => self.add(&top, true),
                None => self.refuse(here, &unreadable.detail),
            },
        }
    }

    fn add_worktree(&mut self, worktree: &Worktree) {
        match &worktree.problem {
            None => self.add(&worktree.path, true),
            Some(problem) => self.refuse(&worktree.path, problem),
        }
    }

    /// Adds a path that a person gave: the worktree that contains it, or else the directory itself.
    pub(super) fn add_given(&mut self, path: &Path) {
        let resolved = match path.canonicalize() {
            Ok(resolved) => resolved,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return self.refuse(path, &missing(path));
            }
            Err(error) => return self.refuse(path, &format!("cannot be opened: {error}")),
        };
        if !resolved.is_dir() {
            return self.refuse(path, "is no directory");
        }
        match git::work_tree(&resolved) {
            Ok(Some(top)) => self.add(&top, true),
            Ok(None) => self.refuse(path, "is a bare repository or a git folder; name one of its work trees"),
            Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => self.add(&resolved, false),
            // It is part of some repository: the collection reports on its row what is wrong.
            Err(_) => self.add(&marked_top(&resolved).unwrap_or(resolved), true),
        }
    }

    pub(super) fn add(&mut self, path: &Path, is_repository: bool) {
        let id = WorkspaceId::local(path);
        if !self.known.insert(id.clone()) {
            return;
        }
        let (settings, problems) = self.config.config.for_workspace(path);
        let is_temporary = self.config.temporary_folders.iter().any(|folder| path.starts_with(folder));
        let overrides = self.runs.get(&id).map(|run| run.overrides(&self.config.overrides, &settings));
        let overrides = overrides.as_ref().unwrap_or(&self.config.overrides);
        let mut settings = with_overrides(settings, overrides, is_repository);
        settings.is_temporary = is_temporary;
        if let Some(RunJudging { order, .. }) = self.runs.get(&id) {
            settings.task_kind = order.task_kind.or(settings.task_kind);
            settings.required = order.require.unwrap_or(settings.required);
        }
        // Most have those of the one before.
        let shared = self.workspaces.last().map(|before| &before.settings);
        let shared = shared.filter(|before| ***before == settings).map(Arc::clone);
        let settings = shared.unwrap_or_else(|| Arc::new(settings));
        let problem = (!problems.is_empty()).then(|| problems.join("; "));
        self.workspaces.push(FoundWorkspace {
            id,
            settings,
            baseline: None,
            named: Vec::new(),
            sessions: Vec::new(),
            problem,
            history: Vec::new(),
            timeline: Vec::new(),
            drafts: Vec::new(),
            held: Vec::new(),
            reports: KeptReports::default(),
            run: None,
        });
    }

    pub(super) fn refuse(&mut self, path: &Path, reason: &str) {
        self.refused.push((path.to_owned(), display_text::line(reason).into_owned()));
    }
}

impl RunJudging {
    /// What the run gave to its own checks; what is given now takes precedence.
    fn overrides(&self, given: &Overrides, settings: &WorkspaceSettings) -> Overrides {
        let mut outputs = self.order.outputs.clone();
        if let Some(output) = self.output.as_ref().and_then(|path| path.to_str()) {
            if outputs.is_empty() {
                outputs.clone_from(&settings.outputs);
            }
            outputs.push(output.to_owned());
        }
        Overrides {
            supervised: Some(self.turn.clone()),
            decision_file: given.decision_file.clone().or_else(|| self.order.decision_file.clone()),
            outputs: if given.outputs.is_empty() { outputs } else { given.outputs.clone() },
            ..given.clone()
        }
    }
}

fn with_overrides(
    mut settings: WorkspaceSettings,
    overrides: &Overrides,
    is_repository: bool,
) -> WorkspaceSettings {
    let default_kind = if is_repository { TaskKind::Implementation } else { TaskKind::ReadInfo };
    // The command line takes precedence over the workspace's own file.
    if let Some(own) = &mut settings.own {
        own.decision_file = own.decision_file.take().filter(|_| overrides.decision_file.is_none());
        own.outputs = own.outputs.take().filter(|_| overrides.outputs.is_empty());
        let is_overlaid = |key: &str| match key {
            "evidence.decision_file" => overrides.decision_file.is_some(),
            "evidence.outputs" => !overrides.outputs.is_empty(),
            _ => false,
        };
        settings.chosen.retain(|chosen| !is_overlaid(&chosen.key));
    }
    WorkspaceSettings {
        task_kind: Some(settings.task_kind.unwrap_or(default_kind)),
        check_id: overrides.check_id.clone(),
        is_check: overrides.is_check,
        own_session: overrides.own_session.clone(),
        supervised: overrides.supervised.clone(),
        decision_file: overrides.decision_file.clone().or(settings.decision_file),
        outputs: if overrides.outputs.is_empty() { settings.outputs } else { overrides.outputs.clone() },
        ..settings
    }
}

/// Says of a path that it does not exist, and which worktree of the repository there has its name.
pub(super) fn missing(path: &Path) -> String {
    let is_named =
        |worktree: &&Worktree| worktree.problem.is_none() && worktree.path.file_name() == path.file_name();
    let worktrees = path.parent().and_then(|folder| git::worktrees(folder).ok());
    let found = worktrees.iter().flat_map(|worktrees| &worktrees.found).find(is_named);
    found.map_or_else(
        || "does not exist".to_owned(),
        |found| format!("does not exist; did you mean {}?", display_text::path(&found.path)),
    )
}
