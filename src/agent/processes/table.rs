//! The table of agent processes, and what it says about one session.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::recognise::{agent_of, is_candidate};
use crate::agent::process_stat::is_probe;
use crate::agent::process_stat::{self, booted_at, read_kernel_file};
use crate::agent::{Agent, built_in};
use crate::model::{ProcessId, Timestamp};

/// How many processes are examined. Beyond that nothing is certain.
const MAX_PROCESSES: usize = 32_768;
/// How many open files of one process are examined. Beyond that nothing is certain.
const MAX_FILES: usize = 4096;
/// How much of a command line is read, in bytes.
const COMMAND_LINE: u64 = 16 << 10;
/// The extension of a session record that a process holds open.
const RECORD_ENDING: &str = ".jsonl";
/// The initial PID namespace, which sees all processes (Linux, `PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// A process of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProcess {
    /// Its PID and start time.
    pub id: ProcessId,
    /// When it started, if known.
    pub started_at: Option<Timestamp>,
    /// The agent's name.
    pub agent: &'static str,
    /// Whether it acts as a server: the folder it was started in then says nothing about its work.
    pub is_service: bool,
    /// The PID of its parent.
    pub parent: u32,
    /// The number of its pseudo-terminal: 3 for `/dev/pts/3`.
    pub pseudo_terminal: Option<u32>,
    /// Its working directory; `None` if that cannot be read.
    pub folder: Option<PathBuf>,
    /// Its command line.
    pub arguments: Vec<String>,
    /// The names of the session records it holds open; empty if its agent holds none. `None` if they cannot
    /// be read.
    pub records: Option<Vec<String>>,
}

/// The agents' processes at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessTable {
    /// The processes, in no particular order.
    pub processes: Vec<AgentProcess>,
    /// Whether all processes of this machine are visible, so that none can be missing.
    pub is_whole: bool,
}

/// The session whose process is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// Its agent.
    pub agent: &'a str,
    /// Its id. Untrusted.
    pub session_id: &'a str,
    /// Its working directory, resolved.
    pub folder: &'a Path,
    /// Whether it is the agent's newest session in that folder.
    pub is_newest: bool,
    /// Whether its turn is open.
    pub is_open: bool,
    /// When its record last grew. A process that started later did not write it.
    pub grew_at: Option<Timestamp>,
}

/// How long after the record grew its writer may seem to have started, in milliseconds. Boot time is in
/// whole seconds, start times are in whole ticks.
const START_GRACE_MS: i64 = 2000;

impl Sought<'_> {
    /// Whether the agent's processes hold their records open.
    fn holds_records(&self) -> bool {
        built_in(self.agent).is_some_and(|agent| agent.facts().holds_records)
    }

    /// Whether a process that started at this time is too young to have written the record.
    fn is_too_young(&self, started_at: Option<Timestamp>) -> bool {
        self.grew_at
            .zip(started_at)
            .is_some_and(|(grew_at, started_at)| started_at.millis_since(grew_at) > START_GRACE_MS)
    }
}

impl ProcessTable {
    /// Makes one pass over `/proc`.
    pub fn read() -> ProcessTable {
        let Ok(entries) = fs::read_dir("/proc") else { return ProcessTable::default() };
        let is_first =
            fs::read_link("/proc/self/ns/pid").is_ok_and(|here| here == Path::new(FIRST_NAMESPACE));
        let threads_of_kernel = if is_first { kernel_threads() } else { HashSet::new() };
        let mut pids = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| !threads_of_kernel.contains(pid))
            .take(MAX_PROCESSES + 1);
        let mut n_seen = 0;
        let mut processes = Vec::new();
        let booted_at = booted_at();
        for pid in &mut pids {
            n_seen += 1;
            processes.extend(read_process(pid, booted_at));
        }
        let is_whole = n_seen <= MAX_PROCESSES
            && is_first
            // With `hidepid`, other users' processes are hidden.
            && process_stat::read(1).is_ok();
        ProcessTable { processes, is_whole }
    }

    /// The session's process. If the agent's processes hold their records open, the one that holds this
    /// session's. If only a server does, the single process in the session's folder, or without one the
    /// server itself while a turn is running. For other agents, the single process in the session's folder,
    /// provided that this is the newest session there.
    pub fn process_of(&self, sought: &Sought<'_>) -> Option<&AgentProcess> {
        if !sought.holds_records() {
            return self.only_one_in(sought);
        }
        let mut holders = self.of(sought.agent).filter(|process| process.holds(sought.session_id));
        let holder = holders.next()?;
        match self.of(sought.agent).find(|process| !process.is_service && process.holds(sought.session_id)) {
            Some(holder) => Some(holder),
            None => self.only_one_in(sought).or(sought.is_open.then_some(holder)),
        }
    }

    /// Whether it is certain that no process works on the session: none holds its record, names its id,
    /// acts as a server, or works in its folder or in `work_tree`, and nothing relevant was unreadable. A
    /// server that holds only other records does not count. `was_seen` says that the session's process was
    /// visible from here before, and so would be visible now.
    pub fn is_surely_gone(&self, sought: &Sought<'_>, work_tree: &Path, was_seen: bool) -> bool {
        (self.is_whole || was_seen)
            && self.of(sought.agent).all(|process| {
                let is_elsewhere = process
                    .folder
                    .as_deref()
                    .is_some_and(|folder| folder != sought.folder && !folder.starts_with(work_tree));
                let is_other = process.records.is_some() && !process.holds(sought.session_id);
                let is_idle_server = process.is_service && sought.holds_records() && is_other;
                let knows_it = process.arguments.iter().any(|word| word.contains(sought.session_id));
                let may_hold_it = sought.holds_records() && !is_other;
                let is_later = sought.is_too_young(process.started_at);
                is_idle_server
                    || (is_elsewhere || is_later) && !process.is_service && !knows_it && !may_hold_it
            })
    }

    /// Whether any process of the agent is seen.
    pub fn has_any(&self, agent: &str) -> bool {
        self.of(agent).next().is_some()
    }

    /// The agent's process on this pseudo-terminal, if any.
    pub fn on_terminal(&self, agent: &str, pseudo_terminal: u32) -> Option<&AgentProcess> {
        self.of(agent).find(|process| !process.is_service && process.pseudo_terminal == Some(pseudo_terminal))
    }

    fn of(&self, agent: &str) -> impl Iterator<Item = &AgentProcess> {
        self.processes.iter().filter(move |process| process.agent == agent)
    }

    /// The only process of the agent in the folder. A process that merely launched the other counts as one
    /// with it; the launched one is returned, since it does the work.
    fn only_one_in(&self, sought: &Sought<'_>) -> Option<&AgentProcess> {
        if !sought.is_newest {
            return None;
        }
        let here: Vec<&AgentProcess> = self
            .of(sought.agent)
            .filter(|process| !process.is_service && process.folder.as_deref() == Some(sought.folder))
            .filter(|process| !sought.is_too_young(process.started_at))
            .collect();
        let is_parent = |one: &AgentProcess| here.iter().any(|other| other.parent == one.id.pid);
        let mut last = here.iter().filter(|process| !is_parent(process));
        let n_first = here.iter().filter(|one| !here.iter().any(|other| one.parent == other.id.pid)).count();
        match (last.next(), last.next()) {
            (Some(process), None) if n_first == 1 => Some(process),
            _ => None,
        }
    }
}

impl AgentProcess {
    /// Whether it holds the record of this session open: `rollout-<time>-<id>.jsonl`.
    fn holds(&self, session_id: &str) -> bool {
        self.records.iter().flatten().any(|name| {
            name.strip_suffix(RECORD_ENDING).and_then(|stem| stem.strip_suffix(session_id)).is_some()
        })
    }
}

/// The agent, whether the process acts as a server, and its command line.
type Recognised = (&'static dyn Agent, bool, Vec<String>);

/// Recognises an agent by name and command line. `None` if the process is not an agent's.
///
/// # Errors
/// The process's name or command line cannot be read.
fn recognised(pid: u32) -> io::Result<Option<Recognised>> {
    // A single read: a name has at most 16 bytes, and this runs for every process of the machine.
    let mut name = [0; 32];
    let n_read = File::open(format!("/proc/{pid}/comm"))?.read(&mut name)?;
    let name = name.get(..n_read).and_then(|name| str::from_utf8(name.trim_ascii_end()).ok());
    let Some(name) = name.filter(|name| is_candidate(name)) else { return Ok(None) };
    let line = read_kernel_file(&format!("/proc/{pid}/cmdline"), COMMAND_LINE)?;
    let line = String::from_utf8_lossy(&line);
    let arguments: Vec<&str> = line.split_terminator('\0').collect();
    let found = agent_of(name, &arguments);
    Ok(found.map(|(agent, is_service)| {
        (agent, is_service, arguments.iter().map(|argument| (*argument).to_owned()).collect())
    }))
}

/// The kernel's own threads: most processes on many machines, and never an agent. In the initial namespace they are
/// the children of process 2, which has no others. Empty where the kernel does not list children.
fn kernel_threads() -> HashSet<u32> {
    let listed = read_kernel_file("/proc/2/task/2/children", u64::MAX).unwrap_or_default();
    String::from_utf8_lossy(&listed).split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The process, if it is an agent's and not one of closeout's own probes.
fn read_process(pid: u32, booted_at: Option<Timestamp>) -> Option<AgentProcess> {
    let (agent, is_service, arguments) = recognised(pid).ok()??;
    if is_probe(pid) {
        return None;
    }
    let stat = process_stat::read(pid).ok().filter(|stat| !stat.is_dead)?;
    let folder = match fs::read_link(format!("/proc/{pid}/cwd")) {
        Ok(folder) => Some(folder),
        // The process is ending: the kernel has already taken its working directory.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(_) => None,
    };
    Some(AgentProcess {
        id: ProcessId { pid, started_at: stat.started_at },
        started_at: booted_at.and_then(|booted_at| after_ticks(booted_at, stat.started_at)),
        agent: agent.name(),
        is_service,
        parent: stat.parent,
        pseudo_terminal: stat.pseudo_terminal,
        folder,
        arguments,
        records: if agent.facts().holds_records { open_records(pid) } else { Some(Vec::new()) },
    })
}

fn after_ticks(booted_at: Timestamp, ticks: u64) -> Option<Timestamp> {
    let millis = ticks.checked_mul(1000)? / rustix::param::clock_ticks_per_second().max(1);
    Some(booted_at.plus_millis(i64::try_from(millis).ok()?))
}

/// The names of the session records a process holds open; `None` if that cannot be determined.
fn open_records(pid: u32) -> Option<Vec<String>> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let mut names = Vec::new();
    for (n_before, entry) in entries.enumerate() {
        if n_before == MAX_FILES {
            return None;
        }
        // A file closed in the meantime is not open.
        let Some(target) = entry.ok().and_then(|entry| fs::read_link(entry.path()).ok()) else { continue };
        let name = target.file_name().and_then(|name| name.to_str());
        names.extend(name.filter(|name| name.strip_suffix(RECORD_ENDING).is_some()).map(str::to_owned));
    }
    Some(names)
}

/// How many generations are followed.
const MAX_PARENTS: usize = 32;

/// The PIDs of a process and its ancestors, starting with itself.
pub(in crate::agent) fn line_of_parents(pid: u32) -> Vec<u32> {
    let mut line = vec![pid];
    while line.len() < MAX_PARENTS {
        match line.last().map(|pid| process_stat::read(*pid)) {
            Some(Ok(stat)) if stat.parent > 1 => line.push(stat.parent),
            _ => break,
        }
    }
    line
}

/// Whether a built-in agent is among the ancestors of this very process, up to the first process of the
/// machine or a process whose parent ended. `None` if that cannot be determined.
pub fn is_agent_above() -> Option<bool> {
    let this = fs::read_link("/proc/self").ok()?;
    let mut pid = this.to_str()?.parse().ok()?;
    for _ in 0..MAX_PARENTS {
        pid = process_stat::read(pid).ok()?.parent;
        if pid <= 1 {
            return Some(false);
        }
        if recognised(pid).ok()?.is_some() {
            return Some(true);
        }
    }
    None
}

/// Whether process `pid` is `ancestor` or descends from it.
pub fn is_below(pid: u32, ancestor: u32) -> bool {
    line_of_parents(pid).contains(&ancestor)
}
