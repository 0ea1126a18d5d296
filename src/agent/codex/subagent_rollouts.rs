//! The rollouts of a thread's subagents: when each last grew, and what it says. A subagent has a rollout of its own,
//! whose first line names the parent.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::rollout::Rollout;
use super::subagents::{MAX, OpenSubagent, Subagents};
use crate::agent::record::modified_at;
use crate::agent::subagent_records::{FoundRecord, SubagentReader, SubagentRecords};
use crate::agent::turn_tracker::SubagentSteps;
use crate::model::{SessionObservation, Subagent, Timestamp};

/// Days to search around the start time, in UTC. A rollout lies in the folder of the client's local day,
/// which can be the day before or after.
const DAYS: [i64; 3] = [0, -1, 1];
/// How deep subagents of subagents are followed.
const DEPTH: usize = 4;

/// The rollouts of a thread's subagents, as far as they were found and read.
#[derive(Debug, Default)]
pub(super) struct Rollouts {
    paths: BTreeMap<String, PathBuf>,
    /// Those that were looked for in vain.
    missing: BTreeSet<String>,
    records: SubagentRecords<Rollout>,
}

impl Rollouts {
    /// The subagents that have not reported, each with the time its rollout last grew.
    pub(super) fn look(&mut self, subagents: &Subagents, sessions: &Path) -> Vec<Subagent> {
        let look = |open: &OpenSubagent| {
            let path = self.path_of(&open.id, sessions, open.started_at, true);
            let record = path.and_then(|path| path.symlink_metadata().ok());
            let moved_at = record.as_ref().map(modified_at).max(open.started_at);
            Subagent { id: open.id.clone(), what: open.what.clone(), moved_at }
        };
        subagents.open.iter().map(look).collect()
    }

    /// Puts what the subagents did, and those that they sent off themselves, among the steps of `session`.
    pub(super) fn tell(&mut self, subagents: &Subagents, sessions: &Path, session: &mut SessionObservation) {
        let mut sent_off = subagents.sent_off.clone();
        let mut awaited: BTreeSet<String> = subagents.open.iter().map(|open| open.id.clone()).collect();
        let mut is_all = !subagents.is_cut;
        let mut all = Vec::new();
        for depth in 1..=DEPTH {
            let n_known = sent_off.len();
            let mut found = Vec::with_capacity(n_known);
            for (id, at) in &sent_off {
                let path = self.path_of(id, sessions, *at, awaited.contains(id));
                found.extend(path.and_then(|path| FoundRecord::at(id, path.clone())));
            }
            all = self.records.read(&mut found);
            for further in self.records.readers().map(|thread| &thread.subagents) {
                is_all &= !further.is_cut;
                awaited.extend(further.open.iter().map(|open| open.id.clone()));
                for (id, at) in &further.sent_off {
                    sent_off.entry(id.clone()).or_insert(*at);
                }
            }
            let is_end = sent_off.len() == n_known;
            is_all &= sent_off.len() <= MAX && (is_end || depth < DEPTH);
            if is_end || !is_all {
                break;
            }
        }
        self.records.join(all, is_all, session);
    }

    /// Where the rollout of a thread is that started around `at`. One that is awaited is looked for again.
    fn path_of(
        &mut self,
        id: &str,
        sessions: &Path,
        at: Option<Timestamp>,
        is_awaited: bool,
    ) -> Option<&PathBuf> {
        if !self.paths.contains_key(id) && (is_awaited || !self.missing.contains(id)) {
            match rollout_of(id, sessions, at) {
                Some(path) => drop(self.paths.insert(id.to_owned(), path)),
                None => drop(self.missing.insert(id.to_owned())),
            }
        }
        self.paths.get(id)
    }
}

impl SubagentReader for Rollout {
    fn steps(&self, id: &str, is_whole: bool, moved_at: Timestamp) -> SubagentSteps {
        SubagentSteps::of(id, self.turns(), self.folder(), is_whole, Some(moved_at))
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
