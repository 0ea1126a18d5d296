//! Subagents that may be at work while the turn of their session is over. It looks at the times of
//! records and at their labels only; whether that is recent enough is judged elsewhere.

use std::path::Path;

use serde::Deserialize;

use super::background::{Background, SentOff};
use crate::agent::record_file::{modified_at, read_small};
use crate::agent::record_text::shortened_if_any;
use crate::model::Subagent;

/// A longer label is passed over; real ones have less than 1 KiB. In bytes.
const LONGEST_LABEL: u64 = 64 << 10;

/// What stands beside the record of a subagent, as far as it is used.
#[derive(Deserialize)]
struct Label {
    description: String,
}

/// The subagents of the session recorded in `transcript` that have not reported.
pub(super) fn subagents(transcript: &Path, background: &Background) -> Vec<Subagent> {
    let folder = transcript.with_extension("").join("subagents");
    let subagent = |sent: &SentOff| {
        let record = folder.join(format!("agent-{}.jsonl", sent.id)).symlink_metadata().ok();
        Subagent {
            id: sent.id.clone(),
            what: sent.what.clone().or_else(|| labelled(&folder, &sent.id)),
            moved_at: record.as_ref().map(modified_at).max(sent.at),
        }
    };
    background.subagents().iter().map(subagent).collect()
}

/// What the client wrote beside the record of a subagent.
fn labelled(folder: &Path, id: &str) -> Option<String> {
    let bytes = read_small(&folder.join(format!("agent-{id}.meta.json")), LONGEST_LABEL).ok()?;
    let label: Label = serde_json::from_slice(&bytes).ok()?;
    shortened_if_any(&label.description)
}
