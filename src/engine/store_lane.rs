//! The lane beside the loop for what is remembered: each record waits for the disk, and they are many at a
//! first start.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::live::Arrival;
use crate::store::{Store, StoreError};

/// The lane. One record at a time is written.
pub(super) struct StoreLane {
    store: Option<Store>,
    sender: UnboundedSender<Arrival>,
    lane: Arc<Semaphore>,
}

impl StoreLane {
    /// A lane to `store`; without one nothing is remembered.
    pub(super) fn new(store: Option<Store>, sender: UnboundedSender<Arrival>) -> StoreLane {
        StoreLane { store, sender, lane: Arc::new(Semaphore::new(1)) }
    }

    /// Writes beside the loop; what cannot be written is told. Needs the runtime.
    pub(super) fn write(&self, write: impl FnOnce(&Store) -> Result<(), StoreError> + Send + 'static) {
        let Some(store) = self.store.clone() else { return };
        let (sender, lane) = (self.sender.clone(), Arc::clone(&self.lane));
        tokio::spawn(async move {
            let _lane = lane.acquire().await.ok();
            let work = spawn_blocking(move || write(&store));
            if let Ok(Err(error)) = work.await {
                let _ = sender.send(Arrival::Notice(error.to_string()));
            }
        });
    }
}
