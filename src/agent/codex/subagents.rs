//! The subagents of a thread: which have not reported, according to the thread's record, and when the
//! rollout of each last grew. A subagent has a rollout of its own, whose first line names the parent.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::line::SubagentActivity;
use crate::agent::commands::is_uuid;
use crate::agent::record::modified_at;
use crate::model::{Subagent, Timestamp};

/// Further subagents are not tracked.
const MAX: usize = 64;
/// Days to search around the start time, in UTC. A rollout lies in the folder of the client's local day,
/// which can be the day before or after.
const DAYS: [i64; 3] = [0, -1, 1];

/// The subagents that have not reported yet.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    open: Vec<OpenSubagent>,
    /// Those that failed, with the time of the report.
    failed: Vec<Subagent>,
}

#[derive(Debug)]
struct OpenSubagent {
    id: String,
    what: Option<String>,
    started_at: Option<Timestamp>,
}

impl Subagents {
    /// Takes an item about a subagent.
    pub(super) fn hear(&mut self, activity: SubagentActivity, at: Option<Timestamp>) {
        let id = activity.agent_thread_id;
        match activity.kind.as_str() {
            "started" | "interacted" if is_uuid(&id) => {
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

    /// The subagents that have not reported, each with the time its rollout last grew. `paths` caches where
    /// the rollouts are.
    pub(super) fn look(&self, sessions: &Path, paths: &mut BTreeMap<String, PathBuf>) -> Vec<Subagent> {
        paths.retain(|id, _| self.open.iter().any(|open| open.id == *id));
        let look = |open: &OpenSubagent| {
            if !paths.contains_key(&open.id)
                && let Some(path) = rollout_of(&open.id, sessions, open.started_at)
            {
                paths.insert(open.id.clone(), path);
            }
            let record = paths.get(&open.id).and_then(|path| path.symlink_metadata().ok());
            let moved_at = record.as_ref().map(modified_at).max(open.started_at);
            Subagent { id: open.id.clone(), what: open.what.clone(), moved_at }
        };
        self.open.iter().map(look).collect()
    }
}

/// Finds the rollout of a thread that started around `at`.
fn rollout_of(id: &str, sessions: &Path, at: Option<Timestamp>) -> Option<PathBuf> {
    let day = jiff::Timestamp::from_millisecond(at?.0).ok()?;
    let end = format!("-{id}.jsonl");
    DAYS.iter().find_map(|days| {
        let day = day.checked_add(jiff::SignedDuration::from_hours(24 * days)).ok()?;
        let folder = sessions.join(day.strftime("%Y/%m/%d").to_string());
        let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
        let mut named = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(&end));
        named.next().map(|entry| entry.path())
    })
}
