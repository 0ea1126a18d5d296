//! The ancestors of a process according to `/proc` (proc(5)).

use std::fs;

use super::table::recognised;
use crate::agent::process_stat;

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
