//! Which loopback ports a process listens on, and whether a connection ends in it. Uses the kernel's table
//! of TCP sockets (`/proc/net/tcp`, `tcp6`) and the process's open files (proc(5)).
//!
//! Only its own user can read a process's open files, so another user's port is never found here.

use std::collections::HashSet;
use std::fs;

use crate::agent::process_stat::{ProcessState, process_state};
use crate::model::ProcessId;

/// Socket states in the kernel's table (`include/net/tcp_states.h`).
const ESTABLISHED: &str = "01";
const LISTENS: &str = "0A";
/// Loopback and "any address" as the table prints them (in native byte order).
const LOCAL: [&str; 5] = [
    "0100007F", "00000000", "00000000000000000000000000000000", "00000000000000000000000001000000",
    "0000000000000000FFFF00000100007F",
];
/// How many open files of a process are examined.
const MAX_FILES: usize = 4096;

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
struct Socket<'a> {
    address: &'a str,
    port: u16,
    peer_port: u16,
    state: &'a str,
    inode: &'a str,
}

/// The ports on which a process is reachable over loopback. Empty if the process has ended.
pub fn listening_ports(process: ProcessId) -> Vec<u16> {
    let table = table();
    let own = sockets_of(process);
    let mut ports: Vec<u16> = rows(&table)
        .filter(|row| row.state == LISTENS && LOCAL.contains(&row.address) && own.contains(row.inode))
        .map(|row| row.port)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Whether the loopback connection from `own_port` to `port` ends in this process.
pub fn ends_connection(process: ProcessId, port: u16, own_port: u16) -> bool {
    let table = table();
    let own = sockets_of(process);
    rows(&table).any(|row| {
        row.state == ESTABLISHED
            && row.port == port
            && row.peer_port == own_port
            && LOCAL.contains(&row.address)
            && own.contains(row.inode)
    })
}

fn table() -> String {
    let read = |name: &str| fs::read_to_string(name).unwrap_or_default();
    read("/proc/net/tcp") + &read("/proc/net/tcp6")
}

fn rows(table: &str) -> impl Iterator<Item = Socket<'_>> {
    table.lines().filter_map(row)
}

/// Parses a row: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`
fn row(line: &str) -> Option<Socket<'_>> {
    let mut fields = line.split_ascii_whitespace();
    let (address, port) = fields.nth(1)?.split_once(':')?;
    let (_, peer_port) = fields.next()?.split_once(':')?;
    let state = fields.next()?;
    let inode = fields.nth(5)?;
    let number = |hex| u16::from_str_radix(hex, 16).ok();
    Some(Socket { address, port: number(port)?, peer_port: number(peer_port)?, state, inode })
}

/// The inodes of a process's open sockets.
fn sockets_of(process: ProcessId) -> HashSet<String> {
    let files = fs::read_dir(format!("/proc/{}/fd", process.pid)).into_iter().flatten();
    let links = files.take(MAX_FILES).filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let inode = |link: std::path::PathBuf| {
        Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    };
    let found = links.filter_map(inode).collect();
    // The PID may have been reused while the files were read.
    match process_state(process) {
        ProcessState::Alive(_) => found,
        ProcessState::Gone | ProcessState::Unknown => HashSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_is_read_and_its_head_is_none() {
        let line = "   0: 0100007F:B043 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 \
                    40321 1 0000000000000000 100 0 0 10 0";
        let wanted =
            Socket { address: "0100007F", port: 45123, peer_port: 0, state: LISTENS, inode: "40321" };
        assert_eq!(row(line), Some(wanted));
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
        assert_eq!(row(head), None);
        assert_eq!(row(""), None);
    }
}
