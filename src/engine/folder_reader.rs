//! Reads a folder of closeout's own state beside the loop: one reading at a time, and another if something changed
//! meanwhile, after a rest: during a start each workspace's file changes. What is read is up to the caller.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::event::EngineEvent;
use crate::store::Store;

/// The rest between two readings, seen by nobody.
const REST: Duration = Duration::from_millis(50);

/// The reader of one folder.
#[derive(Debug)]
pub(super) struct FolderReader {
    store: Option<Store>,
    folder: Option<PathBuf>,
    sender: UnboundedSender<EngineEvent>,
    is_reading: bool,
    is_outdated: bool,
    /// The last reading was due while another one ran.
    is_restless: bool,
}

impl FolderReader {
    /// A reader of `folder` in this store; without a store it reads nothing.
    pub(super) fn new(
        store: Option<Store>,
        folder: fn(&Store) -> PathBuf,
        sender: UnboundedSender<EngineEvent>,
    ) -> FolderReader {
        let folder = store.as_ref().map(folder);
        FolderReader { store, folder, sender, is_reading: false, is_outdated: false, is_restless: false }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Starts a reading, which ends with its event, or notes that another is due. A reading that panics found
    /// nothing. Requires the tokio runtime.
    pub(super) fn read<T: Default + Send + 'static>(
        &mut self,
        reading: impl FnOnce(&Store) -> T + Send + 'static,
        event: impl FnOnce(T) -> EngineEvent + Send + 'static,
    ) {
        let Some(store) = self.store.clone() else { return };
        if self.is_reading {
            self.is_outdated = true;
            return;
        }
        self.is_reading = true;
        let sender = self.sender.clone();
        let rest = std::mem::take(&mut self.is_restless).then_some(REST);
        tokio::spawn(async move {
            if let Some(rest) = rest {
                tokio::time::sleep(rest).await;
            }
            let found = spawn_blocking(move || reading(&store)).await.unwrap_or_default();
            // Sending fails only after the engine has ended.
            let _ = sender.send(event(found));
        });
    }

    /// A reading has ended. Returns true if another is due.
    pub(super) fn ended(&mut self) -> bool {
        self.is_reading = false;
        self.is_restless = std::mem::take(&mut self.is_outdated);
        self.is_restless
    }
}
