//! The records of a session's subagents, which lie one folder deeper: `chats/<session>/<id>.jsonl`
//! (`chatRecordingService.ts` in gemini-cli).

use std::path::Path;

use super::chat::Chat;
use crate::agent::record::LineReader;
use crate::agent::subagent_records::{FoundRecord, SubagentReader, SubagentRecords};
use crate::agent::turn_tracker::SubagentSteps;
use crate::model::{SessionObservation, Timestamp};

/// A subagent's record, of which every line counts.
#[derive(Debug, Default)]
pub(super) struct SubagentChat(Chat);

impl LineReader for SubagentChat {
    fn take(&mut self, line: &[u8]) {
        self.0.take(line);
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.0.pass_over(begin);
    }

    /// What it did first counts as well.
    fn is_enough(&self) -> bool {
        false
    }
}

impl SubagentReader for SubagentChat {
    fn steps(&self, id: &str, is_whole: bool, moved_at: Timestamp) -> SubagentSteps {
        let is_whole = is_whole && self.0.is_read_whole();
        SubagentSteps::of(id, &self.0.turns(), None, is_whole, Some(moved_at))
    }
}

/// Puts what the subagents of the session recorded in `chat` did among its steps.
pub(super) fn tell(
    chat: &Path,
    records: &mut SubagentRecords<SubagentChat>,
    session: &mut SessionObservation,
) {
    // The id becomes part of a path.
    let is_id = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
    if session.session_id.is_empty() || !session.session_id.chars().all(is_id) {
        return;
    }
    let (mut found, is_all) = FoundRecord::in_folder(&chat.with_file_name(&session.session_id), "");
    found.retain(|record| record.reaches(session));
    let all = records.read(&mut found);
    records.join(all, is_all, session);
}
