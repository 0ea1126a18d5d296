//! The subagents of a thread, according to the thread's record: which were sent off, and which have not reported.

use std::collections::BTreeMap;

use super::line::SubagentActivity;
use crate::agent::commands::is_uuid;
use crate::agent::turn_tracker::TurnTracker;
use crate::model::{Subagent, Timestamp};

/// Further subagents are not tracked.
pub(super) const MAX: usize = 64;

/// The subagents that have not reported yet.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    pub(super) open: Vec<OpenSubagent>,
    /// All that were sent off, with the time of the first word of each.
    pub(super) sent_off: BTreeMap<String, Option<Timestamp>>,
    /// Whether there were more than are kept.
    pub(super) is_cut: bool,
    /// Those that failed, with the time of the report.
    failed: Vec<Subagent>,
}

#[derive(Debug)]
pub(super) struct OpenSubagent {
    pub(super) id: String,
    pub(super) what: Option<String>,
    pub(super) started_at: Option<Timestamp>,
}

impl Subagents {
    /// Takes an item about a subagent. `turns` is told of each that was sent off.
    pub(super) fn hear(
        &mut self,
        activity: SubagentActivity,
        turns: &mut TurnTracker,
        at: Option<Timestamp>,
    ) {
        let id = activity.agent_thread_id;
        match activity.kind.as_str() {
            "started" | "interacted" if is_uuid(&id) => {
                turns.send_off(activity.agent_path.as_deref().unwrap_or_default(), &id, at);
                if self.sent_off.len() < MAX || self.sent_off.contains_key(&id) {
                    self.sent_off.entry(id.clone()).or_insert(at);
                } else {
                    self.is_cut = true;
                }
                self.open.retain(|open| open.id != id);
                self.failed.retain(|failed| failed.id != id);
                if self.open.len() < MAX {
                    self.open.push(OpenSubagent { id, what: activity.agent_path, started_at: at });
                }
            }
            "completed" | "interrupted" | "closed" | "shutdown" => self.open.retain(|open| open.id != id),
            "failed" | "errored" => {
                self.failed.retain(|failed| failed.id != id);
                let ended: Vec<OpenSubagent> = self.open.extract_if(.., |open| open.id == id).collect();
                let n_more = MAX.saturating_sub(self.failed.len());
                let failed = |it: OpenSubagent| Subagent { id: it.id, what: it.what, moved_at: at };
                self.failed.extend(ended.into_iter().take(n_more).map(failed));
            }
            _ => {}
        }
    }

    /// The subagents that failed, with the time at which the thread heard of it.
    pub(super) fn failed(&self) -> &[Subagent] {
        &self.failed
    }
}
