//! Queues writes to the store beside the loop: each write waits for the disk, and a first start makes many.
//! It must not block the loop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinSet, spawn_blocking};

use super::clock;
use super::event::EngineEvent;
use crate::store::{Store, StoreError, StoreWrite};

/// While so many wait, more are about to come, as at a start with many workspaces.
const MANY: usize = 8;
/// How long those are waited for at a time.
const GATHERING: Duration = Duration::from_millis(50);

/// The queue. Writes that arrive together are written together, and wait for the disk once.
pub(super) struct StoreLane {
    store: Option<Store>,
    sender: UnboundedSender<EngineEvent>,
    lane: Arc<Semaphore>,
    waiting: Arc<Mutex<Vec<StoreWrite>>>,
    writing: JoinSet<()>,
    /// Nothing more will come.
    is_ending: Arc<AtomicBool>,
    has_tidied: bool,
}

impl StoreLane {
    /// A queue to `store`; without a store nothing is remembered.
    pub(super) fn new(store: Option<Store>, sender: UnboundedSender<EngineEvent>) -> StoreLane {
        StoreLane {
            store,
            sender,
            lane: Arc::new(Semaphore::new(1)),
            waiting: Arc::default(),
            writing: JoinSet::new(),
            is_ending: Arc::default(),
            has_tidied: false,
        }
    }

    /// Queues a write beside the loop; failures are reported as notices. Requires the tokio runtime.
    pub(super) fn write(&mut self, write: impl FnOnce(&Store) -> Result<(), StoreError> + Send + 'static) {
        let Some(store) = self.store.clone() else { return };
        let (sender, lane) = (self.sender.clone(), Arc::clone(&self.lane));
        let (waiting, is_ending) = (Arc::clone(&self.waiting), Arc::clone(&self.is_ending));
        waiting.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(write));
        while self.writing.try_join_next().is_some() {}
        self.writing.spawn(async move {
            let _lane = lane.acquire().await.ok();
            gather(&waiting, &is_ending).await;
            let writes = std::mem::take(&mut *waiting.lock().unwrap_or_else(PoisonError::into_inner));
            if writes.is_empty() {
                return;
            }
            for error in spawn_blocking(move || store.write_all(writes)).await.unwrap_or_default() {
                let _ = sender.send(EngineEvent::Notice(error.to_string()));
            }
        });
    }

    /// Deletes, once per run, what was stored about directories that have long been gone. It does not use the
    /// queue: it checks every directory, and one may lie on a disk that does not answer.
    pub(super) fn tidy(&mut self) {
        if std::mem::replace(&mut self.has_tidied, true) {
            return;
        }
        let Some(store) = self.store.clone() else { return };
        let sender = self.sender.clone();
        spawn_blocking(move || match store.forget_gone(clock::now()) {
            Ok(0) => {}
            Ok(n_forgotten) => {
                tracing::info!("forgot {n_forgotten} directories that have long been gone");
            }
            Err(error) => drop(sender.send(EngineEvent::Notice(error.to_string()))),
        });
    }

    /// Waits until everything queued is written. Cancel-safe.
    pub(super) async fn all_written(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        while self.writing.join_next().await.is_some() {}
    }
}

/// Waits while many writes come, a second at most.
async fn gather(waiting: &Mutex<Vec<StoreWrite>>, is_ending: &AtomicBool) {
    let mut n_before = 0;
    for _ in 0..20 {
        let n_now = waiting.lock().unwrap_or_else(PoisonError::into_inner).len();
        if n_now < MANY || n_now == n_before || is_ending.load(Ordering::Relaxed) {
            return;
        }
        n_before = n_now;
        tokio::time::sleep(GATHERING).await;
    }
}
