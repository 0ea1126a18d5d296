//! What was done to a worktree, outside the repository: one line an action, only ever appended.
//!
//! It must not be repaired in place: a line that was cut by a crash is passed over, and a damaged one
//! is said.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::RescueError;
use super::whole_file::read_small;
use crate::disk::write;
use crate::git::Sha1;

/// The most that is read of a journal: some hundred thousand actions.
const CAP: u64 = 256 << 20;

/// One action. The key that names it is that of every journal there is: with another one the rescues of older
/// versions could not be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// A record is saved.
    Saved(Saved),
    /// Branch and index are about to move.
    Moving(Move),
    /// They have moved.
    Moved {
        /// The move.
        id: String,
    },
    /// They have not moved and will not.
    RolledBack {
        /// The move.
        id: String,
    },
    /// A record is deleted for good, on a person's word; it is not to be put back.
    Forgotten {
        /// The hidden reference.
        reference: String,
        /// Moves whose indexes went with it.
        moves: Vec<String>,
    },
}

/// A record that is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Saved {
    /// The hidden reference.
    pub(super) reference: String,
    /// The commit of the work tree.
    pub(super) snapshot: String,
    /// The commit of index and facts.
    pub(super) record: String,
    /// Where the branch was.
    pub(super) head: Option<String>,
    /// The meaning of the index.
    pub(super) digest: String,
    /// What is shown of it; missing in lines of older versions.
    #[serde(default)]
    pub(super) shown: Shown,
}

/// What is shown of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shown {
    /// When it was made, in milliseconds since the epoch.
    pub(super) time: Option<i64>,
    /// The branch by its full name.
    pub(super) branch: Option<String>,
    /// How many files.
    pub(super) n_files: Option<usize>,
    /// How many bytes they have.
    pub(super) n_bytes: Option<u64>,
    /// How many bytes it took on the disk.
    pub(super) n_disk_bytes: Option<u64>,
    /// How many gaps.
    pub(super) n_gaps: Option<usize>,
    /// The name of its bundle in our own folder of the worktree.
    pub(super) vault: Option<String>,
    /// True when no reference was made.
    #[serde(default)]
    pub(super) is_vault_only: bool,
}

/// What a move is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    /// A visible commit.
    Commit,
    /// Its undo.
    Undo,
    /// The undo's undo.
    Redo,
}

/// A move of a branch and the index that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Move {
    /// Names it.
    pub(super) id: String,
    /// What it is for.
    pub(super) purpose: Purpose,
    /// The branch by its full name.
    pub(super) branch: String,
    /// Where it is; `None` for unborn.
    pub(super) from: Option<String>,
    /// Where it goes; `None` for unborn.
    pub(super) to: Option<String>,
    /// The meaning of the index before.
    pub(super) digest_before: String,
    /// The meaning of the index after.
    pub(super) digest_after: String,
    /// The file of ours that holds the bytes of the index before; `None` when there was no index.
    pub(super) index_before: Option<KeptIndex>,
    /// The file of ours that holds the bytes of the index after; `None` when there is none.
    pub(super) index_after: Option<KeptIndex>,
    /// Device and inode of the new index, which is linked to git's lock.
    pub(super) inode: (u64, u64),
    /// Device and inode of the file that the locks on HEAD and the branch are linked from; `None` when git
    /// moves the branch.
    pub(super) branch_inode: Option<(u64, u64)>,
    /// True when only the branch moves: it is not checked out, and the index is not its own.
    #[serde(default)]
    pub(super) is_branch_only: bool,
    /// Of a new branch: the commit that it grew from.
    pub(super) base: Option<String>,
    /// The reference of the record that was made first.
    #[serde(default)]
    pub(super) record: String,
}

impl Move {
    /// The making of a branch that grows from `base`. Nothing else moves.
    pub(super) fn of_branch(
        id: String,
        branch: String,
        to: Option<String>,
        base: Option<String>,
        record: String,
    ) -> Move {
        Move {
            id,
            purpose: Purpose::Commit,
            branch,
            from: None,
            to,
            digest_before: String::new(),
            digest_after: String::new(),
            index_before: None,
            index_after: None,
            inode: (0, 0),
            branch_inode: None,
            is_branch_only: true,
            base,
            record,
        }
    }
}

/// An index that we keep in our own folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptIndex {
    /// The name of the file in our folder, which is the sum of its bytes.
    pub(super) sum: String,
    /// The time of the index file, in seconds and nanoseconds since the epoch.
    pub(super) modified: (u64, u32),
}

/// What a journal holds.
pub(super) type Reading = write::Lines<JournalEntry>;

/// The journal of one worktree.
pub(super) struct Journal {
    lines: write::Journal<JournalEntry>,
    /// The record whose reference is about to be made. Its line comes after the reference: a journal never tells of a
    /// record that is not kept.
    pending: PathBuf,
}

impl Journal {
    /// The journal in `folder`.
    pub(super) fn at(folder: &Path) -> Journal {
        let lines = write::Journal::at(folder.join("journal"), CAP, Some(Sha1::of));
        Journal { lines, pending: folder.join("pending") }
    }

    /// Writes down that the reference of `record` is about to be made; it is on the disk when this returns.
    pub(super) fn begin(&self, record: &Saved) -> Result<(), RescueError> {
        let text = serde_json::to_vec(record).map_err(std::io::Error::from);
        let written = text.and_then(|text| write::replace(&self.pending, &text));
        written.map_err(RescueError::io("write", &self.pending))
    }

    /// Appends the line of a record that was begun.
    pub(super) fn end(&self, record: Saved) -> Result<(), RescueError> {
        self.append(&JournalEntry::Saved(record))?;
        self.clear_pending();
        Ok(())
    }

    /// The record that was begun and not ended; a crash came in between.
    pub(super) fn pending(&self) -> Result<Option<Saved>, RescueError> {
        let text = read_small(&self.pending)?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    /// Forgets what was begun.
    pub(super) fn clear_pending(&self) {
        // What stays is compared with the journal next time.
        let _ = std::fs::remove_file(&self.pending);
    }

    /// Appends an action; it is on the disk when this returns.
    pub(super) fn append(&self, action: &JournalEntry) -> Result<(), RescueError> {
        self.lines.append(action).map_err(RescueError::io("append to", self.lines.path()))
    }

    /// All actions, and what could not be read.
    pub(super) fn read(&self) -> Result<Reading, RescueError> {
        self.lines.read().map_err(RescueError::io("read", self.lines.path()))
    }

    /// Writes the journal again without the actions that `is_gone` names.
    pub(super) fn drop_actions(&self, is_gone: &dyn Fn(&JournalEntry) -> bool) -> Result<(), RescueError> {
        self.lines.remove(is_gone).map_err(RescueError::io("write", self.lines.path()))
    }
}

/// The last move, and whether it is over.
pub(super) fn last_move(actions: &[JournalEntry]) -> Option<(&Move, bool)> {
    let last = moves(actions).next()?;
    let is_end = |action: &JournalEntry| match action {
        JournalEntry::Moved { id } | JournalEntry::RolledBack { id } => *id == last.id,
        JournalEntry::Forgotten { moves, .. } => moves.contains(&last.id),
        JournalEntry::Saved(_) | JournalEntry::Moving(_) => false,
    };
    Some((last, actions.iter().any(is_end)))
}

/// The last move that was made and not rolled back.
pub(super) fn last_done(actions: &[JournalEntry]) -> Option<&Move> {
    let id = actions
        .iter()
        .rev()
        .find_map(|action| if let JournalEntry::Moved { id } = action { Some(id) } else { None })?;
    let is_deleted =
        |action: &JournalEntry| matches!(action, JournalEntry::Forgotten { moves, .. } if moves.contains(id));
    if actions.iter().any(is_deleted) {
        return None;
    }
    moves(actions).find(|made| made.id == *id)
}

/// The moves, the newest first.
pub(super) fn moves(actions: &[JournalEntry]) -> impl Iterator<Item = &Move> {
    actions
        .iter()
        .rev()
        .filter_map(|action| if let JournalEntry::Moving(made) = action { Some(made) } else { None })
}

/// True when the journal tells of the record, also that it was deleted.
pub(super) fn is_known(actions: &[JournalEntry], record: &str) -> bool {
    actions.iter().any(|action| {
        matches!(action, JournalEntry::Saved(Saved { reference, .. }) | JournalEntry::Forgotten { reference, .. }
            if reference == record)
    })
}

/// The records that were saved and not deleted, the oldest first.
pub(super) fn saved(actions: &[JournalEntry]) -> Vec<&Saved> {
    let mut saved: Vec<&Saved> = Vec::new();
    let mut deleted: BTreeSet<&str> = BTreeSet::new();
    for action in actions {
        if let JournalEntry::Saved(record) = action {
            saved.push(record);
        } else if let JournalEntry::Forgotten { reference, .. } = action {
            deleted.insert(reference);
        }
    }
    saved.retain(|record| !deleted.contains(record.reference.as_str()));
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_of_older_versions() {
        let saved = Saved {
            reference: "refs/r".to_owned(),
            snapshot: "s".to_owned(),
            record: "r".to_owned(),
            head: None,
            digest: "d".to_owned(),
            shown: Shown::default(),
        };
        let id = "m".to_owned();
        let forgotten = JournalEntry::Forgotten { reference: "refs/r".to_owned(), moves: vec![id.clone()] };
        for (line, entry) in [
            (
                r#"{"act":"saved","reference":"refs/r","snapshot":"s","record":"r","head":null,"digest":"d"}"#,
                JournalEntry::Saved(saved),
            ),
            (r#"{"act":"moved","id":"m"}"#, JournalEntry::Moved { id: id.clone() }),
            (r#"{"act":"rolled_back","id":"m"}"#, JournalEntry::RolledBack { id }),
            (r#"{"act":"forgotten","reference":"refs/r","moves":["m"]}"#, forgotten),
        ] {
            assert_eq!(serde_json::from_str::<JournalEntry>(line).unwrap(), entry, "{line}");
            assert!(serde_json::to_string(&entry).unwrap().starts_with(line.trim_end_matches('}')), "{line}");
        }
    }
}
