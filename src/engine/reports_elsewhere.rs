//! Notices what other closeouts keep of the workspaces: a person's marks, what agents answered, results of checks.
//! The folder is watched together with discovery's folders; of its files only those that changed are read.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::UnboundedSender;

use super::clock;
use super::event::EngineEvent;
use super::folder_reader::FolderReader;
use crate::model::{Event, Names, Parts, WatchTarget, WorkspaceId};
use crate::store::{ReportStamps, Store};

/// Watches for reports that are kept.
pub(super) fn target(store: &Store) -> WatchTarget {
    WatchTarget::new(store.reports_folder(), Names::Ending(".json".to_owned()), Parts::WORDS)
}

/// Reads reports for one engine.
#[derive(Debug)]
pub(super) struct ReportsElsewhere {
    reader: FolderReader,
    workspaces: Vec<WorkspaceId>,
    stamps: Arc<Mutex<ReportStamps>>,
}

impl ReportsElsewhere {
    pub(super) fn new(store: Option<Store>, sender: UnboundedSender<EngineEvent>) -> ReportsElsewhere {
        let reader = FolderReader::new(store, Store::reports_folder, sender);
        ReportsElsewhere { reader, workspaces: Vec::new(), stamps: Arc::default() }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.reader.folder()
    }

    /// The reports that need not be read again.
    pub(super) fn stamps(&self) -> Arc<Mutex<ReportStamps>> {
        Arc::clone(&self.stamps)
    }

    /// Discovery found these workspaces, and read their reports.
    pub(super) fn know(&mut self, event: &Event) {
        if let Event::Discovered { workspaces, .. } = event {
            self.workspaces = workspaces.iter().map(|found| found.id.clone()).collect();
        }
    }

    /// Starts a reading beside the loop. Requires the tokio runtime.
    pub(super) fn read(&mut self) {
        let (stamps, workspaces) = (Arc::clone(&self.stamps), self.workspaces.clone());
        let reading = move |store: &Store| store.changed_reports(&workspaces, &stamps);
        let event = |reports| EngineEvent::Event(Event::Reported { at: clock::now(), reports });
        self.reader.read(reading, event);
    }

    /// Handles the end of a reading.
    pub(super) fn on_event(&mut self, event: &Event) {
        if matches!(event, Event::Reported { .. }) && self.reader.ended() {
            self.read();
        }
    }
}
