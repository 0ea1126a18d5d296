//! What `/proc/<pid>/stat` tells of a process (proc(5)), and whether a process that was named still lives.
//! It reads and signals nothing.

use std::fs;
use std::io;
use std::path::Path;

use crate::model::{ProcessId, Timestamp};

/// The major number of pseudo-terminals' devices: `/dev/pts/N` is its Nth (Linux, devices.txt).
const PSEUDO_TERMINALS: u32 = 136;

/// Boot time is told in seconds, and the clock may have been set since: a start can be told too late by so
/// many milliseconds.
pub(super) const BOOT_SLACK_MS: i64 = 3000;

/// What is used of a process's `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// It ended, and nobody has taken notice yet.
    pub is_dead: bool,
    /// The number of the process that started it, or that took it over.
    pub parent: u32,
    /// The number of its pseudo-terminal: 3 for `/dev/pts/3`.
    pub pseudo_terminal: Option<u32>,
    /// When it started, in clock ticks since boot.
    pub started_at: u64,
}

/// How a process that was named stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It lives.
    Alive(ProcessStat),
    /// It ended; its number may be another's by now.
    Gone,
    /// That cannot be told here.
    Unknown,
}

impl ProcessStat {
    /// Reads the text of a `stat` file; `None` where it is none.
    pub fn parse(stat: &[u8]) -> Option<ProcessStat> {
        // The second field is the program's name in brackets, and any bytes can stand in it.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(ProcessStat {
            is_dead: matches!(field(3)?, "Z" | "X" | "x"),
            parent: field(4)?.parse().ok()?,
            pseudo_terminal: pseudo_terminal(field(7)?.parse::<i32>().ok()?.cast_unsigned()),
            started_at: field(22)?.parse().ok()?,
        })
    }

    /// The process that has this number now.
    ///
    /// # Errors
    /// There is none, or `/proc` cannot be read, or holds something else.
    pub fn read(pid: u32) -> io::Result<ProcessStat> {
        let stat = fs::read(format!("/proc/{pid}/stat"))?;
        ProcessStat::parse(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Whether this very process started it.
    pub fn is_child_of_this(&self) -> bool {
        fs::read_link("/proc/self").is_ok_and(|this| this == Path::new(&self.parent.to_string()))
    }
}

/// How `process` stands now.
pub fn standing(process: ProcessId) -> Standing {
    match ProcessStat::read(process.pid) {
        Ok(stat) if stat.is_dead || stat.started_at != process.started_at => Standing::Gone,
        Ok(stat) => Standing::Alive(stat),
        // Where this process cannot be seen either, nothing can.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && Path::new("/proc/self/stat").exists()
                // The process ended while it was read.
                || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) =>
        {
            Standing::Gone
        }
        Err(_) => Standing::Unknown,
    }
}

/// When the machine was started (`btime` of proc(5)). Nothing that was at work before lives.
pub(super) fn booted_at() -> Option<Timestamp> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    seconds.checked_mul(1000).map(Timestamp)
}

/// The pseudo-terminal of a `tty_nr`: bits 8 to 19 are the major number, the others the minor one.
fn pseudo_terminal(tty: u32) -> Option<u32> {
    let (major, minor) = ((tty >> 8) & 0xfff, (tty & 0xff) | ((tty >> 12) & 0xf_ff00));
    (major == PSEUDO_TERMINALS).then_some(minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let fields = "S 41 5 5 34819 5 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let stat = ProcessStat::parse(format!("9 (a) b (c) {fields}").as_bytes()).unwrap();
        let wanted = ProcessStat { is_dead: false, parent: 41, pseudo_terminal: Some(3), started_at: 777 };
        assert_eq!(stat, wanted);
        assert_eq!(ProcessStat::parse(b"9 (a) S 41"), None);
        assert_eq!(ProcessStat::parse(b"\xff"), None);
    }

    #[test]
    fn numbers_of_terminals_are_those_of_proc() {
        assert_eq!(pseudo_terminal(0), None);
        assert_eq!(pseudo_terminal(34816), Some(0));
        assert_eq!(pseudo_terminal(0x0010_882c), Some(0x12c));
        // A console.
        assert_eq!(pseudo_terminal(0x0401), None);
    }
}
