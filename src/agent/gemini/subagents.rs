//! The records of a session's subagents, which lie one folder deeper: `chats/<session>/<id>.jsonl`
//! (`chatRecordingService.ts` in gemini-cli).

use std::path::Path;

use super::chat::Chat;
use crate::agent::subagent_records::{FoundRecord, SubagentReader, SubagentRecords, is_id};
use crate::agent::turn_tracker::SubagentSteps;
use crate::model::{SessionObservation, Timestamp};

impl SubagentReader for Chat {
    fn steps(&self, id: &str, is_whole: bool, moved_at: Timestamp) -> SubagentSteps {
        let is_whole = is_whole && self.is_read_whole();
        SubagentSteps::of(id, &self.turns(), None, is_whole, Some(moved_at))
    }
}

/// Puts what the subagents of the session recorded in `chat` did among its steps.
pub(super) fn tell(chat: &Path, records: &mut SubagentRecords<Chat>, session: &mut SessionObservation) {
    if !is_id(&session.session_id) {
        return;
    }
    let (mut found, is_all) = FoundRecord::in_folder(&chat.with_file_name(session.session_id.as_str()), "");
    found.retain(|record| record.reaches(session));
    let all = records.read(&mut found);
    records.join(all, is_all, session);
}
