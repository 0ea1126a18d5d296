//! Of which processes a process came, as far as `/proc` tells (proc(5)).

use std::fs;

use super::table::recognised;
use crate::agent::process_stat;

/// How many steps up the line of parents are followed.
const MOST_PARENTS: usize = 32;

/// The numbers of a process and its parents, from itself upwards.
pub(in crate::agent) fn line_of_parents(pid: u32) -> Vec<u32> {
    let mut line = vec![pid];
    while line.len() < MOST_PARENTS {
        match line.last().map(|pid| process_stat::read(*pid)) {
            Some(Ok(stat)) if stat.parent > 1 => line.push(stat.parent),
            _ => break,
        }
    }
    line
}

/// Whether this very process came of an agent's: one that it knows by name, up to the first process of the
/// machine, or to what was left behind by its parent. `None` where that cannot be told.
pub fn is_agent_above() -> Option<bool> {
    let this = fs::read_link("/proc/self").ok()?;
    let mut pid = this.to_str()?.parse().ok()?;
    for _ in 0..MOST_PARENTS {
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

/// Whether the process `pid` is `ancestor` or came of it.
pub fn is_below(pid: u32, ancestor: u32) -> bool {
    line_of_parents(pid).contains(&ancestor)
}
