//! Subagents that may be at work while the turn of their session is over. It looks at the times of
//! records only; whether that is recent enough is judged elsewhere.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::background::Background;
use crate::model::{Subagent, Timestamp};

/// The subagents of the session recorded in `transcript` that have not reported.
pub(super) fn subagents(transcript: &Path, background: &Background) -> Vec<Subagent> {
    let folder = transcript.with_extension("").join("subagents");
    let subagent = |(id, sent_at): &(String, Option<Timestamp>)| {
        let record = folder.join(format!("agent-{id}.jsonl")).symlink_metadata().ok();
        let moved_at = record.as_ref().and_then(modified_at).max(*sent_at);
        Subagent { id: id.clone(), what: None, moved_at }
    };
    background.subagents().iter().map(subagent).collect()
}

/// When a file last changed.
pub(super) fn modified_at(metadata: &Metadata) -> Option<Timestamp> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_millis()).ok().map(Timestamp)
}
