//! The processes of a world, known by the HOME in their environment, so that none of another is touched.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Every process that was started with this HOME, or under one that was.
pub(crate) fn of_home(home: &Path) -> BTreeSet<u32> {
    let wanted: Vec<u8> = [b"HOME=", home.as_os_str().as_bytes()].concat();
    every()
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environment| environment.split(|&byte| byte == 0).any(|entry| entry == wanted))
        })
        .collect()
}

/// A process and everything below it.
pub(crate) fn below(top: u32) -> BTreeSet<u32> {
    let parents: Vec<(u32, u32)> = every().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = BTreeSet::from([top]);
    loop {
        let before = found.len();
        found.extend(
            parents
                .iter()
                .filter(|(_, parent)| found.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if found.len() == before {
            return found;
        }
    }
}

/// The words of a process, with blanks between them.
pub(crate) fn command_line(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// Sends SIGKILL.
pub(crate) fn kill(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Ends every process of a home. Some start others while they end, so it looks again.
pub(crate) fn end_all(home: &Path) {
    for _ in 0..20 {
        let left = of_home(home);
        if left.is_empty() {
            return;
        }
        left.into_iter().for_each(kill);
        std::thread::yield_now();
    }
}

fn every() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The parent: field 4 of `/proc/PID/stat`, after the name in brackets, which may hold anything (proc(5)).
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
