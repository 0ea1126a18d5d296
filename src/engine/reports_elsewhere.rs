//! Notices what other closeouts keep of the workspaces: a person's marks, what agents answered, results of checks.
//! The folder is watched together with discovery's folders; of its files only those that changed are read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::clock;
use super::event::EngineEvent;
use crate::model::{Event, Names, Parts, WatchTarget, WorkspaceId};
use crate::store::{ReportStamps, Store};

/// Watches for reports that are kept.
pub(super) fn target(store: &Store) -> WatchTarget {
    WatchTarget::new(store.reports_folder(), Names::Ending(".json".to_owned()), Parts::WORDS)
}

/// Reads reports for one engine: one reading at a time, and another if something changed meanwhile.
#[derive(Debug)]
pub(super) struct ReportsElsewhere {
    store: Option<Store>,
    sender: UnboundedSender<EngineEvent>,
    folder: Option<PathBuf>,
    workspaces: Vec<WorkspaceId>,
    stamps: Arc<Mutex<ReportStamps>>,
    is_reading: bool,
    again: bool,
}

impl ReportsElsewhere {
    pub(super) fn new(store: Option<Store>, sender: UnboundedSender<EngineEvent>) -> ReportsElsewhere {
        let folder = store.as_ref().map(Store::reports_folder);
        ReportsElsewhere {
            store,
            sender,
            folder,
            workspaces: Vec::new(),
            stamps: Arc::default(),
            is_reading: false,
            again: false,
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Discovery found these workspaces, and read their reports.
    pub(super) fn know(&mut self, event: &Event) {
        if let Event::Discovered { workspaces, .. } = event {
            self.workspaces = workspaces.iter().map(|found| found.id.clone()).collect();
        }
    }

    /// Starts a reading beside the loop. Requires the tokio runtime.
    pub(super) fn read(&mut self) {
        let Some(store) = self.store.clone() else { return };
        if self.is_reading {
            self.again = true;
            return;
        }
        self.is_reading = true;
        let (sender, stamps, workspaces) =
            (self.sender.clone(), Arc::clone(&self.stamps), self.workspaces.clone());
        tokio::spawn(async move {
            let read = spawn_blocking(move || {
                let mut stamps = stamps.lock().unwrap_or_else(PoisonError::into_inner);
                store.changed_reports(&workspaces, &mut stamps)
            });
            let reports = read.await.unwrap_or_default();
            let event = Event::Reported { at: clock::now(), reports };
            // Sending fails only after the engine has ended.
            let _ = sender.send(EngineEvent::Event(event));
        });
    }

    /// Handles the end of a reading.
    pub(super) fn hear(&mut self, event: &Event) {
        if matches!(event, Event::Reported { .. }) {
            self.is_reading = false;
            if std::mem::take(&mut self.again) {
                self.read();
            }
        }
    }
}
