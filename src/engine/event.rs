//! The messages that work beside the loop sends to the engine's loop. No rule is here.

use std::collections::BTreeMap;

use crate::model::{Event, RunEnd, RunView, Timestamp, WatchTarget, WorkspaceId};

pub(super) enum EngineEvent {
    Event(Event),
    Discovery(Option<Box<Discovered>>),
    DiscoveryBroke(String),
    /// The last supervised run of each workspace.
    Runs(Runs),
    Notice(String),
}

#[derive(Debug)]
pub(super) struct Discovered {
    pub(super) event: Event,
    pub(super) targets: Vec<WatchTarget>,
    pub(super) problems: Vec<String>,
    pub(super) took_ms: u64,
    /// When the discovery began to read.
    pub(super) began_at: Timestamp,
}

/// What is known about supervised runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Live runs, by workspace.
    pub(super) alive: BTreeMap<WorkspaceId, RunView>,
    /// How the last run of a workspace ended, if a limit ended it.
    pub(super) ended: BTreeMap<WorkspaceId, RunEnd>,
}
