//! Finds the workspaces: the worktrees of a repository, and the paths that were given. Reads a few
//! small files a workspace; starts no program and judges nothing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::agent::{self, Memories, Survey, SurveyAsk, hook_events};
use crate::evidence::git::{self, Worktree};
use crate::model::{
    Event, FoundWorkspace, Names, Parts, ReadProblem, TaskKind, Timestamp, Unreadable, WatchTarget,
    WorkspaceId, WorkspaceSettings, display_text,
};

use super::recall::Recalled;
use super::session_folders::SessionFolders;
use super::{EngineConfig, Overrides, Scope, clock};

/// What discovery found.
pub(super) struct Discovery {
    pub(super) event: Event,
    /// Where a new worktree or a new session would show, and where those that are being made become
    /// whole.
    pub(super) folders: Vec<WatchTarget>,
    /// Sessions that are there and cannot be read, in words.
    pub(super) problems: Vec<String>,
}

/// What discovery knows beside the launch.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What earlier runs wrote down.
    pub(super) recalled: Recalled,
    /// Whether workspaces in which only old sessions are count.
    pub(super) with_older: bool,
}

/// Finds the workspaces of `launch`.
pub(super) fn discover(launch: &EngineConfig, known: &Known, memory: &mut Memories) -> Discovery {
    let at = clock::now();
    let mut found = Found::new(launch, &known.recalled);
    let mut n_older_sessions = 0;
    let mut unreadable = Vec::new();
    match &launch.scope {
        Scope::One(path) => {
            found.add_given(path);
            let only = found.workspaces.first().map(|workspace| workspace.id.path().to_owned());
            if let Some(path) = only {
                let survey = survey(launch, at, known.with_older, Some(&path), memory);
                SessionFolders::new(launch.home.as_deref()).assign(&survey.found, &mut found, false);
                unreadable = survey.problems;
            }
        }
        Scope::Worktrees { with_sessions, here, paths } => {
            found.add_worktrees(here);
            for path in paths {
                found.add_given(path);
            }
            let survey = survey(launch, at, known.with_older, None, memory);
            SessionFolders::new(launch.home.as_deref()).assign(&survey.found, &mut found, *with_sessions);
            found.folders.extend(survey.watch_targets);
            n_older_sessions = survey.n_older;
            unreadable = survey.problems;
            if found.workspaces.is_empty() && found.refused.is_empty() {
                let nothing = "is in no git repository, and no session of an agent was found; give the paths \
                               to look at";
                found.refuse(here, nothing);
            }
        }
    }
    let event =
        Event::Discovered { at, workspaces: found.workspaces, refused: found.refused, n_older_sessions };
    let told =
        |problem: &Unreadable| format!("sessions cannot be read: {}: {}", problem.name, problem.detail);
    Discovery { event, folders: found.folders, problems: unreadable.iter().map(told).collect() }
}

fn survey(
    launch: &EngineConfig,
    at: Timestamp,
    with_older: bool,
    within: Option<&Path>,
    memory: &mut Memories,
) -> Survey {
    let fold_after_ms = i64::try_from(launch.config.watch().fold_after_ms).unwrap_or(i64::MAX);
    let since = if with_older { Timestamp(0) } else { Timestamp(at.0.saturating_sub(fold_after_ms)) };
    let ask = SurveyAsk { since, within };
    let mut found = agent::survey(&launch.adapters, &ask, memory);
    if let (Some(folder), false) = (launch.hook_folder(), launch.adapters.is_empty()) {
        hook_events::survey(&folder, &ask, memory, &mut found);
    }
    found
}

pub(super) struct Found<'a> {
    launch: &'a EngineConfig,
    recalled: &'a Recalled,
    pub(super) workspaces: Vec<FoundWorkspace>,
    known: HashSet<WorkspaceId>,
    refused: Vec<(PathBuf, String)>,
    folders: Vec<WatchTarget>,
}

impl<'a> Found<'a> {
    fn new(launch: &'a EngineConfig, recalled: &'a Recalled) -> Found<'a> {
        Found {
            launch,
            recalled,
            workspaces: Vec::new(),
            known: HashSet::new(),
            refused: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// All worktrees of the repository that `here` lies in.
    fn add_worktrees(&mut self, here: &Path) {
        match git::worktrees(here) {
            Ok(worktrees) => {
                if let Some(folder) = git::worktrees_folder(here) {
                    self.folders.extend(half_made(&folder));
                    self.folders.push(WatchTarget::new(folder, Names::Any, Parts::COMMITS));
                }
                for worktree in worktrees {
                    self.add_worktree(&worktree);
                }
            }
            Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => {}
            Err(unreadable) => self.refuse(here, &unreadable.detail),
        }
    }

    fn add_worktree(&mut self, worktree: &Worktree) {
        match &worktree.problem {
            None => self.add(&worktree.path, true),
            Some(problem) => self.refuse(&worktree.path, problem),
        }
    }

    /// A path that a person gave: the worktree that it lies in, else the directory itself.
    fn add_given(&mut self, path: &Path) {
        let resolved = match path.canonicalize() {
            Ok(resolved) => resolved,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return self.refuse(path, "does not exist");
            }
            Err(error) => return self.refuse(path, &format!("cannot be opened: {error}")),
        };
        if !resolved.is_dir() {
            return self.refuse(path, "is no directory");
        }
        match git::worktrees(&resolved) {
            Ok(worktrees) => match top_of(&resolved, &worktrees) {
                Some(worktree) => self.add(&worktree.path.clone(), true),
                None => self.refuse(path, "is a bare repository or a git folder; give a work tree of it"),
            },
            Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => self.add(&resolved, false),
            // Something of a repository is there: let the collection say on its row what is wrong.
            Err(_) => self.add(&resolved, true),
        }
    }

    pub(super) fn add(&mut self, path: &Path, is_repository: bool) {
        let id = WorkspaceId::local(path);
        if !self.known.insert(id.clone()) {
            return;
        }
        let (settings, problems) = self.launch.config.for_workspace(path);
        let settings = overlaid(settings, &self.launch.overlay, is_repository);
        let problem = (!problems.is_empty()).then(|| problems.join("; "));
        let baseline = self.recalled.baselines.get(&id).cloned();
        let history = self.recalled.history.get(&id).cloned().unwrap_or_default();
        let drafts = self.recalled.drafts.get(&id).cloned().unwrap_or_default();
        let reports = self.recalled.reports.get(&id).cloned().unwrap_or_default();
        self.workspaces.push(FoundWorkspace {
            id,
            settings,
            baseline,
            sessions: Vec::new(),
            problem,
            history,
            drafts,
            reports,
        });
    }

    fn refuse(&mut self, path: &Path, reason: &str) {
        self.refused.push((path.to_owned(), display_text::line(reason).into_owned()));
    }
}

/// The worktree that a resolved path lies in.
fn top_of<'a>(resolved: &Path, worktrees: &'a [Worktree]) -> Option<&'a Worktree> {
    let around = worktrees.iter().filter(|worktree| resolved.starts_with(&worktree.path));
    around.max_by_key(|worktree| worktree.path.as_os_str().len())
}

/// The top of the worktree that `path` lies in; why there is none, in words.
pub(super) fn worktree_top(path: &Path) -> Result<PathBuf, String> {
    let shown = display_text::path(path);
    let resolved = path.canonicalize().map_err(|error| format!("{shown} cannot be opened: {error}"))?;
    let worktrees =
        git::worktrees(&resolved).map_err(|unreadable| format!("{shown}: {}", unreadable.detail))?;
    let top = top_of(&resolved, &worktrees).map(|worktree| worktree.path.clone());
    top.ok_or_else(|| format!("{shown} is in no work tree"))
}

/// The files without which git does not know a linked worktree; it writes them one after the other.
const WORKTREE_FILES: [&str; 3] = ["gitdir", "HEAD", "commondir"];

/// Worktrees below `folder` that git is still making: their folder is there, and not yet what it says.
fn half_made(folder: &Path) -> Vec<WatchTarget> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && WORKTREE_FILES.iter().any(|name| !path.join(name).exists()))
        .map(|path| WatchTarget::new(path, Names::these(WORKTREE_FILES), Parts::COMMITS))
        .collect()
}

fn overlaid(mut settings: WorkspaceSettings, overlay: &Overrides, is_repository: bool) -> WorkspaceSettings {
    let default_kind = if is_repository { TaskKind::Implementation } else { TaskKind::ReadInfo };
    // What a person says on the command line stands over the workspace's own word.
    if let Some(own) = &mut settings.own {
        own.decision_file = own.decision_file.take().filter(|_| overlay.decision_file.is_none());
        own.outputs = own.outputs.take().filter(|_| overlay.outputs.is_empty());
        let is_overlaid = |key: &str| match key {
            "evidence.decision_file" => overlay.decision_file.is_some(),
            "evidence.outputs" => !overlay.outputs.is_empty(),
            _ => false,
        };
        settings.chosen.retain(|chosen| !is_overlaid(&chosen.key));
    }
    WorkspaceSettings {
        task_kind: Some(settings.task_kind.unwrap_or(default_kind)),
        check_id: overlay.check_id.clone(),
        own_session: overlay.own_session.clone(),
        decision_file: overlay.decision_file.clone().or(settings.decision_file),
        outputs: if overlay.outputs.is_empty() { settings.outputs } else { overlay.outputs.clone() },
        ..settings
    }
}
