//! The record of what was done: one line an action at its beginning and one at its end, in one file that only
//! grows. It is written before anything is done, so that what a crash cut off stands there as begun.
//!
//! It holds no text of a reply, a prompt or an answer.

use serde::{Deserialize, Serialize};

use crate::disk::write::Journal;
use crate::model::{ActionEnd, ActionKind, Actor, AuditEntry, Timestamp, WorkspaceId};

use super::StoreError;
use super::folder::{Store, unreadable};
use super::written_path::WrittenPath;

/// The version that this program writes and the newest that it reads.
const VERSION: u32 = 1;
/// So much of the end of the file is read, in bytes: tens of thousands of actions.
const MOST_READ: u64 = 16 << 20;

/// What was read of the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// The actions, the newest first.
    pub entries: Vec<AuditEntry>,
    /// Lines that could not be read: cut off by a crash, damaged, or of a newer closeout.
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
    end: Option<ActionEnd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decided: Option<String>,
}

impl Store {
    /// Writes down that an action begins, or how it ended. It is on the disk when this returns.
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
            end: entry.end.clone(),
            decided: entry.decided.clone(),
        };
        let journal = self.audit_journal();
        journal.append(&line).map_err(StoreError::io("write", journal.path()))
    }

    /// The actions that were written down, the newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn audit(&self) -> Result<Audit, StoreError> {
        let journal = self.audit_journal();
        let lines = journal.read().map_err(|error| unreadable(journal.path(), error))?;
        let mut audit = Audit { n_unread: lines.n_unread(), ..Audit::default() };
        let mut places = std::collections::HashMap::new();
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

    fn audit_journal(&self) -> Journal<Line> {
        Journal::at(self.folder().join("audit.jsonl"), MOST_READ, None)
    }
}

impl Line {
    /// What it says; `None` in the words of a newer closeout.
    fn entry(self) -> Option<AuditEntry> {
        if self.version > VERSION {
            return None;
        }
        Some(AuditEntry {
            id: self.id,
            at: self.at,
            by: self.by,
            workspace: WorkspaceId::on(&self.host, self.path.read().ok()?),
            kind: self.kind,
            plan: self.plan,
            end: self.end,
            decided: self.decided,
        })
    }
}
