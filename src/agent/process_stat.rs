//! Reads what `/proc/<pid>` says about one process: whether it is still alive, the tmux server it was started in, and
//! whether it is one of closeout's own probes. Everything else in its environment is ignored, because it contains secrets.
//! Sends no signals.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::commands::PROBE_VARIABLE;
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
    let stat = read_kernel_file(&format!("/proc/{pid}/stat"), u64::MAX)?;
    ProcessStat::parse(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Whether every thread of this process sleeps now; false if that cannot be read.
pub fn is_asleep(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let is_asleep = |stat: Vec<u8>| ProcessStat::parse(&stat).is_some_and(|stat| stat.is_asleep);
    let mut stats = threads.map(|thread| fs::read(thread?.path().join("stat")));
    stats.all(|stat| stat.is_ok_and(is_asleep))
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

/// At most `cap` bytes of a file that the kernel makes when it is read. It tells no length, so that a read without
/// a buffer of its own would begin with a few bytes.
pub(super) fn read_kernel_file(path: &str, cap: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(8 << 10);
    File::open(path)?.take(cap).read_to_end(&mut content)?;
    Ok(content)
}

/// When the machine was started (`btime` in proc(5)). No process from before is alive.
pub(super) fn booted_at() -> Option<Timestamp> {
    let stat = String::from_utf8(read_kernel_file("/proc/stat", u64::MAX).ok()?).ok()?;
    let seconds: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    seconds.checked_mul(1000).map(Timestamp)
}

/// How much of an environment is read, in bytes. The variables are near its start or its end.
const LONGEST_ENVIRONMENT: u64 = 1 << 20;

/// The socket of the tmux server in whose pane the process was started, from its `TMUX` variable.
pub fn tmux_socket(process: ProcessId) -> Option<PathBuf> {
    socket_in(&environment(process.pid)?)
}

/// Whether closeout started this process as a probe ([`PROBE_VARIABLE`]). False if that cannot be read.
pub(in crate::agent) fn is_probe(pid: u32) -> bool {
    let is_mark = |variable: &[u8]| {
        variable.strip_prefix(PROBE_VARIABLE.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
    };
    environment(pid).is_some_and(|environment| environment.split(|byte| *byte == 0).any(is_mark))
}

fn environment(pid: u32) -> Option<Vec<u8>> {
    read_kernel_file(&format!("/proc/{pid}/environ"), LONGEST_ENVIRONMENT).ok()
}

/// The socket's path in the value of `TMUX`, which is that path, the server's PID and a number, separated
/// by commas (tmux(1)).
fn socket_in(environment: &[u8]) -> Option<PathBuf> {
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| variable.strip_prefix(b"TMUX="))?;
    let mut parts = std::str::from_utf8(value).ok()?.rsplitn(3, ',');
    let (_number, _server, socket) = (parts.next()?, parts.next()?, PathBuf::from(parts.next()?));
    socket.is_absolute().then_some(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_read_and_nothing_else() {
        let socket = |environment: &str| socket_in(environment.as_bytes());
        let told = "KEY=secret\0TMUX=/tmp/tmux-1000/a,b,815,0\0HOME=/home/user\0";
        assert_eq!(socket(told), Some(PathBuf::from("/tmp/tmux-1000/a,b")));
        assert_eq!(socket("XTMUX=/a,1,0\0TMUX=relative,1,0\0"), None);
        assert_eq!(socket("TMUX=\0"), None);
    }
}
