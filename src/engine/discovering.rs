//! Discovery beside the loop: one at a time, spaced by what it costs, and watched for what it would find
//! anew (new worktrees, new sessions).

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::event::{Discovered, EngineEvent};
use super::recall::recall;
use super::watching::Watching;
use super::{EngineConfig, clock, discover};
use crate::agent::{self, Memories};
use crate::model::{Event, Timestamp, WatchTarget, WorkspaceId};
use crate::store::{Store, hook_log};

/// After a discovery the next one waits so many times what it took: an agent that writes all the time
/// to a place where sessions show may not keep the machine busy.
const SPACING: u64 = 10;
/// Events of hooks in files that were not written to for so long are forgotten, in milliseconds: a week.
const EVENTS_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// The beginning of the path of an id that stands for a folder of discovery's.
const STAND_IN: &str = "discovery";

/// The discoveries of one engine.
#[derive(Debug)]
pub(super) struct Discovering {
    config: Arc<EngineConfig>,
    store: Option<Store>,
    sender: UnboundedSender<EngineEvent>,
    surveyed: Arc<Mutex<Memories>>,
    /// Whether workspaces in which only old sessions are, are found.
    pub(super) with_older: bool,
    is_running: bool,
    /// Whether one was started: the first one brings what is needed once.
    has_begun: bool,
    /// Wanted again while one runs.
    again: Option<Trigger>,
    pause: Duration,
    /// What is watched, by folder.
    watched: BTreeMap<PathBuf, Vec<WatchTarget>>,
    /// What could not be read and was told, so that it is told once as long as it stays so.
    reported: Vec<String>,
}

/// Why a discovery is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Everything is to be looked at.
    Asked,
    /// Something changed in this folder, which may be no news.
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
            reported: Vec::new(),
        }
    }

    /// The folder that an id stands for, if it is one of discovery's.
    pub(super) fn folder_of(id: &WorkspaceId) -> Option<PathBuf> {
        id.path().strip_prefix(STAND_IN).ok().map(|below| Path::new("/").join(below))
    }

    /// Stands for `folder` where a watch asks for a workspace. The path of a workspace is absolute, and
    /// this one is not.
    pub(super) fn stand_in(folder: &Path) -> WorkspaceId {
        let below: PathBuf = folder.components().filter(|part| *part != Component::RootDir).collect();
        WorkspaceId::local(Path::new(STAND_IN).join(below))
    }

    /// Starts one, or has the one that runs followed by another. Needs the runtime.
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
                let began = clock::now();
                let mut memory = surveyed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Trigger::Changed(folder) = trigger
                    && !agent::is_news(&config.adapters, &folder, &mut memory)
                {
                    return None;
                }
                if let Some(store) = &store {
                    hook_log::forget_before(store.folder(), began.plus_millis(-EVENTS_KEPT_MS));
                }
                let mut found = discover::discover(&config, with_older, &mut memory);
                recall(store.as_ref(), &mut found.workspaces, is_first, &mut |notice| {
                    let _ = tell.send(EngineEvent::Notice(notice));
                });
                Some(Box::new(Discovered {
                    targets: std::mem::take(&mut found.folders),
                    problems: std::mem::take(&mut found.problems),
                    event: found.event(),
                    began_at: began,
                    took_ms: clock::now().millis_since(began).unsigned_abs(),
                }))
            });
            // When nobody receives, the engine has ended.
            let _ = sender.send(match work.await {
                Ok(found) => EngineEvent::Discovery(found),
                Err(error) => EngineEvent::DiscoveryBroke(format!("a defect in closeout: {error}")),
            });
        });
    }

    /// One has ended: watches for what it would find anew, and gives its event. `None` when what was
    /// heard was no news.
    pub(super) fn ended(
        &mut self,
        found: Option<Box<Discovered>>,
        watching: Option<&Watching>,
    ) -> Option<Event> {
        self.is_running = false;
        let event = found.map(|found| {
            self.pause = Duration::from_millis(found.took_ms.saturating_mul(SPACING));
            // A repository that cannot be read now is still watched for new worktrees.
            if let Some(watching) = watching
                && !found.targets.is_empty()
            {
                self.watch(found.targets, found.began_at, watching);
            }
            for problem in found.problems.iter().filter(|problem| !self.reported.contains(problem)) {
                let _ = self.sender.send(EngineEvent::Notice(problem.clone()));
            }
            self.reported = found.problems;
            found.event
        });
        self.start_next_survey();
        event
    }

    /// What was not watched before is sighted once, so what happened between the look and the watch is
    /// not missed.
    fn watch(&mut self, targets: Vec<WatchTarget>, read_at: Timestamp, watching: &Watching) {
        let mut wanted: BTreeMap<PathBuf, Vec<WatchTarget>> = BTreeMap::new();
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

    /// One has ended without an answer.
    pub(super) fn broke(&mut self) {
        self.is_running = false;
        // What broke it is likely still there.
        self.pause = Duration::from_secs(1);
        self.start_next_survey();
    }

    fn start_next_survey(&mut self) {
        if let Some(trigger) = self.again.take() {
            self.start(trigger);
        }
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
