//! What processes and panes say about sessions whose agents keep no registry: which process belongs to a
//! session, whether none works on it any more, in which pane it is shown, and what the title there says.
//!
//! Everything is looked up only when it can matter, and shared by all workspaces. "Gone" is reported only
//! when it is certain; what is uncertain is not reported.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::panes::PaneSource;
use crate::agent::panes::{ListedPane, pane_of};
use crate::agent::process_stat::tmux_socket;
use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::processes::{ProcessTable, Sought};
use crate::agent::{built_in, facts_of};
use crate::disk;
use crate::model::{
    ActivitySource, CollectRequest, LiveStatus, Pane, ProcessId, SessionName, SessionObservation,
    StatusReport, Timestamp, TurnState,
};

/// A table of processes younger than this will do for finding a process, in milliseconds.
const FRESH_MS: i64 = 1000;
/// The same for a session that the last table settled: its process is known, or it is certainly not seen from here.
const SETTLED_MS: i64 = 10_000;
/// If a record grew within this time and none of its processes was ever seen from here, more may follow, in
/// milliseconds: the process may run in a virtual machine or on another host. A longer time would make an agent
/// that was killed before the first look appear to be working for that long.
const UNSEEN_MS: i64 = 20_000;
/// The PID namespace that shows all processes of a machine (`PROC_PID_INIT_INO` of the kernel).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";
/// How long after a record last grew in an open turn the title of its pane is checked, in milliseconds. A
/// permission prompt appears after the last line was written, and only the title shows it.
const TITLE_LOOKS_MS: [i64; 4] = [250, 1000, 3000, 10_000];
/// When to check again for an end that is not certain yet, in milliseconds, and how often.
const END_AGAIN_MS: i64 = 1000;
const MAX_END_LOOKS: u32 = 5;

/// When to look again for the pane of a process that was in none, in milliseconds.
const NO_PANE_MS: i64 = 60_000;

/// The sources for processes and panes, shared by all workspaces.
#[derive(Debug, Clone, Default)]
pub struct LiveSources {
    table: Arc<Mutex<Option<Taken>>>,
    /// tmux, if it is installed.
    pub panes: Option<PaneSource>,
    /// Whether closeout sees only the processes of a container.
    is_in_container: bool,
}

/// The table of processes and the time it was read.
type Taken = (Timestamp, Arc<ProcessTable>);

/// State kept for a workspace's sessions. Losing it costs time and some certainty.
#[derive(Debug, Default)]
pub struct LiveMemory {
    sessions: HashMap<SessionName, Box<KnownProcess>>,
}

/// What was seen of one session.
#[derive(Debug, Default)]
struct KnownProcess {
    process: Option<ProcessId>,
    /// The pane of that process, if it was looked up.
    pane: Option<Shown>,
    /// How often its end was checked since the process was last found.
    n_end_looks: u32,
    /// When a search last found no process for it.
    missed_at: Option<Timestamp>,
    /// Whether its record grew although no process was found. Its writer is then invisible from here (in a
    /// container, on another machine), so finding none proves nothing.
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
    /// The earliest time at which another look can tell more.
    again_at: Option<Timestamp>,
}

impl LiveSources {
    /// The sources, with tmux if it is installed.
    pub fn new(panes: Option<PaneSource>) -> LiveSources {
        let namespace = std::fs::read_link("/proc/self/ns/pid");
        let is_in_container = namespace.is_ok_and(|namespace| namespace != Path::new(FIRST_NAMESPACE));
        LiveSources { panes, is_in_container, ..LiveSources::default() }
    }

    /// As seen from within a container.
    #[must_use]
    pub fn within_container(self) -> LiveSources {
        LiveSources { is_in_container: true, ..self }
    }

    /// Whether an agent that works in `work_tree` would be among the processes seen from here. What lies on a
    /// container's own disk only its own processes reach; what is mounted into it others may share.
    fn shows_agents_of(&self, work_tree: &Path) -> bool {
        let device = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.dev()).ok();
        !self.is_in_container || device(work_tree).is_some_and(|found| device(Path::new("/")) == Some(found))
    }

    /// The table of processes, at most `max_age_ms` old.
    fn table(&self, now: Timestamp, max_age_ms: i64) -> Arc<ProcessTable> {
        self.taken(now, max_age_ms).1
    }

    /// The same with the time it was read.
    fn taken(&self, now: Timestamp, max_age_ms: i64) -> Taken {
        let mut known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, table)) = &*known
            && (0..max_age_ms).contains(&now.millis_since(*at))
        {
            return (*at, Arc::clone(table));
        }
        let taken = (now, Arc::new(ProcessTable::read()));
        *known = Some(taken.clone());
        taken
    }
}

impl PartialEq for LiveSources {
    fn eq(&self, other: &LiveSources) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.panes == other.panes
    }
}

impl Eq for LiveSources {}

/// Adds what processes and panes say to `sessions`, which are ordered newest first. Returns when another
/// look can tell more even if no record grows.
pub fn tell(
    sessions: &mut [SessionObservation],
    request: &CollectRequest,
    sources: &LiveSources,
    now: Timestamp,
    memory: &mut LiveMemory,
) -> Option<Timestamp> {
    let mut look = Look { sources, work_tree: request.workspace.path(), now, again_at: None };
    let mut before = std::mem::take(&mut memory.sessions);
    if !before.is_empty() && sessions.iter().any(|session| !before.contains_key(&session.session_name())) {
        // Another agent may have started beside those whose process was settled.
        sources.table(now, 0);
    }
    let mut newest: Vec<(String, PathBuf)> = Vec::new();
    for session in sessions {
        let name = session.session_name();
        let mut seen = before.remove(&name).unwrap_or_default();
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
        memory.sessions.insert(name, seen);
    }
    look.again_at
}

/// The folder in which a session works, resolved if possible.
fn folder_of(session: &SessionObservation, request: &CollectRequest) -> PathBuf {
    let begun_in = request.sessions.iter().find(|place| place.is_of(session)).map(|place| &place.folder);
    let folder = session.folder.as_ref().or(begun_in).map_or(request.workspace.path(), PathBuf::as_path);
    // A workspace is named by its resolved path.
    if folder == request.workspace.path() {
        return folder.to_owned();
    }
    disk::resolve(folder).unwrap_or_else(|_| folder.to_owned())
}

fn is_open(session: &SessionObservation) -> bool {
    matches!(session.turn, TurnState::Open { .. })
}

fn is_stopped(process: ProcessId) -> bool {
    matches!(process_state(process), ProcessState::Alive(stat) if stat.is_stopped)
}

/// A stopped process does no work, whatever was reported before: its turn is suspended midway.
fn rest(session: &mut SessionObservation) {
    session.live.retain(|word| !matches!(word.status, LiveStatus::Busy | LiveStatus::Background));
    if is_open(session) {
        session.turn = TurnState::Unknown;
        session.is_suspended = true;
    }
}

impl Look<'_> {
    fn once_more_at(&mut self, at: Timestamp) {
        self.again_at = Some(self.again_at.map_or(at, |before| before.min(at)));
    }

    /// Finds the session's process, or reports that it is gone. Leaves sessions with a registry alone,
    /// since that knows better.
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
        let found = self.find(&sought, seen);
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
        // A process that was seen before is certainly gone, however recently the record grew.
        let quiet_at = session.written_at.map(|at| at.plus_millis(UNSEEN_MS)).filter(|at| *at > self.now);
        if let Some(quiet_at) = quiet_at
            && !was_seen
        {
            if sought.is_open {
                self.once_more_at(quiet_at);
            }
            return;
        }
        if !was_seen && !sought.is_open {
            return;
        }
        let table = self.sources.table(self.now, 0);
        // In a container without any agent of this kind the session may well run outside of it.
        let can_see = || table.has_any(sought.agent) || self.sources.shows_agents_of(self.work_tree);
        let can_tell = was_seen || can_see();
        let is_gone = can_tell && table.is_surely_gone(&sought, self.work_tree, was_seen);
        if is_gone {
            session.live.push(word(ActivitySource::Process, LiveStatus::Gone));
        } else if was_seen && seen.n_end_looks < MAX_END_LOOKS {
            seen.n_end_looks += 1;
            self.once_more_at(self.now.plus_millis(END_AGAIN_MS));
        }
    }

    /// The session's process, if it is alive right now.
    fn find(&self, sought: &Sought<'_>, seen: &KnownProcess) -> Option<ProcessId> {
        let lives = |process: &ProcessId| matches!(process_state(*process), ProcessState::Alive(_));
        let in_table = |max_age_ms| {
            let table = self.sources.table(self.now, max_age_ms);
            table.process_of(sought).map(|process| process.id)
        };
        let is_settled = seen.process.is_some() || seen.is_hidden;
        let mut found = if is_settled {
            in_table(SETTLED_MS)
        } else {
            // Whoever wrote the record may have started after the last table was read.
            let (read_at, _) = self.sources.taken(self.now, FRESH_MS);
            let is_older = sought.grew_at.is_some_and(|at| read_at < at && at <= self.now);
            in_table(if is_older { 0 } else { FRESH_MS })
        };
        if found.is_none() && seen.process.is_some() {
            found = in_table(FRESH_MS);
        }
        match found? {
            process if lives(&process) => Some(process),
            _ => in_table(0).filter(lives),
        }
    }

    /// Looks up the pane of the session's process, once per process. A registry may name the pane without
    /// the server.
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

    /// Treats an end that was just recorded as the middle of a turn, until it shows whether a call follows.
    fn hold_back_end(&mut self, session: &mut SessionObservation) {
        let (TurnState::Ended { at }, Some(grew_at), Some(_)) =
            (&session.turn, session.written_at, session.process)
        else {
            return;
        };
        let settled_at = grew_at.plus_millis(TITLE_LOOKS_MS[0]);
        if self.now < settled_at {
            session.turn = TurnState::Open { since: *at, tool: None, what: None };
            self.once_more_at(settled_at);
        }
    }

    /// Reads the title of the session's pane for an open turn that no better source describes.
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
            self.once_more_at(grew_at.plus_millis(next));
        }
    }
}

fn word(source: ActivitySource, status: LiveStatus) -> StatusReport {
    StatusReport { source, status, since: None, reported_at: None, what: None }
}
