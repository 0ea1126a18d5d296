//! Background sessions (`claude --bg`). `jobs/<short>/state.json` says more about one than its registry
//! entry, which reads `idle` even while the agent waits for an answer.

use std::path::Path;

use serde::Deserialize;

use crate::agent::record::read_small;
use crate::agent::record_text::{moment, shortened_if_any};
use crate::model::{ActivitySource, LiveStatus, StatusReport, WaitsOn};

/// The longest state file read, in bytes. Real ones are about 1 KiB.
const LONGEST_STATE: u64 = 256 << 10;
pub(super) const STATE_FILE: &str = "state.json";

/// The state of a background session, as the client writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JobState {
    session_id: String,
    #[serde(default)]
    state: String,
    /// What the session is doing, in words.
    detail: Option<String>,
    /// What the session is waiting for, in words.
    needs: Option<String>,
    #[serde(default)]
    in_flight: InFlight,
    updated_at: Option<String>,
}

/// What runs besides the session's own turn.
#[derive(Default, Deserialize)]
struct InFlight {
    #[serde(default)]
    tasks: u32,
}

/// What the job in `folder` says beyond the registry entry, which claims that session `id` is idle.
pub(super) fn word(folder: &Path, id: &str) -> Option<StatusReport> {
    let bytes = read_small(&folder.join(STATE_FILE), LONGEST_STATE).ok()?;
    let job: JobState = serde_json::from_slice(&bytes).ok()?;
    if job.session_id != id {
        return None;
    }
    let (status, what) = match job.state.as_str() {
        "blocked" => (LiveStatus::Waiting { on: WaitsOn::Input }, job.needs.or(job.detail)),
        _ if job.in_flight.tasks > 0 => (LiveStatus::Background, job.detail),
        _ => return None,
    };
    let since = job.updated_at.as_deref().and_then(moment);
    let what = what.as_deref().and_then(shortened_if_any);
    Some(StatusReport { source: ActivitySource::Registry, status, since, reported_at: since, what })
}
