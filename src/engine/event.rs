//! What the engine's loop is told by the work beside it.

use super::live_runs::Runs;
use crate::model::{Event, Timestamp, WatchTarget};

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
