//! Finds the supervised runs that are alive. Their folder is watched together with discovery's folders; the
//! kernel reports the end of each process, since a killed run writes nothing.

use std::collections::BTreeSet;
use std::path::Path;

use tokio::sync::mpsc::UnboundedSender;

use super::event::{EngineEvent, Runs};
use super::folder_reader::FolderReader;
use crate::agent::{process_stat, processes};
use crate::model::{Names, Parts, ProcessId, RunEnd, RunView, SupervisedRun, WatchTarget, WorkspaceId};
use crate::store::{LastRuns, Store};

/// The last run of each workspace. Excludes the run inside which this process works: that work is judged by
/// the run itself, or by an agent that it waits for.
pub(super) fn read(store: &Store) -> Runs {
    let LastRuns { alive, over } = store.last_runs().unwrap_or_else(|error| {
        tracing::warn!("{error}");
        LastRuns::default()
    });
    let is_own = |run: &SupervisedRun| processes::is_below(std::process::id(), run.pid);
    Runs {
        alive: alive.into_iter().filter(|(_, run)| !is_own(run)).map(|(id, run)| (id, view(run))).collect(),
        ended: over.iter().filter_map(|(id, run)| Some((id.clone(), RunEnd::of(run)?))).collect(),
        over,
    }
}

fn view(run: SupervisedRun) -> RunView {
    let process = process_stat::read(run.pid).ok();
    let process = process.map(|stat| ProcessId { pid: run.pid, started_at: stat.started_at });
    RunView::of(run, process)
}

/// Watches for runs that begin, change or end.
pub(super) fn target(store: &Store) -> WatchTarget {
    WatchTarget::new(store.runs_folder(), Names::Ending(".json".to_owned()), Parts::WORDS)
}

/// Reads runs for one engine.
#[derive(Debug)]
pub(super) struct LiveRuns {
    reader: FolderReader,
    /// The runs that are alive, and those that are over.
    known: (BTreeSet<WorkspaceId>, BTreeSet<String>),
}

impl LiveRuns {
    pub(super) fn new(store: Option<Store>, sender: UnboundedSender<EngineEvent>) -> LiveRuns {
        LiveRuns {
            reader: FolderReader::new(store, Store::runs_folder, sender),
            known: (BTreeSet::new(), BTreeSet::new()),
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.reader.folder()
    }

    /// Starts a reading beside the loop. Requires the tokio runtime.
    pub(super) fn read(&mut self) {
        self.reader.read(read, EngineEvent::Runs);
    }

    /// Handles the end of a reading. Returns whether runs began or ended, so that workspaces may come or go.
    pub(super) fn ended(&mut self, runs: &Runs) -> bool {
        if self.reader.ended() {
            self.read();
        }
        let over = runs.over.values().map(|run| run.id.clone()).collect();
        let now = (runs.alive.keys().cloned().collect(), over);
        let is_news = now != self.known;
        self.known = now;
        is_news
    }
}
