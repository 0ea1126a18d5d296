//! The record of what was done: one line an action at its beginning and one at its end, in one file that only
//! grows. It is written before anything is done, so that what a crash cut off stands there as begun.
//!
//! It holds no text of a reply, a prompt or an answer.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::{ActionEnd, ActionKind, Actor, AuditEntry, Timestamp, WorkspaceId};

use super::StoreError;
use super::folder::{Store, nofollow, open_regular, sync_folder};
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
        let file = self.audit_file();
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
        let mut text = serde_json::to_vec(&line)
            .map_err(|source| StoreError::Unwritable { path: file.clone(), source })?;
        // A line that a crash cut off is ended first.
        text.insert(0, b'\n');
        text.push(b'\n');
        let is_new = !file.exists();
        let mut opened = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(nofollow())
            .open(&file)
            .map_err(StoreError::io("open", &file))?;
        opened.write_all(&text).map_err(StoreError::io("write", &file))?;
        opened.sync_data().map_err(StoreError::io("sync", &file))?;
        if is_new { sync_folder(self.folder()) } else { Ok(()) }
    }

    /// The actions that were written down, the newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn audit(&self) -> Result<Audit, StoreError> {
        let file = self.audit_file();
        let Some(content) = read_end(&file)? else { return Ok(Audit::default()) };
        let mut audit = Audit::default();
        let mut places = std::collections::HashMap::new();
        for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let Some(entry) = parse(line) else {
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

    fn audit_file(&self) -> PathBuf {
        self.folder().join("audit.jsonl")
    }
}

fn parse(line: &[u8]) -> Option<AuditEntry> {
    let line: Line = serde_json::from_slice(line).ok()?;
    if line.version > VERSION {
        return None;
    }
    Some(AuditEntry {
        id: line.id,
        at: line.at,
        by: line.by,
        workspace: WorkspaceId::on(&line.host, line.path.read().ok()?),
        kind: line.kind,
        plan: line.plan,
        end: line.end,
        decided: line.decided,
    })
}

/// The end of a file, from the beginning of a line; `None` if there is no file.
fn read_end(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let Some((mut file, length)) = open_regular(path)? else { return Ok(None) };
    let from = length.saturating_sub(MOST_READ);
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(from)).map_err(StoreError::io("read", path))?;
    file.take(MOST_READ).read_to_end(&mut content).map_err(StoreError::io("read", path))?;
    if from > 0 {
        let first = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
        content.drain(..first);
    }
    Ok(Some(content))
}
