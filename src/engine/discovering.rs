//! Discovery beside the loop: one at a time, spaced by what it costs, and watched for what it would find
//! anew (new worktrees, new sessions).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::discover::{self, Known};
use super::live::Arrival;
use super::watching::Watching;
use super::{Launch, clock};
use crate::agent::SurveyMemory;
use crate::model::{Event, WatchTarget, WorkspaceId};
use crate::store::{Remembered, Store};

/// After a discovery the next one waits so many times what it took: an agent that writes all the time
/// to a place where sessions show may not keep the machine busy.
const SPACING: u64 = 10;

/// The discoveries of one engine.
#[derive(Debug)]
pub(super) struct Discovering {
    launch: Arc<Launch>,
    store: Option<Store>,
    sender: UnboundedSender<Arrival>,
    surveyed: Arc<Mutex<SurveyMemory>>,
    /// Whether workspaces in which only old sessions are, are found.
    pub(super) with_older: bool,
    is_running: bool,
    is_wanted_again: bool,
    pause: Duration,
    targets: Vec<WatchTarget>,
}

/// What a discovery brought.
#[derive(Debug)]
pub(super) struct Discovered {
    pub(super) event: Event,
    targets: Vec<WatchTarget>,
    took_ms: u64,
}

impl Discovering {
    pub(super) fn new(
        launch: Arc<Launch>,
        store: Option<Store>,
        sender: UnboundedSender<Arrival>,
    ) -> Discovering {
        Discovering {
            launch,
            store,
            sender,
            surveyed: Arc::default(),
            with_older: false,
            is_running: false,
            is_wanted_again: false,
            pause: Duration::ZERO,
            targets: Vec::new(),
        }
    }

    /// Stands for discovery where a watch asks for a workspace; no workspace has an empty path.
    pub(super) fn stand_in() -> WorkspaceId {
        WorkspaceId::local("")
    }

    /// Starts one, or has the one that runs followed by another. Needs the runtime.
    pub(super) fn start(&mut self) {
        if self.is_running {
            self.is_wanted_again = true;
            return;
        }
        self.is_running = true;
        let (launch, store) = (Arc::clone(&self.launch), self.store.clone());
        let (sender, surveyed) = (self.sender.clone(), Arc::clone(&self.surveyed));
        let (with_older, pause) = (self.with_older, self.pause);
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let tell = sender.clone();
            let work = spawn_blocking(move || {
                let began = clock::now();
                let remembered = remembered(store.as_ref(), &tell);
                let known = Known { baselines: remembered.baselines, with_older };
                let mut memory = surveyed.lock().unwrap_or_else(PoisonError::into_inner);
                let found = discover::discover(&launch, &known, &mut memory);
                Box::new(Discovered {
                    event: found.event,
                    targets: found.folders,
                    took_ms: clock::now().millis_since(began).unsigned_abs(),
                })
            });
            // When nobody receives, the engine has ended.
            let _ = sender.send(match work.await {
                Ok(found) => Arrival::Discovery(found),
                Err(error) => Arrival::DiscoveryBroke(format!("a defect in closeout: {error}")),
            });
        });
    }

    /// One has ended: watches for what it would find anew, and gives its event.
    pub(super) fn ended(&mut self, found: Discovered, watching: Option<&Watching>) -> Event {
        self.is_running = false;
        self.pause = Duration::from_millis(found.took_ms.saturating_mul(SPACING));
        // A repository that cannot be read now is still watched for new worktrees.
        if let Some(watching) = watching
            && !found.targets.is_empty()
            && found.targets != self.targets
        {
            self.targets = found.targets;
            watching.watch(Discovering::stand_in(), self.targets.clone());
        }
        self.go_on();
        found.event
    }

    /// One has ended without an answer.
    pub(super) fn broke(&mut self) {
        self.is_running = false;
        // What broke it is likely still there.
        self.pause = Duration::from_secs(1);
        self.go_on();
    }

    fn go_on(&mut self) {
        if std::mem::take(&mut self.is_wanted_again) {
            self.start();
        }
    }
}

/// What earlier runs remembered; what is wrong with it is told.
fn remembered(store: Option<&Store>, sender: &UnboundedSender<Arrival>) -> Remembered {
    let tell = |notice: String| {
        let _ = sender.send(Arrival::Notice(notice));
    };
    let mut remembered = store.map(Store::baselines).transpose().unwrap_or_else(|error| {
        tell(error.to_string());
        None
    });
    let notices = remembered.as_mut().map(|remembered| std::mem::take(&mut remembered.notices));
    notices.into_iter().flatten().for_each(tell);
    remembered.unwrap_or_default()
}
