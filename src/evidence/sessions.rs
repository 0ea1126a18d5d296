//! The sessions of a workspace: what their records say, and what other sources report about them.

use std::path::{Path, PathBuf};

use super::ending_turn;
use super::live_facts::{self, LiveMemory, LiveSources};
use crate::agent::hook_events::{HookReader, is_own_place};
use crate::agent::{self, Adapter, Memories};
use crate::model::{
    CollectRequest, EndingTurn, LiveStatus, Observations, Reading, SessionId, SessionObservation,
    SessionOrigin, SessionPlace, StatusReport, Timestamp, WatchTarget,
};

/// State kept between collections. Losing it costs time and some certainty.
#[derive(Debug, Default)]
pub(super) struct Memory {
    records: Memories,
    hooks: HookReader,
    live: LiveMemory,
    /// What agents keep inside the workspace, as of the last read: records and status files, which are no work.
    pub(super) kept_here: Vec<PathBuf>,
}

impl Memory {
    /// For a collection right after that of another workspace: what agents keep for all workspaces is not read again.
    pub(super) fn after(before: Memory) -> Memory {
        Memory { records: before.records, ..Memory::default() }
    }
}

/// The sources for sessions, and the time of the collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionSources<'a> {
    /// The agents.
    pub(super) adapters: &'a [Adapter],
    /// Where hooks leave their events.
    pub(super) hook_folder: Option<&'a Path>,
    /// Processes and panes.
    pub(super) live: Option<&'a LiveSources>,
    /// The turn that is ending now.
    pub(super) ending: Option<&'a EndingTurn>,
    /// When the collection started.
    pub(super) now: Timestamp,
}

/// Reads the sessions into `found` and returns where changes to them would show.
pub(super) fn read_sessions(
    request: &CollectRequest,
    sources: &SessionSources<'_>,
    memory: &mut Memory,
    found: &mut Observations,
) -> Vec<WatchTarget> {
    if sources.adapters.is_empty() {
        found.session = Reading::NotConfigured;
        return Vec::new();
    }
    let workspace = request.workspace.path();
    let hook_folder = sources.hook_folder;
    let is_of_hooks = |place: &&SessionPlace| hook_folder.is_some_and(|folder| is_own_place(folder, place));
    // A session known only by its hook events has no record for an adapter to read.
    let (of_hooks, of_records): (Vec<&SessionPlace>, Vec<&SessionPlace>) =
        request.sessions.iter().partition(is_of_hooks);
    let places: Vec<SessionPlace> = of_records.into_iter().cloned().collect();
    let mut read = agent::sessions(sources.adapters, workspace, &places, &mut memory.records);
    if let Some(folder) = hook_folder {
        let targets = memory.hooks.tell(folder, &of_hooks, &mut read.sessions);
        read.watch_targets.extend(targets);
    }
    for session in &mut read.sessions {
        session.end_by_reported_error();
    }
    if let Some(live) = sources.live {
        found.recheck_at = live_facts::tell(&mut read.sessions, request, live, sources.now, &mut memory.live);
    }
    if let Some(ending) = sources.ending {
        ending_turn::end(ending, &mut read.sessions, sources.now);
    }
    let records = request.sessions.iter().map(|place| place.record.clone());
    memory.kept_here = records.chain(read.kept_here).filter(|path| path.starts_with(workspace)).collect();
    let mut sessions = in_order(read.sessions).into_iter();
    found.n_unread_sessions = read.n_unread;
    found.session = match (sessions.next(), read.trouble.into_iter().next()) {
        (Some(newest), trouble) => {
            found.unreadable_session = trouble;
            Reading::Present(newest)
        }
        (None, Some(unreadable)) => Reading::Unreadable(unreadable),
        (None, None) => Reading::Absent { name: "session".to_owned() },
    };
    found.other_sessions = sessions.collect();
    read.watch_targets
}

/// Orders sessions by whose words count, the newest first. A headless session that is over comes after live
/// ones, because those are what a user can still reply to. A fork that nobody continues comes after its
/// original: it was only a look into that session.
fn in_order(sessions: Vec<SessionObservation>) -> Vec<SessionObservation> {
    let ids: Vec<SessionId> = sessions.iter().map(|session| session.session_id.clone()).collect();
    let is_over = |session: &SessionObservation| {
        let is_told = |word: &StatusReport| matches!(word.status, LiveStatus::Ended | LiveStatus::Gone);
        session.process.is_none() || session.live.iter().any(is_told)
    };
    let has_living = sessions.iter().any(|session| !is_over(session));
    let comes_after = |session: &SessionObservation| match &session.origin {
        SessionOrigin::Fork { of: Some(original) } => is_over(session) && ids.contains(original),
        SessionOrigin::Headless => has_living && is_over(session),
        SessionOrigin::Fork { of: None } | SessionOrigin::Person | SessionOrigin::Unknown => false,
    };
    let (after, mut first): (Vec<_>, Vec<_>) = sessions.into_iter().partition(comes_after);
    first.extend(after);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActivitySource, ProcessId};

    fn session(id: &str, origin: SessionOrigin) -> SessionObservation {
        SessionObservation { origin, ..SessionObservation::named("claude", id) }
    }

    fn ids(sessions: Vec<SessionObservation>) -> Vec<SessionId> {
        in_order(sessions).into_iter().map(|session| session.session_id).collect()
    }

    #[test]
    fn a_copy_that_was_left_does_not_speak_for_its_original() {
        let fork = |of: &str| SessionOrigin::Fork { of: Some(of.into()) };
        let process = Some(ProcessId { pid: 1, started_at: 1 });
        let original = session("original", SessionOrigin::Person);
        let left = session("left", fork("original"));
        assert_eq!(ids(vec![left.clone(), original.clone()]), ["original", "left"]);
        let gone_on_with = SessionObservation { process, ..left.clone() };
        assert_eq!(ids(vec![gone_on_with.clone(), original.clone()]), ["left", "original"]);
        let word = StatusReport {
            source: ActivitySource::Registry,
            status: LiveStatus::Ended,
            since: None,
            reported_at: None,
            what: None,
        };
        let ended = SessionObservation { live: vec![word], ..gone_on_with };
        assert_eq!(ids(vec![ended, original.clone()]), ["original", "left"]);
        let headless = session("headless", SessionOrigin::Headless);
        let living = SessionObservation { process, ..original.clone() };
        assert_eq!(ids(vec![headless.clone(), living]), ["original", "headless"]);
        assert_eq!(ids(vec![headless, original.clone()]), ["headless", "original"]);
        // Its original is not here, so it is all there is.
        assert_eq!(ids(vec![session("left", fork("elsewhere")), original]), ["left", "original"]);
    }
}
