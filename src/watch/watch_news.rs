//! What this room reports to its owner. Plain data, without times or paths.

use std::collections::BTreeMap;

use crate::model::{Parts, WatchProblem, WorkspaceId};

/// What the watcher's owner must know. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchNews {
    /// The system lost events: every workspace may have changed.
    pub is_lossy: bool,
    /// A folder appeared, disappeared or was replaced, or events were lost. Call [`super::Watcher::rearm`] soon,
    /// on a thread that may wait for the disk and is not the one that sent this.
    pub must_rearm: bool,
    /// The workspaces that can be fully watched again (`None`), or no longer. Sent only on a change.
    pub problems: BTreeMap<WorkspaceId, Option<WatchProblem>>,
    /// The parts of workspaces that may have changed: an event was seen, or could have been missed.
    pub changed: BTreeMap<WorkspaceId, Parts>,
}

impl WatchNews {
    /// Parts of one workspace may have changed.
    pub fn changed(workspace: WorkspaceId, parts: Parts) -> WatchNews {
        WatchNews { changed: BTreeMap::from([(workspace, parts)]), ..WatchNews::default() }
    }

    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        *self == WatchNews::default()
    }

    /// Adds later news.
    pub(super) fn add(&mut self, later: WatchNews) {
        self.is_lossy |= later.is_lossy;
        self.must_rearm |= later.must_rearm;
        self.problems.extend(later.problems);
        for (workspace, parts) in later.changed {
            *self.changed.entry(workspace).or_default() |= parts;
        }
    }
}
