//! What the engine's loop is told by the work beside it.

use std::collections::BTreeMap;

use crate::model::{Event, RunEnd, RunView, Timestamp, WatchTarget, WorkspaceId};

/// What comes back from work beside the loop.
pub(super) enum EngineEvent {
    Event(Event),
    Discovery(Option<Box<Discovered>>),
    DiscoveryBroke(String),
    /// The last supervised runs.
    Runs(Runs),
    Notice(String),
}

/// What a discovery brought.
#[derive(Debug)]
pub(super) struct Discovered {
    pub(super) event: Event,
    pub(super) targets: Vec<WatchTarget>,
    pub(super) problems: Vec<String>,
    pub(super) took_ms: u64,
    /// When it began to look.
    pub(super) began_at: Timestamp,
}

/// What is known of supervised runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Those that are alive, each with its workspace.
    pub(super) alive: BTreeMap<WorkspaceId, RunView>,
    /// How the last one ended, where that was by a limit.
    pub(super) ended: BTreeMap<WorkspaceId, RunEnd>,
}
