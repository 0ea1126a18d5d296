//! One entry of the client's registry, `sessions/<pid>.json`, the state of the process it describes, and for
//! a background session (`claude --bg`) its `jobs/<short>/state.json`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::agent::process_stat::is_probe;
use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::record::read_small;
use crate::agent::record_text::{moment, shortened_if_any};
use crate::model::{ActivitySource, LiveStatus, Pane, ProcessId, StatusReport, WaitsOn};

/// The longest entry read, in bytes. Real ones are under 1 KiB.
const LONGEST_ENTRY: u64 = 64 << 10;
/// The client's entrypoint name for a session without a screen, closeout's own probes included.
const HEADLESS: &str = "sdk-cli";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) pid: u32,
    pub(super) session_id: String,
    /// The working directory of the process.
    pub(super) cwd: Option<PathBuf>,
    /// When the process started: field 22 of `/proc/<pid>/stat`.
    proc_start: String,
    /// Its end names the PID namespace that `pid` belongs to.
    #[serde(default)]
    pid_domain: String,
    /// Milliseconds since the Unix epoch.
    pub(super) started_at: Option<i64>,
    /// `interactive`, or `bg` for a background session that a user started.
    #[serde(default)]
    kind: String,
    #[serde(default)]
    entrypoint: String,
    pub(super) status: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub(super) status_updated_at: Option<i64>,
    waiting_for: Option<String>,
    name: Option<String>,
    /// `user` for a name given by the user, `auto` for one a model generated, `derived` for one taken from
    /// the folder's name.
    name_source: Option<String>,
    /// Where it is shown, as tmux's session, window and pane: `work:@0.%0`.
    tmux: Option<String>,
    job_id: Option<String>,
}

/// State of the process an entry describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Process {
    Alive {
        /// Whether it is one of closeout's own probes.
        is_probe: bool,
    },
    Gone,
    /// It runs in another PID namespace, or cannot be inspected.
    Unknown,
}

/// The PID in the name of a registry entry. `None` for any file not called `<pid>.json`.
pub(super) fn pid_of(name: &str) -> Option<u32> {
    let pid: u32 = name.strip_suffix(".json")?.parse().ok()?;
    (name == format!("{pid}.json")).then_some(pid)
}

/// Reads the entry of process `pid`. `None` if it is missing, unreadable, or describes another process.
pub(super) fn read_entry(folder: &Path, pid: u32) -> Option<Entry> {
    let bytes = read_small(&folder.join(format!("{pid}.json")), LONGEST_ENTRY).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    (entry.pid == pid).then_some(entry)
}

/// Whether any process has this PID now.
pub(super) fn lives(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/stat")).exists()
}

impl Entry {
    pub(super) fn has_screen(&self) -> bool {
        self.entrypoint != HEADLESS
    }

    /// What the session is waiting for. An unnamed reason counts as waiting for input.
    pub(super) fn waits_on(&self) -> WaitsOn {
        match self.waiting_for.as_deref() {
            Some("permission prompt") => WaitsOn::Permission,
            Some("input needed") | None => WaitsOn::Input,
            Some(other) => WaitsOn::Other(other.to_owned()),
        }
    }

    /// The process with its start time. `None` if the start time is not a number.
    pub(super) fn process_id(&self) -> Option<ProcessId> {
        Some(ProcessId { pid: self.pid, started_at: self.proc_start.parse().ok()? })
    }

    pub(super) fn given_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.name_source.as_deref() == Some("user"))
    }

    /// The name a model generated for the session.
    pub(super) fn made_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.name_source.as_deref() == Some("auto"))
    }

    /// The tmux pane it is shown in. The entry does not say which tmux server.
    pub(super) fn pane(&self) -> Option<Pane> {
        let (_, id) = self.tmux.as_deref()?.rsplit_once('.')?;
        let number = id.strip_prefix('%')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Pane { socket: None, id: id.to_owned() })
    }

    /// The background session's folder under `jobs/`. Only alphanumeric names pass, since the name becomes
    /// part of a path.
    pub(super) fn job(&self) -> Option<&str> {
        let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.job_id.as_deref().filter(|_| self.kind == "bg").filter(is_name)
    }

    /// Compares the process that has this PID now with the one described.
    pub(super) fn process(&self) -> Process {
        if !self.is_of_this_namespace() {
            return Process::Unknown;
        }
        // An unreadable start time matches no process.
        let started_at = self.proc_start.parse().unwrap_or(u64::MAX);
        match process_state(ProcessId { pid: self.pid, started_at }) {
            ProcessState::Alive(_) => Process::Alive { is_probe: !self.has_screen() && is_probe(self.pid) },
            ProcessState::Gone => Process::Gone,
            ProcessState::Unknown => Process::Unknown,
        }
    }

    /// False for a process in a container with its own PIDs.
    fn is_of_this_namespace(&self) -> bool {
        let Some(at) = self.pid_domain.rfind(":pid:[") else { return true };
        fs::read_link("/proc/self/ns/pid").is_ok_and(|here| here == Path::new(&self.pid_domain[at + 1..]))
    }
}

/// The longest state file read, in bytes. Real ones are about 1 KiB.
const LONGEST_STATE: u64 = 256 << 10;
pub(super) const STATE_FILE: &str = "state.json";

/// The state of a background session, as the client writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JobState {
    session_id: String,
    #[serde(default)]
    state: String,
    /// What the session is doing, in words.
    detail: Option<String>,
    /// What the session is waiting for, in words.
    needs: Option<String>,
    #[serde(default)]
    in_flight: InFlight,
    updated_at: Option<String>,
}

/// What runs besides the session's own turn.
#[derive(Default, Deserialize)]
struct InFlight {
    #[serde(default)]
    tasks: u32,
}

/// What the job in `folder` says beyond the registry entry, which claims that session `id` is idle.
pub(super) fn job_report(folder: &Path, id: &str) -> Option<StatusReport> {
    let bytes = read_small(&folder.join(STATE_FILE), LONGEST_STATE).ok()?;
    let job: JobState = serde_json::from_slice(&bytes).ok()?;
    if job.session_id != id {
        return None;
    }
    let (status, what) = match job.state.as_str() {
        "blocked" => (LiveStatus::Waiting { on: WaitsOn::Input }, job.needs.or(job.detail)),
        _ if job.in_flight.tasks > 0 => (LiveStatus::Background, job.detail),
        _ => return None,
    };
    let since = job.updated_at.as_deref().and_then(moment);
    let what = what.as_deref().and_then(shortened_if_any);
    Some(StatusReport { source: ActivitySource::Registry, status, since, reported_at: since, what })
}
