//! Finds the workspaces: the worktrees of a repository, and the paths that were given. Reads a few
//! small files a workspace; starts no program and judges nothing.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::evidence::git::{self, Worktree};
use crate::model::{
    Baseline, Event, FoundWorkspace, Names, Parts, ReadProblem, TaskKind, WatchTarget, WorkspaceId,
    WorkspaceSettings, display_text,
};

use super::{Launch, Overlay, Scope, clock};

/// What discovery found.
pub(super) struct Discovery {
    pub(super) event: Event,
    /// Where a new worktree would show, and where those that are being made become whole.
    pub(super) worktree_folders: Vec<WatchTarget>,
}

/// Finds the workspaces of `launch`. `baselines` are those that earlier runs remembered.
pub(super) fn discover(launch: &Launch, baselines: &BTreeMap<WorkspaceId, Baseline>) -> Discovery {
    let mut found = Found::new(launch, baselines);
    match &launch.scope {
        Scope::One(path) => found.add_given(path),
        Scope::Worktrees { here, paths } => {
            found.add_worktrees(here);
            for path in paths {
                found.add_given(path);
            }
            if found.workspaces.is_empty() && found.refused.is_empty() {
                found.refuse(here, "is in no git repository; give the paths to look at");
            }
        }
    }
    Discovery {
        event: Event::Discovered { at: clock::now(), workspaces: found.workspaces, refused: found.refused },
        worktree_folders: found.worktree_folders,
    }
}

struct Found<'a> {
    launch: &'a Launch,
    baselines: &'a BTreeMap<WorkspaceId, Baseline>,
    workspaces: Vec<FoundWorkspace>,
    known: HashSet<WorkspaceId>,
    refused: Vec<(PathBuf, String)>,
    worktree_folders: Vec<WatchTarget>,
}

impl<'a> Found<'a> {
    fn new(launch: &'a Launch, baselines: &'a BTreeMap<WorkspaceId, Baseline>) -> Found<'a> {
        Found {
            launch,
            baselines,
            workspaces: Vec::new(),
            known: HashSet::new(),
            refused: Vec::new(),
            worktree_folders: Vec::new(),
        }
    }

    /// All worktrees of the repository that `here` lies in.
    fn add_worktrees(&mut self, here: &Path) {
        match git::worktrees(here) {
            Ok(worktrees) => {
                if let Some(folder) = git::worktrees_folder(here) {
                    self.worktree_folders.extend(half_made(&folder));
                    self.worktree_folders.push(WatchTarget::new(folder, Names::Any, Parts::COMMITS));
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
            Ok(worktrees) => {
                let top = worktrees
                    .iter()
                    .filter(|worktree| resolved.starts_with(&worktree.path))
                    .max_by_key(|worktree| worktree.path.as_os_str().len());
                match top {
                    Some(worktree) => self.add(&worktree.path.clone(), true),
                    None => self.refuse(path, "is a bare repository or a git folder; give a work tree of it"),
                }
            }
            Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => self.add(&resolved, false),
            // Something of a repository is there: let the collection say on its row what is wrong.
            Err(_) => self.add(&resolved, true),
        }
    }

    fn add(&mut self, path: &Path, is_repository: bool) {
        let id = WorkspaceId::local(path);
        if !self.known.insert(id.clone()) {
            return;
        }
        let (settings, problems) = self.launch.config.for_workspace(path);
        let settings = overlaid(settings, &self.launch.overlay, is_repository);
        let problem = (!problems.is_empty()).then(|| problems.join("; "));
        let baseline = self.baselines.get(&id).cloned();
        self.workspaces.push(FoundWorkspace { id, settings, baseline, problem });
    }

    fn refuse(&mut self, path: &Path, reason: &str) {
        self.refused.push((path.to_owned(), display_text::line(reason).into_owned()));
    }
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

fn overlaid(settings: WorkspaceSettings, overlay: &Overlay, is_repository: bool) -> WorkspaceSettings {
    let default_kind = if is_repository { TaskKind::Implementation } else { TaskKind::ReadInfo };
    WorkspaceSettings {
        task_kind: Some(settings.task_kind.unwrap_or(default_kind)),
        check_id: overlay.check_id.clone(),
        own_session: overlay.own_session.clone(),
        decision_file: overlay.decision_file.clone().or(settings.decision_file),
        outputs: if overlay.outputs.is_empty() { settings.outputs } else { overlay.outputs.clone() },
        ..settings
    }
}
