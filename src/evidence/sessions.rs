//! The sessions of a workspace: what their records tell, and what is told of them beside their records.

use super::collect::Surroundings;
use super::live_facts::{self, LiveMemory};
use crate::agent::{self, SessionMemory};
use crate::model::{CollectRequest, Observations, Reading, WatchTarget};

/// Reads the sessions into `found`, and tells where changes of them would show.
pub(super) fn read_sessions(
    request: &CollectRequest,
    surroundings: &Surroundings,
    memory: &mut SessionMemory,
    live_memory: &mut LiveMemory,
    found: &mut Observations,
) -> Vec<WatchTarget> {
    if surroundings.adapters.is_empty() {
        found.session = Reading::NotConfigured;
        return Vec::new();
    }
    let workspace = request.workspace.path();
    let mut read = agent::sessions(&surroundings.adapters, workspace, &request.sessions, memory);
    if let Some(live) = &surroundings.live {
        found.look_again_at =
            live_facts::tell(&mut read.sessions, request, live, surroundings.now, live_memory);
    }
    let mut sessions = read.sessions.into_iter();
    found.session = match (sessions.next(), read.trouble.into_iter().next()) {
        (Some(newest), _) => Reading::Present(newest),
        (None, Some(unreadable)) => Reading::Unreadable(unreadable),
        (None, None) => Reading::Absent { name: "session".to_owned() },
    };
    found.other_sessions = sessions.collect();
    read.watch_targets
}
