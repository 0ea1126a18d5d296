//! The collections of [`super::Engine`], beside its loop, which waits for none of them: each answers with exactly one
//! event, and slow ones never occupy all lanes. What was read is kept for the workspace's next collection.
//!
//! It must not judge, and must not keep the loop waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::event::EngineEvent;
use super::suspicion::{self, SUSPECTED_AFTER_MS};
use super::{EngineConfig, clock, collect};
use crate::model::{CollectProblem, CollectRequest, Event, Parts, Timestamp, WorkspaceId};

/// The number of collections that run at once.
const N_LANES: usize = 2;
/// How many of these may be slow (large work trees), so that slow ones never occupy all lanes.
const N_SLOW_LANES: usize = 1;
/// A collection uses the slow lane if the workspace's last one took longer than this, in milliseconds.
const SLOW_ABOVE_MS: u32 = 20;

/// A workspace's cache between collections; empty while a collection is using it.
type MemorySlot = Arc<Mutex<Option<collect::Memory>>>;

pub(super) struct BackgroundCollections {
    config: Arc<EngineConfig>,
    sender: UnboundedSender<EngineEvent>,
    memories: HashMap<WorkspaceId, MemorySlot>,
    /// When the last collection of each workspace began, and how many milliseconds it took.
    last_read: HashMap<WorkspaceId, (Timestamp, u32)>,
    permits: Arc<Semaphore>,
    slow_permits: Arc<Semaphore>,
}

impl BackgroundCollections {
    pub(super) fn new(
        config: Arc<EngineConfig>,
        sender: UnboundedSender<EngineEvent>,
    ) -> BackgroundCollections {
        BackgroundCollections {
            config,
            sender,
            memories: HashMap::new(),
            last_read: HashMap::new(),
            permits: Arc::new(Semaphore::new(N_LANES)),
            slow_permits: Arc::new(Semaphore::new(N_SLOW_LANES)),
        }
    }

    /// Drops the cache of a workspace that is gone or no longer watched.
    pub(super) fn drop_memory(&mut self, workspace: &WorkspaceId) {
        self.memories.remove(workspace);
        self.last_read.remove(workspace);
    }

    /// Notes the start and the duration of a collection that has ended.
    pub(super) fn on_event(&mut self, event: &Event) {
        if let Event::Collected { at, workspace, took_ms, .. } = event {
            let began_at = at.plus_millis(-i64::from(*took_ms));
            self.last_read.insert(workspace.clone(), (began_at, *took_ms));
        }
    }

    /// When the last collection of a workspace began; time 0 if there was none.
    pub(super) fn read_at(&self, workspace: &WorkspaceId) -> Timestamp {
        self.last_read.get(workspace).map_or(Timestamp(0), |(began_at, _)| *began_at)
    }

    /// Starts a collection beside the loop, asked for when the clock read `seen`. Exactly one event comes back, even
    /// after a timeout or a panic.
    pub(super) fn start(&mut self, request: CollectRequest, seen: Timestamp) {
        let slot = Arc::clone(self.memories.entry(request.workspace.clone()).or_default());
        let is_slow = request.parts.contains(Parts::CHANGES)
            && self.last_read.get(&request.workspace).is_some_and(|(_, took_ms)| *took_ms > SLOW_ABOVE_MS);
        let (permits, slow_permits) = (Arc::clone(&self.permits), Arc::clone(&self.slow_permits));
        let config = Arc::clone(&self.config);
        let sender = self.sender.clone();
        tokio::spawn(async move {
            let wait = clock::wait_for(request.not_before, seen);
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            // Neither semaphore is ever closed; without a permit the collection would still run.
            let _slow = if is_slow { slow_permits.acquire().await.ok() } else { None };
            let _lane = permits.acquire().await.ok();
            let began = clock::now();
            let limit = config.collect_limit();
            let context = config.collect_context(began);
            let budget = context.budget.clone();
            let waits_in_vain = waits_in_vain(request.clone(), Arc::clone(&config));
            let work = {
                let request = request.clone();
                spawn_blocking(move || {
                    let mut memory = take(&slot);
                    let outcome = collect::perform(&request, &context, config.catalog, &mut memory);
                    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
                    outcome
                })
            };
            let given_up = tokio::time::timeout(limit, waits_in_vain);
            let outcome = tokio::select! {
                biased;
                done = work => done.unwrap_or_else(|error| Err(CollectProblem::Broke(error.to_string()))),
                // The thread is abandoned together with its cache; the next collection starts with an empty
                // one. Its programs end.
                _ = given_up => {
                    budget.close();
                    Err(CollectProblem::TimedOut)
                }
            };
            let _ = sender.send(EngineEvent::Event(collect::answer(&request, began, outcome)));
        });
    }
}

/// Returns once the reading, which has begun now, is found to wait for what never comes. Looks once, as soon as it is
/// suspected.
async fn waits_in_vain(request: CollectRequest, config: Arc<EngineConfig>) {
    tokio::time::sleep(Duration::from_millis(SUSPECTED_AFTER_MS.unsigned_abs())).await;
    let look = spawn_blocking(move || suspicion::waits_in_vain(&request, config.home.as_deref()));
    if !look.await.unwrap_or(false) {
        std::future::pending::<()>().await;
    }
}

fn take(slot: &MemorySlot) -> collect::Memory {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}
