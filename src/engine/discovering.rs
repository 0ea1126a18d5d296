//! Runs discovery beside the loop: one at a time, spaced by its cost, and again when new worktrees or
//! sessions may have appeared.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::discover::discover;
use super::event::{Discovery, EngineEvent};
use super::recall::recall;
use super::watching::Watching;
use super::{EngineConfig, clock};
use crate::agent::{self, Memories};
use crate::model::{Event, Timestamp, WatchTarget, WorkspaceId};
use crate::store::{Store, hook_log};

/// The pause after a discovery, as a multiple of its duration: an agent that keeps writing to a watched
/// folder must not keep the machine busy.
const SPACING: u64 = 10;
/// How long hook events are kept after the last write to their file, in milliseconds: a week.
const EVENTS_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// The first path component of ids that stand for discovery's watched folders.
const STAND_IN: &str = "discovery";

#[derive(Debug)]
pub(super) struct Discovering {
    config: Arc<EngineConfig>,
    store: Option<Store>,
    sender: UnboundedSender<EngineEvent>,
    surveyed: Arc<Mutex<Memories>>,
    /// Whether to include workspaces that have only old sessions.
    pub(super) with_older: bool,
    is_running: bool,
    /// Whether a discovery was ever started: the first one also loads what is needed only once.
    has_begun: bool,
    /// The discovery to start when the current one ends.
    again: Option<Trigger>,
    pause: Duration,
    /// The watched targets, by folder.
    watched: BTreeMap<Arc<Path>, Vec<WatchTarget>>,
    /// Why existing sessions cannot be read, as the last survey found it, as text for a person.
    pub(super) problems: Vec<String>,
}

/// Why a discovery is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Look at everything.
    Asked,
    /// Something changed in this folder; it may turn out to be irrelevant.
    Changed(PathBuf),
}

impl Discovering {
    pub(super) fn new(
        config: Arc<EngineConfig>,
        store: Option<Store>,
        sender: UnboundedSender<EngineEvent>,
    ) -> Discovering {
        Discovering {
            config,
            store,
            sender,
            surveyed: Arc::default(),
            with_older: false,
            is_running: false,
            has_begun: false,
            again: None,
            pause: Duration::ZERO,
            watched: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    /// The folder that `id` stands for, if it is a stand-in.
    pub(super) fn folder_of(id: &WorkspaceId) -> Option<PathBuf> {
        id.path().strip_prefix(STAND_IN).ok().map(|below| Path::new("/").join(below))
    }

    /// An id that stands for `folder` where a watch needs a workspace. Its path is relative, whereas a
    /// workspace's is absolute, so the two cannot be confused.
    pub(super) fn stand_in(folder: &Path) -> WorkspaceId {
        let below: PathBuf = folder.components().filter(|part| *part != Component::RootDir).collect();
        WorkspaceId::local(Path::new(STAND_IN).join(below))
    }

    /// Starts a discovery, or queues one if one is running. Requires the tokio runtime.
    pub(super) fn start(&mut self, trigger: Trigger) {
        if self.is_running {
            let is_same = self.again.as_ref().is_none_or(|again| *again == trigger);
            self.again = Some(if is_same { trigger } else { Trigger::Asked });
            return;
        }
        self.is_running = true;
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let (config, store) = (Arc::clone(&self.config), self.store.clone());
        let (sender, surveyed) = (self.sender.clone(), Arc::clone(&self.surveyed));
        let (with_older, pause) = (self.with_older, self.pause);
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let tell = sender.clone();
            let work = spawn_blocking(move || {
                let began_at = clock::now();
                let mut memory = surveyed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Trigger::Changed(folder) = trigger
                    && !agent::is_news(&config.adapters, &folder, &mut memory)
                {
                    return None;
                }
                if let Some(store) = &store {
                    hook_log::forget_before(store.folder(), began_at.plus_millis(-EVENTS_KEPT_MS));
                }
                let mut found = discover(&config, store.as_ref(), began_at, with_older, &mut memory);
                recall(store.as_ref(), &mut found.workspaces, is_first, &mut |notice| {
                    let _ = tell.send(EngineEvent::Notice(notice));
                });
                Some(Box::new(found))
            });
            let found = work.await.map_err(|error| format!("a defect in closeout: {error}"));
            // Sending fails only after the engine has ended.
            let _ = sender.send(EngineEvent::Discovery(found));
        });
    }

    /// Handles the end of a discovery: watches the folders it named and returns its event; `None` if the
    /// change was irrelevant.
    pub(super) fn ended(
        &mut self,
        found: Result<Option<Box<Discovery>>, String>,
        watching: Option<&Watching>,
    ) -> Result<Option<Event>, String> {
        self.is_running = false;
        if found.is_err() {
            // The cause is probably still there.
            self.pause = Duration::from_secs(1);
        }
        let event = found.map(|found| found.map(|found| self.answered(*found, watching)));
        if let Some(trigger) = self.again.take() {
            self.start(trigger);
        }
        event
    }

    fn answered(&mut self, mut found: Discovery, watching: Option<&Watching>) -> Event {
        let took_ms = clock::now().millis_since(found.began_at).max(0).unsigned_abs();
        self.pause = Duration::from_millis(took_ms.saturating_mul(SPACING));
        // Without folders the old watches stay, so that a repository that cannot be read now is still
        // watched for new worktrees.
        let folders = std::mem::take(&mut found.folders);
        if let Some(watching) = watching.filter(|_| !folders.is_empty()) {
            self.watch(folders, found.began_at, watching);
        }
        for problem in found.problems.iter().filter(|problem| !self.problems.contains(problem)) {
            tracing::warn!("{problem}");
        }
        self.problems = std::mem::take(&mut found.problems);
        found.event()
    }

    /// Replaces the watches. A new watch reports once what changed since `read_at`, so nothing is missed in
    /// between.
    fn watch(&mut self, targets: Vec<WatchTarget>, read_at: Timestamp, watching: &Watching) {
        let mut wanted: BTreeMap<Arc<Path>, Vec<WatchTarget>> = BTreeMap::new();
        for target in targets {
            wanted.entry(target.folder.clone()).or_default().push(target);
        }
        for (folder, targets) in &wanted {
            if self.watched.get(folder) != Some(targets) {
                watching.watch(Discovering::stand_in(folder), targets.clone(), read_at);
            }
        }
        for folder in self.watched.keys().filter(|folder| !wanted.contains_key(*folder)) {
            watching.watch(Discovering::stand_in(folder), Vec::new(), read_at);
        }
        self.watched = wanted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_discovery_is_never_taken_for_a_workspace_at_that_place() {
        let folder = Path::new("/home/user/.codex");
        let stand_in = Discovering::stand_in(folder);
        assert_ne!(stand_in, WorkspaceId::local(folder));
        assert_eq!(Discovering::folder_of(&stand_in).as_deref(), Some(folder));
        assert_eq!(Discovering::folder_of(&WorkspaceId::local(folder)), None);
    }
}
