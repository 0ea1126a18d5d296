//! The records of a session's subagents, which lie beside its own: `<session>/subagents/agent-<id>.jsonl`.
//! Versions around 2.0 wrote them into the folder of the session's record, older ones into that record.

use std::path::{Path, PathBuf};

use super::transcript::Transcript;
use crate::agent::subagent_records::{FoundRecord, SubagentReader, SubagentRecords, is_id};
use crate::agent::turn_tracker::SubagentSteps;
use crate::model::{Deed, SessionObservation, Timestamp};

/// How many subagents are looked for beside the session's record.
const MAX_BESIDE: usize = 256;

impl SubagentReader for Transcript {
    fn of_subagent() -> Transcript {
        Transcript::of_subagent()
    }

    fn steps(&self, id: &str, is_whole: bool, moved_at: Timestamp) -> SubagentSteps {
        // Its tools take absolute paths.
        SubagentSteps::of(id, self.turns(), None, is_whole, Some(moved_at))
    }
}

/// The folder with the records of its subagents.
pub(super) fn folder_of(transcript: &Path) -> PathBuf {
    transcript.with_extension("").join("subagents")
}

/// Puts what the subagents of the session recorded in `transcript` did among its steps.
pub(super) fn tell(
    transcript: &Path,
    records: &mut SubagentRecords<Transcript>,
    session: &mut SessionObservation,
) {
    let (mut found, is_all) = FoundRecord::in_folder(&folder_of(transcript), "agent-");
    found.extend(beside(transcript, session, &found));
    found.retain(|record: &FoundRecord| record.reaches(session));
    let all = records.read(&mut found);
    records.join(all, is_all, session);
}

/// The records of subagents that lie where versions around 2.0 wrote them.
fn beside(transcript: &Path, session: &SessionObservation, known: &[FoundRecord]) -> Vec<FoundRecord> {
    let steps = session.history.turns.iter().flat_map(|turn| &turn.steps);
    let mut ids: Vec<&str> = steps
        .filter_map(|step| match &step.deed {
            Deed::SentOff { id, .. } => id.as_deref(),
            Deed::Command(_) | Deed::Edit { .. } | Deed::Asked { .. } | Deed::Other { .. } => None,
        })
        .filter(|id| is_id(id) && !known.iter().any(|known| known.id == *id))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MAX_BESIDE);
    let at = |id: &str| FoundRecord::at(id, transcript.with_file_name(format!("agent-{id}.jsonl")));
    ids.into_iter().filter_map(at).collect()
}
