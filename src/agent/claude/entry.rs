//! One entry of the client's registry, `sessions/<pid>.json`, and the process that it is about.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::processes::is_look;
use crate::agent::record::read_small;
use crate::model::{Pane, ProcessId, WaitsOn};

/// A longer entry is passed over; real ones have less than 1 KiB. In bytes.
const LONGEST_ENTRY: u64 = 64 << 10;
/// The client's name for a session without a screen, also of one that looks into another's words.
const HEADLESS: &str = "sdk-cli";

/// One file, as the client writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) pid: u32,
    pub(super) session_id: String,
    /// The folder that the process works in.
    pub(super) cwd: Option<PathBuf>,
    /// When the process started, as field 22 of its `stat`.
    proc_start: String,
    /// Ends in the name of the process namespace that `pid` is of.
    #[serde(default)]
    pid_domain: String,
    /// In milliseconds.
    pub(super) started_at: Option<i64>,
    /// `interactive`, or `bg` for a session without a screen of its own that a person began.
    #[serde(default)]
    kind: String,
    #[serde(default)]
    entrypoint: String,
    pub(super) status: Option<String>,
    /// In milliseconds.
    pub(super) status_updated_at: Option<i64>,
    waiting_for: Option<String>,
    name: Option<String>,
    /// `user` for a name that a person gave, `auto` for one that a model made, `derived` for one made of
    /// the folder's.
    name_source: Option<String>,
    /// The pane that it is shown in, like `work:@0.%0`: session, window and pane.
    tmux: Option<String>,
    job_id: Option<String>,
}

/// How the process of an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Process {
    /// It lives.
    Alive {
        /// Whether it is a look of closeout's own.
        is_look: bool,
    },
    /// It does not live any more.
    Gone,
    /// It cannot be seen from here.
    Unknown,
}

/// The process that an entry's name tells. Nothing but `<pid>.json` is an entry.
pub(super) fn pid_of(name: &str) -> Option<u32> {
    let pid: u32 = name.strip_suffix(".json")?.parse().ok()?;
    (name == format!("{pid}.json")).then_some(pid)
}

/// The entry of the process `pid`. `None` if there is none, or if it cannot be read.
pub(super) fn read_entry(folder: &Path, pid: u32) -> Option<Entry> {
    let bytes = read_small(&folder.join(format!("{pid}.json")), LONGEST_ENTRY).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    (entry.pid == pid).then_some(entry)
}

/// Whether any process has this number now.
pub(super) fn lives(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/stat")).exists()
}

impl Entry {
    /// Whether the session has a screen.
    pub(super) fn has_screen(&self) -> bool {
        self.entrypoint != HEADLESS
    }

    /// What it waits for.
    pub(super) fn waits_on(&self) -> WaitsOn {
        match self.waiting_for.as_deref() {
            Some("permission prompt") => WaitsOn::Permission,
            Some("input needed") | None => WaitsOn::Input,
            Some(other) => WaitsOn::Other(other.to_owned()),
        }
    }

    /// The process, as far as its begin can be told.
    pub(super) fn process_id(&self) -> Option<ProcessId> {
        Some(ProcessId { pid: self.pid, started_at: self.proc_start.parse().ok()? })
    }

    /// The name that a person gave the session.
    pub(super) fn given_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.name_source.as_deref() == Some("user"))
    }

    /// The name that a model made of its words.
    pub(super) fn made_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.name_source.as_deref() == Some("auto"))
    }

    /// The pane that it is shown in. The entry does not tell of which server.
    pub(super) fn pane(&self) -> Option<Pane> {
        let (_, id) = self.tmux.as_deref()?.rsplit_once('.')?;
        let number = id.strip_prefix('%')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Pane { socket: None, id: id.to_owned() })
    }

    /// The folder under `jobs/` of a session in the background. The name becomes part of a path.
    pub(super) fn job(&self) -> Option<&str> {
        let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.job_id.as_deref().filter(|_| self.kind == "bg").filter(is_name)
    }

    /// Compares the process that has this number now with the one of the entry.
    pub(super) fn process(&self) -> Process {
        if !self.is_of_this_namespace() {
            return Process::Unknown;
        }
        // A start that is no number is that of no process.
        let started_at = self.proc_start.parse().unwrap_or(u64::MAX);
        match process_state(ProcessId { pid: self.pid, started_at }) {
            ProcessState::Alive(_) => Process::Alive { is_look: !self.has_screen() && is_look(self.pid) },
            ProcessState::Gone => Process::Gone,
            ProcessState::Unknown => Process::Unknown,
        }
    }

    /// False for the process of a container that has its own numbers.
    fn is_of_this_namespace(&self) -> bool {
        let Some(at) = self.pid_domain.rfind(":pid:[") else { return true };
        fs::read_link("/proc/self/ns/pid").is_ok_and(|here| here == Path::new(&self.pid_domain[at + 1..]))
    }
}
