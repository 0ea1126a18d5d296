//! Finds the process of the agent that runs this hook: the nearest ancestor that is not a shell. It must not
//! signal it.

use std::fs;

use crate::agent::process_stat;
use crate::model::ProcessId;

/// How many ancestors are examined.
const MAX_ANCESTORS: usize = 8;
/// Programs that may stand between an agent and its hook.
const BETWEEN: [&str; 14] = [
    "ash", "bash", "busybox", "csh", "dash", "env", "fish", "ksh", "mksh", "nice", "sh", "tcsh", "timeout",
    "zsh",
];

/// The agent's process: the one with the id `named` if it exists, otherwise the nearest ancestor that is not
/// a shell.
pub(super) fn agent_process(named: Option<u32>) -> Option<ProcessId> {
    if let Some(pid) = named
        && let Ok(stat) = process_stat::read(pid)
    {
        return Some(ProcessId { pid, started_at: stat.started_at });
    }
    let mut pid = process_stat::read(std::process::id()).ok()?.parent;
    for _ in 0..MAX_ANCESTORS {
        if pid <= 1 {
            return None;
        }
        let stat = process_stat::read(pid).ok()?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if !BETWEEN.contains(&name.trim_end()) {
            return Some(ProcessId { pid, started_at: stat.started_at });
        }
        pid = stat.parent;
    }
    None
}

/// Whether the command line of the process contains the word `sought`.
pub(super) fn has_word(process: ProcessId, sought: &str) -> bool {
    let words = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
    words.split(|byte| *byte == 0).skip(1).any(|word| word == sought.as_bytes())
}

/// The namespace of this process's id, like `pid:[4026531836]`.
pub(super) fn pid_namespace() -> Option<String> {
    fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()
}
