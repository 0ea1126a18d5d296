//! The client's registry of running sessions: `sessions/<pid>.json`, one process a file. It tells what a
//! transcript cannot: whether an open tool call runs or waits for the person, and whether the process
//! lives at all. A file is left behind when its process is killed, so an entry counts only if the process
//! was compared with it. The `.key` file beside an entry is a secret and is never opened.
//!
//! A look goes over the whole folder, since the same process takes a new session with `/clear` and one
//! session can have several processes. Only the entries of the sessions found are watched: the folder is
//! shared by all workspaces. A new entry needs no watch: a process is entered before it writes to its
//! transcript, and each line there brings a look.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::find::open_record;
use crate::agent::record_tail::read_range;
use crate::model::{
    ActivitySource, LiveStatus, LiveWord, Names, Parts, ProcessId, SessionObservation, Timestamp, WaitsOn,
    WatchTarget,
};

/// More entries than these are left out.
const MOST_ENTRIES: usize = 512;
/// A longer entry is passed over; real ones have less than 1 KiB. In bytes.
const LONGEST_ENTRY: u64 = 64 << 10;
/// The client's name for a session without a screen, also of one that looks into another's words.
const HEADLESS: &str = "sdk-cli";

/// One file, as the client writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    pid: u32,
    session_id: String,
    /// When the process started, as field 22 of its `stat`.
    proc_start: String,
    /// Ends in the name of the process namespace that `pid` is of.
    #[serde(default)]
    pid_domain: String,
    #[serde(default)]
    entrypoint: String,
    status: String,
    status_updated_at: Option<i64>,
    waiting_for: Option<String>,
}

/// The registry as it was at one moment, and which of its entries were asked for.
#[derive(Debug)]
pub(super) struct Registry {
    folder: PathBuf,
    entries: Vec<Entry>,
    used: Vec<u32>,
}

impl Registry {
    /// Reads it. What cannot be read is not there.
    pub(super) fn read(config_dir: &Path) -> Registry {
        let folder = config_dir.join("sessions");
        let names = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let pids = names.filter_map(|entry| pid_of(entry.file_name().to_str()?)).take(MOST_ENTRIES);
        let entries = pids.filter_map(|pid| read_entry(&folder, pid)).collect();
        Registry { folder, entries, used: Vec::new() }
    }

    /// Adds what it tells of a session. Of several processes one that lives outranks one that is gone,
    /// one with a screen a headless one, and then the one whose status changed last.
    pub(super) fn tell(&mut self, session: &mut SessionObservation) {
        let of_session = self.entries.iter().filter(|entry| entry.session_id == session.session_id);
        let words = of_session.filter_map(|entry| Some((entry, entry.word()?)));
        let Some((entry, word)) = words.max_by_key(|(entry, word)| {
            (word.status != LiveStatus::Gone, entry.entrypoint != HEADLESS, word.since)
        }) else {
            return;
        };
        if word.status != LiveStatus::Gone {
            self.used.push(entry.pid);
        }
        session.process =
            entry.proc_start.parse().ok().map(|started_at| ProcessId { pid: entry.pid, started_at });
        session.live.push(word);
    }

    /// Where a change of what was looked up would show.
    pub(super) fn watch_target(&self) -> Option<WatchTarget> {
        let names = Names::these(self.used.iter().map(|pid| format!("{pid}.json")));
        (!self.used.is_empty()).then(|| WatchTarget::new(&self.folder, names, Parts::WORDS))
    }
}

/// The process that an entry's name tells. Nothing but `<pid>.json` is an entry.
fn pid_of(name: &str) -> Option<u32> {
    let pid: u32 = name.strip_suffix(".json")?.parse().ok()?;
    (name == format!("{pid}.json")).then_some(pid)
}

fn read_entry(folder: &Path, pid: u32) -> Option<Entry> {
    let file = open_record(&folder.join(format!("{pid}.json"))).ok()?;
    let size = file.metadata().ok()?.len();
    if size > LONGEST_ENTRY {
        return None;
    }
    let entry: Entry = serde_json::from_slice(&read_range(&file, 0, size).ok()?).ok()?;
    (entry.pid == pid).then_some(entry)
}

impl Entry {
    /// What it tells, if that can be known and is known here.
    fn word(&self) -> Option<LiveWord> {
        let since = self.status_updated_at.map(Timestamp);
        let status = match self.process() {
            Process::Unknown => return None,
            Process::Gone => LiveStatus::Gone,
            // A look of closeout's own into that session.
            Process::Alive { is_own: true } if self.entrypoint == HEADLESS => return None,
            Process::Alive { .. } => match self.status.as_str() {
                "busy" => LiveStatus::Busy,
                "idle" => LiveStatus::Idle,
                "waiting" => LiveStatus::Waiting { on: self.waits_on() },
                _ => return None,
            },
        };
        Some(LiveWord { source: ActivitySource::Registry, status, since, told_at: since, what: None })
    }

    fn waits_on(&self) -> WaitsOn {
        match self.waiting_for.as_deref() {
            Some("permission prompt") => WaitsOn::Permission,
            Some("input needed") | None => WaitsOn::Input,
            Some(other) => WaitsOn::Other(other.to_owned()),
        }
    }

    /// Compares the process that has this number now with the one of the entry.
    fn process(&self) -> Process {
        if !self.is_of_this_namespace() {
            return Process::Unknown;
        }
        match fs::read(format!("/proc/{}/stat", self.pid)) {
            Ok(stat) => match ProcessStat::parse(&stat) {
                Some(stat) if stat.is_dead || stat.started_at != self.proc_start => Process::Gone,
                Some(stat) => Process::Alive { is_own: stat.is_child_of_this() },
                None => Process::Unknown,
            },
            // Where this process cannot be seen either, nothing can.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && Path::new("/proc/self/stat").exists() =>
            {
                Process::Gone
            }
            Err(_) => Process::Unknown,
        }
    }

    /// False for the process of a container that has its own numbers.
    fn is_of_this_namespace(&self) -> bool {
        let Some(at) = self.pid_domain.rfind(":pid:[") else { return true };
        fs::read_link("/proc/self/ns/pid").is_ok_and(|here| here == Path::new(&self.pid_domain[at + 1..]))
    }
}

/// How the process of an entry stands.
enum Process {
    /// `is_own` if this process started it.
    Alive {
        is_own: bool,
    },
    Gone,
    Unknown,
}

/// What `/proc/<pid>/stat` tells (proc(5)).
struct ProcessStat {
    /// It ended, and nobody has taken notice yet.
    is_dead: bool,
    parent: String,
    started_at: String,
}

impl ProcessStat {
    fn parse(stat: &[u8]) -> Option<ProcessStat> {
        // The second field is the program's name in brackets, and any bytes can stand in it.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(ProcessStat {
            is_dead: matches!(field(3)?, "Z" | "X" | "x"),
            parent: field(4)?.to_owned(),
            started_at: field(22)?.to_owned(),
        })
    }

    fn is_child_of_this(&self) -> bool {
        fs::read_link("/proc/self").is_ok_and(|this| this == Path::new(&self.parent))
    }
}
