//! Reads `/proc/<pid>/stat`, and decides whether a given process is still alive. Sends no signals.

use std::fs;
use std::io;
use std::path::Path;

use crate::model::{ProcessId, ProcessStat, Timestamp};

/// How much too late a process start can be computed, in milliseconds: the boot time is in whole seconds,
/// and the clock may have been set since.
pub(super) const BOOT_SLACK_MS: i64 = 3000;

/// Whether a given process is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// It is alive.
    Alive(ProcessStat),
    /// It ended; its PID may have been reused.
    Gone,
    /// This cannot be determined here.
    Unknown,
}

/// The process that has this PID now.
///
/// # Errors
/// There is no such process, or its `stat` cannot be read or parsed.
pub fn read(pid: u32) -> io::Result<ProcessStat> {
    let stat = fs::read(format!("/proc/{pid}/stat"))?;
    ProcessStat::parse(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Whether `process` is alive now.
pub fn process_state(process: ProcessId) -> ProcessState {
    match read(process.pid) {
        Ok(stat) if stat.is_dead || stat.started_at != process.started_at => ProcessState::Gone,
        Ok(stat) => ProcessState::Alive(stat),
        // If even this process cannot be seen, nothing can.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && Path::new("/proc/self/stat").exists()
                // The process ended during the read.
                || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) =>
        {
            ProcessState::Gone
        }
        Err(_) => ProcessState::Unknown,
    }
}

/// When the machine was started (`btime` in proc(5)). No process from before is alive.
pub(super) fn booted_at() -> Option<Timestamp> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    seconds.checked_mul(1000).map(Timestamp)
}
