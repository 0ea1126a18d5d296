//! Hooks: what agents tell, what is written down, what follows from it, and how hooks get into settings.

mod event;
mod fold;
mod gate;
mod reading;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};

use closeout::model::{HookEvent, HookKind, ProcessId, Timestamp};

/// The recorded payloads and what is expected of them.
fn fixtures(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(agent).join("hooks")
}

/// The recorded payloads of one run, in order.
fn payloads(agent: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(fixtures(agent).join(format!("{name}.stdin.jsonl"))).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// This very process.
fn this_process() -> ProcessId {
    let pid = std::process::id();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let started_at = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    ProcessId { pid, started_at: started_at.parse().unwrap() }
}

/// An event of the session `s`, so many seconds after the epoch.
fn event(at_s: i64, kind: HookKind) -> HookEvent {
    HookEvent::new(Timestamp(at_s * 1000), "s", kind)
}
