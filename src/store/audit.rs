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
        let lines = newest_lines((&path, &index), wanted, &key_of);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_before_tell_what_they_count_and_of_whom() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::open(temp.path().join("state")).unwrap();
        let old = [
            r#"{"version":1,"id":"1","at":1,"by":"command","host":"","path":"/w","kind":"probe","plan":"claude, at most 5 times","end":{"at":2,"class":"done","words":"COMPLETE after 3 probes"}}"#,
            r#"{"version":1,"id":"2","at":3,"by":"configuration","host":"","path":"/w","kind":"gate","plan":"codex s-1","end":{"at":3,"class":"done","message":"held back, 1 of at most 8 in a row; open points: 2"}}"#,
            r#"{"version":1,"id":"3","at":4,"by":"command","host":"","path":"/w","kind":"reply","plan":"to a supervised run","end":{"at":5,"class":"done","message":"handed over"}}"#,
        ];
        std::fs::write(store.folder().join("audit.jsonl"), old.join("\n")).unwrap();
        let audit = store.audit(None).unwrap();
        let told: Vec<_> = audit
            .entries
            .iter()
            .rev()
            .map(|entry| (entry.agent.as_deref(), entry.end.as_ref().and_then(|end| end.count)))
            .collect();
        assert_eq!(told, [(Some("claude"), Some(3)), (Some("codex"), None), (None, None)]);
        // What is written now is read back unchanged.
        let end = ActionEnd {
            at: Timestamp(9),
            class: crate::model::ActionClass::Done,
            message: String::new(),
            count: Some(7),
        };
        let entry = AuditEntry {
            id: "4".to_owned(),
            agent: Some("x y".to_owned()),
            end: Some(end),
            ..audit.entries[0].clone()
        };
        store.write_audit(&entry).unwrap();
        assert_eq!(store.audit(None).unwrap().entries[0], entry);
    }

    /// More lines than one reading of the end takes; each action has two.
    #[test]
    fn the_newest_are_found_at_the_end_and_a_period_in_what_is_before_too() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::open(temp.path().join("state")).unwrap();
        let line = |n: i64, end: &str| {
            let at = n * 1_000;
            format!(
                r#"{{"version":1,"id":"{n}","at":{at},"by":"command","host":"","path":"/w","kind":"mark","plan":"done"{end}}}"#
            )
        };
        let end = r#","end":{"at":9,"class":"done","message":""}"#;
        let lines: Vec<String> =
            (0..5_000).flat_map(|n| [line(n, ""), line(n, end)]).chain([line(5_000, "")]).collect();
        std::fs::write(store.folder().join("audit.jsonl"), lines.join("\n") + "\n").unwrap();
        let ids = |audit: &Audit| audit.entries.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>();
        let newest = store.newest_audit(3).unwrap();
        assert_eq!(ids(&newest), ["5000", "4999", "4998"]);
        assert_eq!(newest.entries[0].end, None, "it was begun and not ended");
        assert!(newest.entries[1..].iter().all(|entry| entry.end.is_some()));
        assert_eq!(store.newest_audit(10_000).unwrap().entries.len(), 5_001);
        assert_eq!(store.audit(Some(Timestamp(1_000_000))).unwrap().entries.len(), 4_001);
        assert_eq!(store.audit(None).unwrap().entries.len(), 5_001);
    }
}
