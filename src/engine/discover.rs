//! Finds the workspaces: the worktrees of a repository, and the paths that were given. Reads a few
//! small files a workspace; starts no program and judges nothing.

use std::path::{Path, PathBuf};

use crate::agent::{self, Memories, Survey, SurveyAsk, hook_events};
use crate::evidence::git;
use crate::model::{Event, Timestamp, Unreadable, WatchTarget, display_text};

use super::found::{Found, top_of};
use super::recall::Recalled;
use super::session_folders::SessionFolders;
use super::{EngineConfig, Scope, clock};

/// What discovery found.
pub(super) struct Discovery {
    pub(super) event: Event,
    /// Where a new worktree or a new session would show, and where those that are being made become
    /// whole.
    pub(super) folders: Vec<WatchTarget>,
    /// Sessions that are there and cannot be read, in words.
    pub(super) problems: Vec<String>,
}

/// What discovery knows beside the config.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What earlier runs wrote down.
    pub(super) recalled: Recalled,
    /// Whether workspaces in which only old sessions are count.
    pub(super) with_older: bool,
}

/// Finds the workspaces of `config`.
pub(super) fn discover(config: &EngineConfig, known: &Known, memory: &mut Memories) -> Discovery {
    let at = clock::now();
    let mut found = Found::new(config, &known.recalled);
    let mut n_older_sessions = 0;
    let mut unreadable = Vec::new();
    match &config.scope {
        Scope::One(path) => {
            found.add_given(path);
            let only = found.workspaces.first().map(|workspace| workspace.id.path().to_owned());
            if let Some(path) = only {
                let survey = survey(config, at, known.with_older, Some(&path), memory);
                SessionFolders::new(config.home.as_deref()).assign(&survey.found, &mut found, false);
                unreadable = survey.problems;
            }
        }
        Scope::Worktrees { with_sessions, here, paths } => {
            found.add_worktrees(here);
            for path in paths {
                found.add_given(path);
            }
            let survey = survey(config, at, known.with_older, None, memory);
            SessionFolders::new(config.home.as_deref()).assign(&survey.found, &mut found, *with_sessions);
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
    config: &EngineConfig,
    at: Timestamp,
    with_older: bool,
    within: Option<&Path>,
    memory: &mut Memories,
) -> Survey {
    let fold_after_ms = i64::try_from(config.config.watch().fold_after_ms).unwrap_or(i64::MAX);
    let since = if with_older { Timestamp(0) } else { Timestamp(at.0.saturating_sub(fold_after_ms)) };
    let ask = SurveyAsk { since, within };
    let mut found = agent::survey(&config.adapters, &ask, memory);
    if let (Some(folder), false) = (config.hook_folder(), config.adapters.is_empty()) {
        hook_events::survey(&folder, &ask, memory, &mut found);
    }
    found
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
