//! What processes and panes tell of sessions whose agents keep no registry: which process is a
//! session's, that none works on it any more, in which pane it is shown, and what the title there says.
//!
//! All of it is asked only when it can matter, and is shared by all workspaces. "Gone" is said only when
//! it is certain; what is not certain is not said.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::panes::PaneSource;
use crate::agent::panes::{ListedPane, pane_of};
use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::processes::{ProcessTable, Sought, tmux_socket};
use crate::agent::{built_in, facts_of};
use crate::disk;
use crate::model::{
    ActivitySource, CollectRequest, LiveStatus, Pane, ProcessId, SessionObservation, StatusReport, Timestamp,
    TurnState,
};

/// A table of processes that is younger is good enough to find a process in.
const FRESH_MS: i64 = 1000;
/// A record that grew this short a time ago may be followed by more, though no process of it was ever seen from here: it
/// may run in a container, a virtual machine or on another host. Longer, and an agent that was killed before anybody looked
/// would be at work for as long.
const UNSEEN_MS: i64 = 20_000;
/// So long after a record last grew in an open turn, the title of its pane is looked at. A prompt for a
/// permission shows with the line before it; nothing but the title tells of it.
const TITLE_LOOKS_MS: [i64; 4] = [250, 1000, 3000, 10_000];
/// An end that is not certain yet is looked at again after so long, and so often.
const END_AGAIN_MS: i64 = 1000;
const MOST_END_LOOKS: u32 = 5;

/// A process that was found in no pane is looked for again after so long.
const NO_PANE_MS: i64 = 60_000;

/// Where processes and panes are asked for; shared by all workspaces.
#[derive(Debug, Clone, Default)]
pub struct LiveSources {
    table: Arc<Mutex<Option<Taken>>>,
    /// tmux, where it is installed.
    pub panes: Option<PaneSource>,
}

/// The table of processes as it was at a moment.
type Taken = (Timestamp, Arc<ProcessTable>);

/// What is remembered of a workspace's sessions. Losing it costs time and some certainty.
#[derive(Debug, Default)]
pub struct LiveMemory {
    sessions: BTreeMap<(String, String), KnownProcess>,
}

/// What was seen of one session.
#[derive(Debug, Default)]
struct KnownProcess {
    process: Option<ProcessId>,
    /// The pane of that process, once looked for.
    pane: Option<Shown>,
    /// How often its end was looked at since the process was not found any more.
    n_end_looks: u32,
    /// When no process of it was found last.
    missed_at: Option<Timestamp>,
    /// Whether its record grew although no process was found: what writes it cannot be seen from here (a container,
    /// another machine), so that to find none proves nothing.
    is_hidden: bool,
}

/// Where a process is shown.
#[derive(Debug)]
struct Shown {
    process: ProcessId,
    pane: Option<Pane>,
    asked_at: Timestamp,
}

/// One look at the sessions of a workspace.
struct Look<'a> {
    sources: &'a LiveSources,
    work_tree: &'a Path,
    now: Timestamp,
    /// The earliest moment at which another look can tell more.
    again_at: Option<Timestamp>,
}

impl LiveSources {
    /// With tmux, where it is installed.
    pub fn new(panes: Option<PaneSource>) -> LiveSources {
        LiveSources { table: Arc::default(), panes }
    }

    /// The processes, not older than `max_age_ms`.
    fn table(&self, now: Timestamp, max_age_ms: i64) -> Arc<ProcessTable> {
        let mut known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, table)) = &*known
            && (0..max_age_ms).contains(&now.millis_since(*at))
        {
            return Arc::clone(table);
        }
        let table = Arc::new(ProcessTable::read());
        *known = Some((now, Arc::clone(&table)));
        table
    }
}

impl PartialEq for LiveSources {
    fn eq(&self, other: &LiveSources) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.panes == other.panes
    }
}

impl Eq for LiveSources {}

/// Adds what processes and panes tell to `sessions`, the newest of which is first. Tells when another
/// look can tell more though no record grows.
pub fn tell(
    sessions: &mut [SessionObservation],
    request: &CollectRequest,
    sources: &LiveSources,
    now: Timestamp,
    memory: &mut LiveMemory,
) -> Option<Timestamp> {
    let mut look = Look { sources, work_tree: request.workspace.path(), now, again_at: None };
    let mut before = std::mem::take(&mut memory.sessions);
    let mut newest: Vec<(String, PathBuf)> = Vec::new();
    for session in sessions {
        let key = (session.agent.clone(), session.session_id.clone());
        let mut seen = before.remove(&key).unwrap_or_default();
        let folder = folder_of(session, request);
        let place = (session.agent.clone(), folder);
        let is_newest = !newest.contains(&place);
        look.process(session, &place.1, is_newest, &mut seen);
        look.pane(session, &mut seen);
        look.title(session, &place.1);
        if session.process.is_some_and(is_stopped) {
            rest(session);
        }
        newest.push(place);
        memory.sessions.insert(key, seen);
    }
    look.again_at
}

/// The folder in which a session works, resolved where that can be done.
fn folder_of(session: &SessionObservation, request: &CollectRequest) -> PathBuf {
    let is_its = |place: &&crate::model::SessionPlace| {
        place.agent == session.agent && place.session_id == session.session_id
    };
    let begun_in = request.sessions.iter().find(is_its).map(|place| &place.folder);
    let folder = session.folder.as_ref().or(begun_in).map_or(request.workspace.path(), PathBuf::as_path);
    disk::resolve(folder).unwrap_or_else(|_| folder.to_owned())
}

fn is_open(session: &SessionObservation) -> bool {
    matches!(session.turn, TurnState::Open { .. })
}

fn is_stopped(process: ProcessId) -> bool {
    matches!(process_state(process), ProcessState::Alive(stat) if stat.is_stopped)
}

/// A process that is stopped works at nothing, whatever was told of it before: its turn stands in the middle.
fn rest(session: &mut SessionObservation) {
    session.live.retain(|word| !matches!(word.status, LiveStatus::Busy | LiveStatus::Background));
    if is_open(session) {
        session.turn = TurnState::Unknown;
    }
}

impl Look<'_> {
    fn revalidate(&mut self, at: Timestamp) {
        self.again_at = Some(self.again_at.map_or(at, |before| before.min(at)));
    }

    /// Its process, or that there is none any more. A registry knows better.
    fn process(
        &mut self,
        session: &mut SessionObservation,
        folder: &Path,
        is_newest: bool,
        seen: &mut KnownProcess,
    ) {
        let has_registry = session.live.iter().any(|word| word.source == ActivitySource::Registry);
        if has_registry || session.process.is_some() {
            return;
        }
        let sought = Sought {
            agent: &session.agent,
            session_id: &session.session_id,
            folder,
            is_newest,
            is_open: is_open(session),
            grew_at: session.written_at,
        };
        let found = self.find(&sought);
        if let Some(process) = found {
            *seen =
                KnownProcess { process: Some(process), pane: seen.pane.take(), ..KnownProcess::default() };
            session.process = found;
            return;
        }
        let was_seen = seen.process.is_some();
        let grew_since = |missed_at: Timestamp| session.written_at.is_some_and(|at| at > missed_at);
        seen.is_hidden |= !was_seen && seen.missed_at.is_some_and(grew_since);
        seen.missed_at = Some(self.now);
        if seen.is_hidden {
            return;
        }
        // A process that was seen is gone for sure, however lately the record grew.
        let quiet_at = session.written_at.map(|at| at.plus_millis(UNSEEN_MS)).filter(|at| *at > self.now);
        if let Some(quiet_at) = quiet_at
            && !was_seen
        {
            if sought.is_open {
                self.revalidate(quiet_at);
            }
            return;
        }
        let can_tell = was_seen || sought.is_open;
        let is_gone =
            can_tell && self.sources.table(self.now, 0).is_surely_gone(&sought, self.work_tree, was_seen);
        if is_gone {
            session.live.push(word(ActivitySource::Process, LiveStatus::Gone));
        } else if was_seen && seen.n_end_looks < MOST_END_LOOKS {
            seen.n_end_looks += 1;
            self.revalidate(self.now.plus_millis(END_AGAIN_MS));
        }
    }

    /// The session's process, if it lives at this very moment.
    fn find(&self, sought: &Sought<'_>) -> Option<ProcessId> {
        let lives = |process: &ProcessId| matches!(process_state(*process), ProcessState::Alive(_));
        let table = self.sources.table(self.now, FRESH_MS);
        let process = table.process_of(sought).map(|process| process.id)?;
        if lives(&process) {
            return Some(process);
        }
        let table = self.sources.table(self.now, 0);
        table.process_of(sought).map(|process| process.id).filter(lives)
    }

    /// The pane of its process, looked for once a process. A registry may name it without the server.
    fn pane(&self, session: &mut SessionObservation, seen: &mut KnownProcess) {
        let (Some(panes), Some(process)) = (&self.sources.panes, session.process) else { return };
        let is_known = |shown: &Shown| {
            let age_ms = self.now.millis_since(shown.asked_at);
            shown.process == process && (shown.pane.is_some() || (0..NO_PANE_MS).contains(&age_ms))
        };
        let shown = seen.pane.take().filter(is_known).unwrap_or_else(|| Shown {
            process,
            pane: self.pane_of(panes, process),
            asked_at: self.now,
        });
        if shown.pane.is_some() {
            session.pane.clone_from(&shown.pane);
        }
        seen.pane = Some(shown);
    }

    fn pane_of(&self, panes: &PaneSource, process: ProcessId) -> Option<Pane> {
        let mut sockets = panes.usual_sockets();
        sockets.extend(tmux_socket(process).filter(|socket| !panes.usual_sockets().contains(socket)));
        sockets.into_iter().find_map(|socket| {
            let listed = panes.panes(&socket, self.now);
            let id = pane_of(&listed, process)?.id.clone();
            Some(Pane { socket: panes.name_of(&socket), id })
        })
    }

    /// An end that was just read may be the middle of a turn: whether a call follows shows a moment later.
    fn hold_back_end(&mut self, session: &mut SessionObservation) {
        let (TurnState::Ended { at }, Some(grew_at), Some(_)) =
            (&session.turn, session.written_at, session.process)
        else {
            return;
        };
        let settled_at = grew_at.plus_millis(TITLE_LOOKS_MS[0]);
        if self.now < settled_at {
            session.turn = TurnState::Open { since: *at, tool: None, what: None };
            self.revalidate(settled_at);
        }
    }

    /// What the title of its pane says of an open turn that no better source tells of.
    fn title(&mut self, session: &mut SessionObservation, folder: &Path) {
        let since = match session.turn {
            TurnState::Open { since, .. } => since,
            TurnState::Ended { at } if facts_of(&session.agent).hides_open_calls => {
                self.hold_back_end(session);
                at
            }
            TurnState::Ended { .. }
            | TurnState::Interrupted { .. }
            | TurnState::Failed { .. }
            | TurnState::Unknown => return,
        };
        let is_told = session.live.iter().any(|word| {
            word.status == LiveStatus::Gone
                || word.source < ActivitySource::Transcript
                    && (word.reported_at.is_none() || word.reported_at >= since)
        });
        let (Some(panes), Some(pane), Some(grew_at)) =
            (&self.sources.panes, &session.pane, session.written_at)
        else {
            return;
        };
        if is_told || session.process.is_none() || !facts_of(&session.agent).tells_by_title {
            return;
        }
        let silent_ms = self.now.millis_since(grew_at);
        let next = TITLE_LOOKS_MS.into_iter().find(|after| *after > silent_ms);
        let status = (silent_ms >= TITLE_LOOKS_MS[0]).then(|| {
            let listed = panes.panes(&panes.socket_of(pane), self.now);
            let title = listed.iter().find(|listed: &&ListedPane| listed.id == pane.id)?.title.clone();
            built_in(&session.agent)?.title_status(&title, folder)
        });
        if let Some(status) = status.flatten() {
            session.live.push(word(ActivitySource::PaneTitle, status));
        }
        if let Some(next) = next {
            self.revalidate(grew_at.plus_millis(next));
        }
    }
}

fn word(source: ActivitySource, status: LiveStatus) -> StatusReport {
    StatusReport { source, status, since: None, reported_at: None, what: None }
}
