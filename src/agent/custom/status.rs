//! The status file of a configured agent, which is its live status report. If the process it names has
//! ended, the session is reported as gone.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::search::Place;
use crate::agent::process_stat::{self, BOOT_SLACK_MS, booted_at};
use crate::agent::record::{modified_at, read_range};
use crate::agent::record_text::shortened_if_any;
use crate::model::{ActivitySource, LiveStatus, ProcessId, StatusReport, Timestamp, WaitsOn};

/// The longest status file read, in bytes.
const LONGEST: u64 = 64 << 10;
/// One clock tick as `/proc` reports times to programs, in milliseconds: 100 per second on every machine
/// Rust supports (`USER_HZ`, proc(5)).
const TICK_MS: i64 = 10;

#[derive(Deserialize)]
struct Written {
    status: String,
    detail: Option<String>,
    pid: Option<u32>,
}

/// Reads the status file: its report, and the process it names if that is alive.
pub(super) fn read(place: &Place) -> Option<(StatusReport, Option<ProcessId>)> {
    let search = place.search();
    let file = place.open(&search.files.first()?.id).ok()?;
    let metadata = file.metadata().ok()?;
    if metadata.len() > LONGEST {
        return None;
    }
    let written: Written = serde_json::from_slice(&read_range(&file, 0, metadata.len()).ok()?).ok()?;
    let reported_at = modified_at(&metadata);
    let told = match written.status.as_str() {
        "working" => LiveStatus::Busy,
        "idle" => LiveStatus::Idle,
        "waiting" => LiveStatus::Waiting { on: WaitsOn::Input },
        "permission" => LiveStatus::Waiting { on: WaitsOn::Permission },
        "background" => LiveStatus::Background,
        "done" => LiveStatus::Ended,
        "error" => LiveStatus::Failed,
        _ => return None,
    };
    let process = written.pid.map(|pid| process(pid, reported_at));
    let (status, process) = match process {
        None | Some(Process::Unknown) => (told, None),
        Some(Process::Lives(id)) => (told, Some(id)),
        // A process may report its own end.
        Some(Process::Gone) if matches!(told, LiveStatus::Ended | LiveStatus::Failed) => (told, None),
        Some(Process::Gone) => (LiveStatus::Gone, None),
    };
    let what = written.detail.as_deref().and_then(shortened_if_any);
    let since = Some(reported_at);
    Some((
        StatusReport { source: ActivitySource::Registry, status, since, reported_at: since, what },
        process,
    ))
}

enum Process {
    Lives(ProcessId),
    Gone,
    Unknown,
}

/// The process with this PID, if it is the one that wrote the file at `reported_at`. One that started later
/// is a different process.
fn process(pid: u32, reported_at: Timestamp) -> Process {
    if !Path::new("/proc/self/stat").exists() {
        return Process::Unknown;
    }
    let started_at = match process_stat::read(pid) {
        Ok(stat) if !stat.is_dead => stat.started_at,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Process::Unknown,
        Ok(_) | Err(_) => return Process::Gone,
    };
    let is_later = booted_at().is_some_and(|boot| {
        let after_ms = i64::try_from(started_at).unwrap_or(i64::MAX).saturating_mul(TICK_MS);
        after_ms.saturating_add(boot.0) > reported_at.0.saturating_add(BOOT_SLACK_MS)
    });
    if is_later { Process::Gone } else { Process::Lives(ProcessId { pid, started_at }) }
}
