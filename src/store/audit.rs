//! The audit log: one line when an action begins and one when it ends, in a file that only grows. Each line
//! is written before anything is done, so an action cut short by a crash is recorded as begun.
//!
//! It contains no text of replies, prompts or answers.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::disk::write::Journal;
use crate::model::{ActionEnd, ActionKind, Actor, AuditEntry, Timestamp, WorkspaceId};

use super::StoreError;
use super::folder::{Store, unreadable};
use super::history::{CLOCK_MS, N_BEFORE};
use super::line_index::{Wanted, newest_lines};
use super::written_path::WrittenPath;

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;
/// How much of the end of the file is read, in bytes: tens of thousands of actions.
const MAX_READ: u64 = 16 << 20;

/// The part of the audit log that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// The actions, newest first.
    pub entries: Vec<AuditEntry>,
    /// Lines that could not be read: cut short by a crash, damaged, or written by a newer closeout.
    pub n_unread: usize,
}

#[derive(Serialize, Deserialize)]
struct Line {
    version: u32,
    id: String,
    at: Timestamp,
    by: Actor,
    host: String,
    #[serde(flatten)]
    path: WrittenPath,
    kind: ActionKind,
    plan: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<ActionEnd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decided: Option<String>,
}

impl Store {
    /// Records that an action begins, or how it ended. The entry is on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let line = Line {
            version: VERSION,
            id: entry.id.clone(),
            at: entry.at,
            by: entry.by,
            host: entry.workspace.host().to_owned(),
            path: WrittenPath::of(entry.workspace.path()),
            kind: entry.kind,
            plan: entry.plan.clone(),
            agent: entry.agent.clone(),
            end: entry.end.clone(),
            decided: entry.decided.clone(),
        };
        let journal = self.audit_journal();
        journal.append(&line).map_err(StoreError::io("write", journal.path()))
    }

    /// The recorded actions that began since a time, newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn audit(&self, since: Option<Timestamp>) -> Result<Audit, StoreError> {
        let is_before = |line: &Line| since.is_some_and(|since| line.at < since.plus_millis(-CLOCK_MS));
        let are_enough = |lines: &[Line]| lines.len() >= N_BEFORE && lines[..N_BEFORE].iter().all(is_before);
        let mut audit = self.audit_end(&are_enough)?;
        audit.entries.retain(|entry| since.is_none_or(|since| entry.at >= since));
        Ok(audit)
    }

    /// The newest `most` actions, newest first. Only the end of the file is read.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn newest_audit(&self, most: usize) -> Result<Audit, StoreError> {
        // An action has a line for its beginning and one for its end.
        let mut audit = self.audit_end(&|lines: &[Line]| lines.len() >= most.saturating_mul(2))?;
        audit.entries.truncate(most);
        Ok(audit)
    }

    fn audit_end(&self, are_enough: &dyn Fn(&[Line]) -> bool) -> Result<Audit, StoreError> {
        let journal = self.audit_journal();
        let (lines, _) = journal.read_end(are_enough).map_err(|error| unreadable(journal.path(), error))?;
        let mut audit = Audit { n_unread: lines.n_unread(), ..Audit::default() };
        let mut places = HashMap::new();
        for line in lines.entries {
            let Some(entry) = line.entry() else {
                audit.n_unread += 1;
                continue;
            };
            let next = audit.entries.len();
            let place = *places.entry(entry.id.clone()).or_insert(next);
            if place < next {
                audit.entries[place] = entry;
            } else {
                audit.entries.push(entry);
            }
        }
        audit.entries.reverse();
        Ok(audit)
    }

    /// The newest actions of these workspaces, the newest first: so many of each at most.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn audit_of(&self, workspaces: &[WorkspaceId], most_of_each: usize) -> Result<Audit, StoreError> {
        let (path, index) = (self.audit_journal().path().to_owned(), self.folder().join("audit.index"));
        let key_of = |line: &[u8]| serde_json::from_slice::<Line>(line).ok()?.workspace();
        // An action has a line for its beginning and one for its end.
        let wanted = Wanted { workspaces, most_of_each: most_of_each * 2, most: usize::MAX };
        let lines = newest_lines(&path, &index, wanted, &key_of);
        let lines = lines.map_err(|error| unreadable(&path, error))?;
        let mut audit = Audit::default();
        let mut known = HashSet::new();
        let mut left: HashMap<WorkspaceId, usize> =
            workspaces.iter().map(|workspace| (workspace.clone(), most_of_each)).collect();
        for line in lines {
            let entry = serde_json::from_slice::<Line>(&line).ok().and_then(Line::entry);
            let Some(entry) = entry else {
                audit.n_unread += 1;
                continue;
            };
            // The line of its end comes first, and says all.
            if !known.insert(entry.id.clone()) {
                continue;
            }
            let Some(left) = left.get_mut(&entry.workspace).filter(|left| **left > 0) else { continue };
            *left -= 1;
            audit.entries.push(entry);
        }
        Ok(audit)
    }

    fn audit_journal(&self) -> Journal<Line> {
        Journal::at(self.folder().join("audit.jsonl"), MAX_READ, None)
    }
}

impl Line {
    fn workspace(&self) -> Option<WorkspaceId> {
        Some(WorkspaceId::on(&self.host, self.path.clone().read().ok()?))
    }

    /// What it says; `None` in the words of a newer closeout.
    fn entry(self) -> Option<AuditEntry> {
        if self.version > VERSION {
            return None;
        }
        let workspace = self.workspace()?;
        let end = self
            .end
            .map(|end| ActionEnd { count: end.count.or_else(|| old_count(self.kind, &end.message)), ..end });
        let agent = self.agent.or_else(|| old_agent(self.kind, &self.plan));
        Some(AuditEntry {
            id: self.id,
            at: self.at,
            by: self.by,
            workspace,
            kind: self.kind,
            plan: self.plan,
            agent,
            end,
            decided: self.decided,
        })
    }
}

/// The count in the message of an older closeout: "COMPLETE after 3 probes".
fn old_count(kind: ActionKind, message: &str) -> Option<u32> {
    let (_, rest) = message.split_once(" after ").filter(|_| kind == ActionKind::Probe)?;
    rest.strip_suffix(" probes")?.parse().ok()
}

/// The agent in the text of an older closeout.
fn old_agent(kind: ActionKind, plan: &str) -> Option<String> {
    let name = match kind {
        ActionKind::Gate => plan.split(' ').next(),
        ActionKind::Probe | ActionKind::Verify => plan.split(',').next(),
        ActionKind::Reply => plan.strip_prefix("to ").and_then(|rest| rest.split(',').next()),
        ActionKind::Plan
        | ActionKind::Record
        | ActionKind::Rescue
        | ActionKind::Undo
        | ActionKind::Redo
        | ActionKind::Restore
        | ActionKind::Forget
        | ActionKind::Trust
        | ActionKind::Opinion
        | ActionKind::Messages
        | ActionKind::Decide
        | ActionKind::Mark
        | ActionKind::Checks => None,
    };
    name.filter(|name| !name.is_empty() && !name.contains(' ')).map(str::to_owned)
}
