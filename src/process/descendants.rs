//! Finds everything a child has started, however it hides, and signals it, using `/proc` (proc(5)).
//!
//! It must not signal a process that is not provably one of these. PIDs are reused, so each process is
//! first pinned with a kernel handle and then checked again before it is signalled.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::model::{ProcessId, ProcessStat};

/// How much of an environment is read, in bytes.
const ENVIRONMENT_CAP: u64 = 1 << 20;
/// The longest line of ancestors followed.
const MAX_STEPS: usize = 32_768;

/// The live descendants of `root`, which must not have been reaped, so that its PID is still its own. Empty
/// without `/proc`.
pub(super) fn below(root: u32) -> Vec<ProcessId> {
    let table = table();
    let family = family(parents(&table), [root]);
    living(&table).filter(|process| process.pid != root && family.contains(&process.pid)).collect()
}

/// The live processes left behind when `root` died: those in the session it led, those started with `mark`
/// in their environment, and the descendants of both. `root` must not have been reaped.
pub(super) fn left_behind(root: u32, mark: &[u8]) -> Vec<ProcessId> {
    let table = table();
    let is_of_session = |pid: u32| table.get(&pid).is_some_and(|stat| stat.session == root);
    let found = living(&table).filter(|process| {
        process.pid != root && (is_of_session(process.pid) || is_marked(process.pid, mark))
    });
    with_theirs(found.collect())
}

/// These processes and all their live descendants.
pub(super) fn with_theirs(mut processes: Vec<ProcessId>) -> Vec<ProcessId> {
    let table = table();
    // The PID of one that still lives was its own throughout, so the descendants are its own too.
    let roots = processes.iter().filter(|process| is_same(**process)).map(|process| process.pid);
    let family = family(parents(&table), roots);
    processes.extend(living(&table).filter(|process| family.contains(&process.pid)));
    processes.sort_unstable();
    processes.dedup();
    processes
}

/// These processes and all that descend from them, by pairs of a process and its parent. Takes time in proportion to the
/// pairs, which were read one after the other: they may contradict each other and form a cycle.
fn family(parents: impl Iterator<Item = (u32, u32)>, roots: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pid, parent) in parents {
        children.entry(parent).or_default().push(pid);
    }
    let mut family = BTreeSet::new();
    let mut left: Vec<u32> = roots.into_iter().collect();
    while let Some(pid) = left.pop() {
        if family.insert(pid) {
            left.extend(children.get(&pid).into_iter().flatten());
        }
    }
    family
}

/// What `root`, which must not have been reaped, and its descendants have done so far, as a text that differs once
/// they have done anything. `None` while one of them is ready to run or waits for a disk, and without `/proc`.
pub(super) fn activity(root: u32) -> Option<Vec<u8>> {
    let mut activity = Vec::new();
    let mut left = vec![root];
    while let Some(pid) = left.pop() {
        left.extend(children(pid)?);
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let ProcessStat { is_asleep, is_stopped, is_dead, .. } = ProcessStat::parse(stat.as_bytes())?;
        if !(is_asleep || is_stopped || is_dead) {
            return None;
        }
        // Page faults and processor time, and how often it began to wait. The other fields change when the
        // system takes memory away.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        activity.extend(fields.get(7..13)?.concat().into_bytes());
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let switches = status.lines().filter(|line| line.contains("ctxt_switches"));
        activity.extend(switches.collect::<String>().into_bytes());
    }
    Some(activity)
}

/// How long a process was ready to run and got no processor. Nothing where the kernel does not count it.
pub(super) fn time_without_processor(pid: u32) -> Duration {
    let counted = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let waited = counted.split_ascii_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(waited.unwrap_or_default())
}

/// The children of a process, without looking at all others. `None` if the kernel does not list them.
fn children(pid: u32) -> Option<Vec<u32>> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let list = fs::read_to_string(thread.path().join("children")).ok()?;
        children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    Some(children)
}

/// Signals everything that [`below`] finds. Returns how many processes that is.
pub(super) fn signal_below(root: u32, signal: Signal) -> usize {
    let found = below(root);
    for process in &found {
        signal_if(*process, signal, || is_below(process.pid, root));
    }
    found.len()
}

/// Signals `process` if it is still alive.
pub(super) fn signal(process: ProcessId, signal: Signal) {
    signal_if(process, signal, || true);
}

/// Signals `process` if it is still the same one and `is_one` holds now.
fn signal_if(process: ProcessId, signal: Signal, is_one: impl Fn() -> bool) {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else { return };
    let handle = super::open_pidfd(pid);
    // Checked after taking the handle, so the handle is known to refer to this process.
    if !is_same(process) || !is_one() {
        return;
    }
    // It may have ended by now, or belong to another user (a program that changes its user), and then it
    // stays.
    let _ = match handle {
        Some(handle) => send(&handle, signal),
        None => rustix::process::kill_process(pid, signal),
    };
}

#[cfg(target_os = "linux")]
fn send(handle: &std::os::fd::OwnedFd, signal: Signal) -> rustix::io::Result<()> {
    rustix::process::pidfd_send_signal(handle, signal)
}

#[cfg(not(target_os = "linux"))]
fn send(_handle: &std::os::fd::OwnedFd, _signal: Signal) -> rustix::io::Result<()> {
    Err(rustix::io::Errno::NOSYS)
}

/// Whether process `pid` descends from `root` now. Each step is checked twice: if a process has the same
/// parent before and after its parent's entry was read, that entry was really its parent's.
fn is_below(pid: u32, root: u32) -> bool {
    let Some(mut own) = stat(pid) else { return false };
    let mut at = pid;
    for _ in 0..MAX_STEPS {
        if own.parent == root {
            return true;
        }
        let Some(above) = stat(own.parent) else { return false };
        let is_still = |again: ProcessStat| (again.parent, again.started_at) == (own.parent, own.started_at);
        if !stat(at).is_some_and(is_still) {
            return false;
        }
        (at, own) = (own.parent, above);
    }
    false
}

fn is_same(process: ProcessId) -> bool {
    stat(process.pid).is_some_and(|stat| !stat.is_dead && stat.started_at == process.started_at)
}

fn is_marked(pid: u32, mark: &[u8]) -> bool {
    let mut environment = Vec::new();
    File::open(format!("/proc/{pid}/environ"))
        .and_then(|file| file.take(ENVIRONMENT_CAP).read_to_end(&mut environment))
        .is_ok_and(|_| environment.split(|byte| *byte == 0).any(|variable| variable == mark))
}

fn living(table: &BTreeMap<u32, ProcessStat>) -> impl Iterator<Item = ProcessId> {
    let alive = table.iter().filter(|(_, stat)| !stat.is_dead);
    alive.map(|(pid, stat)| ProcessId { pid: *pid, started_at: stat.started_at })
}

fn parents(table: &BTreeMap<u32, ProcessStat>) -> impl Iterator<Item = (u32, u32)> {
    table.iter().map(|(pid, stat)| (*pid, stat.parent))
}

/// All processes visible from here.
fn table() -> BTreeMap<u32, ProcessStat> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, stat(pid)?))).collect()
}

fn stat(pid: u32) -> Option<ProcessStat> {
    ProcessStat::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

#[cfg(test)]
mod tests {
    use super::family;

    // A walk from each process up to its ancestors would take ten thousand million steps.
    #[test]
    fn a_long_line_of_processes_and_a_cycle_are_walked_once() {
        let line = (2..100_000).map(|pid| (pid, pid - 1));
        let cycle = (200_000..300_000).map(|pid| (pid, if pid == 200_000 { 299_999 } else { pid - 1 }));
        let all: Vec<(u32, u32)> = line.chain(cycle).chain([(7_000_000, 50)]).collect();
        let of = |roots: &[u32]| family(all.iter().copied(), roots.iter().copied());
        assert_eq!(of(&[1]).len(), 100_000);
        assert_eq!(of(&[99_998, 49]).len(), 100_000 - 49 + 1);
        assert_eq!(of(&[250_000]).len(), 100_000);
        assert_eq!(of(&[7_000_000]).into_iter().collect::<Vec<_>>(), [7_000_000]);
    }
}
