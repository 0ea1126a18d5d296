//! What may be at work in a workspace while the turn of its newest session is over. It looks at the
//! times of records only; whether that is recent enough is judged elsewhere.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::background::Background;
use crate::model::{Beside, BesideKind, SessionObservation, Timestamp};

/// The subagents of the session recorded in `transcript` that have not reported.
pub(super) fn subagents(transcript: &Path, background: &Background) -> Vec<Beside> {
    let folder = transcript.with_extension("").join("subagents");
    let beside = |(id, sent_at): &(String, Option<Timestamp>)| {
        let record = folder.join(format!("agent-{id}.jsonl")).symlink_metadata().ok();
        let moved_at = record.as_ref().and_then(modified_at).max(*sent_at);
        Beside { kind: BesideKind::Subagent, id: id.clone(), moved_at, live: None }
    };
    background.subagents().iter().map(beside).collect()
}

/// Another session, if its turn is open.
pub(super) fn session(other: &SessionObservation) -> Option<Beside> {
    other.is_turn_open().then(|| Beside {
        kind: BesideKind::Session,
        id: other.session_id.clone(),
        moved_at: other.written_at,
        live: other.live.clone(),
    })
}

/// When a file last changed.
pub(super) fn modified_at(metadata: &Metadata) -> Option<Timestamp> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_millis()).ok().map(Timestamp)
}
