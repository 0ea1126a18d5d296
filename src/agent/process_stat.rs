//! Reads what `/proc/<pid>/stat` tells of a process, and whether a process that was named still lives.
//! It reads and signals nothing.

use std::fs;
use std::io;
use std::path::Path;

use crate::model::{ProcessId, ProcessStat, Timestamp};

/// Boot time is told in seconds, and the clock may have been set since: a start can be told too late by so
/// many milliseconds.
pub(super) const BOOT_SLACK_MS: i64 = 3000;

/// How a process that was named stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// It lives.
    Alive(ProcessStat),
    /// It ended; its number may be another's by now.
    Gone,
    /// That cannot be told here.
    Unknown,
}

/// The process that has this number now.
///
/// # Errors
/// There is none, or `/proc` cannot be read, or holds something else.
pub fn read(pid: u32) -> io::Result<ProcessStat> {
    let stat = fs::read(format!("/proc/{pid}/stat"))?;
    ProcessStat::parse(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// How `process` stands now.
pub fn process_state(process: ProcessId) -> ProcessState {
    match read(process.pid) {
        Ok(stat) if stat.is_dead || stat.started_at != process.started_at => ProcessState::Gone,
        Ok(stat) => ProcessState::Alive(stat),
        // Where this process cannot be seen either, nothing can.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && Path::new("/proc/self/stat").exists()
                // The process ended while it was read.
                || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) =>
        {
            ProcessState::Gone
        }
        Err(_) => ProcessState::Unknown,
    }
}

/// When the machine was started (`btime` of proc(5)). Nothing that was at work before lives.
pub(super) fn booted_at() -> Option<Timestamp> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    seconds.checked_mul(1000).map(Timestamp)
}
