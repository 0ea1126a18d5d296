//! The journal of what was done to a worktree. It lies outside the repository, has one line per entry, and
//! only grows.
//!
//! It must not be repaired in place: a line cut by a crash is skipped, and a damaged one is reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::base::whole_file::read_small;
use crate::disk::write;
use crate::git::Sha1;
use crate::model::{CommitId, RecordRef, RefName};

/// The most that is read of a journal, in bytes: room for some hundred thousand entries.
const CAP: u64 = 256 << 20;

/// One entry. All existing journals use the tag `act` and these names: if they changed, rescues made by older
/// versions could not be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub(crate) enum JournalEntry {
    /// A record is saved.
    Saved(Saved),
    /// Branch and index are about to move.
    Moving(Move),
    /// The move is complete.
    Moved {
        /// The id of the move.
        id: String,
    },
    /// The move did not happen and will not.
    RolledBack {
        /// The id of the move.
        id: String,
    },
    /// A record was deleted for good at a person's request. It must not be restored as a lost one.
    Forgotten {
        /// The hidden reference.
        reference: RecordRef,
        /// The moves whose kept indexes were deleted with it.
        moves: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// The name of the hidden reference.
    pub(crate) reference: RecordRef,
    /// The commit of the work tree.
    pub(crate) snapshot: CommitId,
    /// The commit of the index and the facts.
    pub(crate) record: CommitId,
    /// The commit that HEAD pointed to; `None` if the branch was unborn.
    pub(crate) head: Option<CommitId>,
    /// The digest of the index entries.
    pub(crate) digest: String,
    /// What the list of records shows; missing in lines of older versions.
    #[serde(default)]
    pub(crate) shown: Shown,
}

/// What the list of records shows of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// When it was made, in milliseconds since the epoch.
    pub(crate) time: Option<i64>,
    /// The branch by its full name.
    pub(crate) branch: Option<RefName>,
    /// The number of files.
    pub(crate) n_files: Option<usize>,
    /// Their total size in bytes.
    pub(crate) n_bytes: Option<u64>,
    /// The bytes it took on disk.
    pub(crate) n_disk_bytes: Option<u64>,
    /// The number of gaps.
    pub(crate) n_gaps: Option<usize>,
    /// The name of its bundle in our own folder for this worktree.
    pub(crate) vault: Option<String>,
    /// Whether it has no reference and lies in the vault alone.
    #[serde(default)]
    pub(crate) is_vault_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// A visible commit.
    Commit,
    /// The undo of a visible commit.
    Undo,
    /// The redo of an undone commit.
    Redo,
}

/// A move of a branch and the index that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Move {
    /// The id of the move.
    pub(crate) id: String,
    pub(crate) purpose: Purpose,
    /// The full name of the branch.
    pub(crate) branch: RefName,
    /// The commit before the move; `None` if the branch does not exist yet.
    pub(crate) from: Option<CommitId>,
    /// The commit after the move; `None` if the branch is removed.
    pub(crate) to: Option<CommitId>,
    /// The digest of the index entries before.
    pub(crate) digest_before: String,
    /// The digest of the index entries after.
    pub(crate) digest_after: String,
    /// Our own copy of the index before; `None` if there was no index.
    pub(crate) index_before: Option<KeptIndex>,
    /// Our own copy of the index after; `None` if there is none.
    pub(crate) index_after: Option<KeptIndex>,
    /// The device and inode of the new index, to which git's lock is a hard link.
    pub(crate) inode: (u64, u64),
    /// The device and inode of the file to which the locks on HEAD and the branch are hard links; `None` if git
    /// moves the branch.
    pub(crate) branch_inode: Option<(u64, u64)>,
    /// Whether only the branch moves, because it is not checked out and the index does not belong to it.
    #[serde(default)]
    pub(crate) is_branch_only: bool,
    /// For a new branch: the commit that it starts from.
    pub(crate) base: Option<CommitId>,
    /// The record that was made first; `None` if commits were there already.
    #[serde(default, deserialize_with = "named_record")]
    pub(crate) record: Option<RecordRef>,
}

/// Reads the record of a move; earlier versions wrote an empty name where there is none.
fn named_record<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RecordRef>, D::Error> {
    Ok(Option::<RecordRef>::deserialize(deserializer)?.filter(|record| !record.is_empty()))
}

impl Move {
    /// Creates a branch that starts at `base`. Nothing else moves.
    pub(crate) fn of_branch(
        id: String,
        branch: RefName,
        to: Option<CommitId>,
        base: Option<CommitId>,
        record: Option<RecordRef>,
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

/// A copy of an index in our own folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptIndex {
    /// The file's name, which is the checksum of its bytes.
    pub(crate) sum: String,
    /// The modification time of the index file, in seconds and nanoseconds since the epoch.
    pub(crate) modified: (u64, u32),
}

/// The content of a journal: entries, and what could not be read.
pub(crate) type Reading = write::Lines<JournalEntry>;

/// The journal of one worktree.
pub(crate) struct Journal {
    lines: write::Journal<JournalEntry>,
    /// The record whose reference is about to be made. Its journal line comes after the reference, so that the
    /// journal never names a record that is not kept.
    pending: PathBuf,
}

impl Journal {
    pub(crate) fn at(folder: &Path) -> Journal {
        let lines = write::Journal::at(folder.join("journal"), CAP, Some(Sha1::of));
        Journal { lines, pending: folder.join("pending") }
    }

    /// Announces that the reference of `record` is about to be made. On disk when this returns.
    pub(crate) fn begin(&self, record: &Saved) -> Result<(), RescueError> {
        let text = serde_json::to_vec(record).map_err(std::io::Error::from);
        let written = text.and_then(|text| write::replace(&self.pending, &text));
        written.map_err(RescueError::io("write", &self.pending))
    }

    /// Appends the line of a record and removes its announcement. That of another record, which was cut off and could not
    /// be adopted yet, stays.
    pub(crate) fn end(&self, record: Saved) -> Result<(), RescueError> {
        let snapshot = record.snapshot;
        self.append(&JournalEntry::Saved(record))?;
        if self.pending()?.is_none_or(|pending| pending.snapshot == snapshot) {
            self.clear_pending();
        }
        Ok(())
    }

    /// The record that was announced but not completed, because a crash came between.
    pub(crate) fn pending(&self) -> Result<Option<Saved>, RescueError> {
        let text = read_small(&self.pending)?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    /// Removes the announcement.
    pub(crate) fn clear_pending(&self) {
        // A leftover announcement is compared with the journal next time.
        let _ = std::fs::remove_file(&self.pending);
    }

    /// Whether lines can be read and appended, and a record announced.
    ///
    /// # Errors
    /// Names the file that is in the way.
    pub(crate) fn check(&self) -> Result<(), RescueError> {
        self.lines.check().map_err(RescueError::io("use", self.lines.path()))?;
        self.pending().map(drop)
    }

    /// Appends an entry. On disk when this returns.
    pub(crate) fn append(&self, entry: &JournalEntry) -> Result<(), RescueError> {
        self.lines.append(entry).map_err(RescueError::io("append to", self.lines.path()))
    }

    /// All entries, and what could not be read.
    pub(crate) fn read(&self) -> Result<Reading, RescueError> {
        self.lines.read().map_err(RescueError::io("read", self.lines.path()))
    }

    /// Rewrites the journal without the entries that `is_gone` selects.
    pub(crate) fn drop_entries(&self, is_gone: &dyn Fn(&JournalEntry) -> bool) -> Result<(), RescueError> {
        self.lines.remove(is_gone).map_err(RescueError::io("write", self.lines.path()))
    }
}

/// The last move, and whether it was completed or rolled back.
pub(crate) fn last_move(entries: &[JournalEntry]) -> Option<(&Move, bool)> {
    let last = moves(entries).next()?;
    let is_end = |entry: &JournalEntry| match entry {
        JournalEntry::Moved { id } | JournalEntry::RolledBack { id } => *id == last.id,
        JournalEntry::Forgotten { moves, .. } => moves.contains(&last.id),
        JournalEntry::Saved(_) | JournalEntry::Moving(_) => false,
    };
    Some((last, entries.iter().any(is_end)))
}

/// The last move that was made, not rolled back, and whose indexes were not deleted.
pub(crate) fn last_done(entries: &[JournalEntry]) -> Option<&Move> {
    let id = entries
        .iter()
        .rev()
        .find_map(|entry| if let JournalEntry::Moved { id } = entry { Some(id) } else { None })?;
    let is_deleted =
        |entry: &JournalEntry| matches!(entry, JournalEntry::Forgotten { moves, .. } if moves.contains(id));
    if entries.iter().any(is_deleted) {
        return None;
    }
    moves(entries).find(|made| made.id == *id)
}

/// The moves, newest first.
pub(crate) fn moves(entries: &[JournalEntry]) -> impl Iterator<Item = &Move> {
    entries
        .iter()
        .rev()
        .filter_map(|entry| if let JournalEntry::Moving(made) = entry { Some(made) } else { None })
}

/// Whether two moves are about the same visible commit.
pub(crate) fn is_same_commit(a: &Move, b: &Move) -> bool {
    let commit = |made: &Move| match made.purpose {
        Purpose::Commit | Purpose::Redo => made.to,
        Purpose::Undo => made.from,
    };
    commit(a).is_some() && commit(a) == commit(b)
}

/// Whether the journal knows the record, be it saved or deleted.
pub(crate) fn is_known(entries: &[JournalEntry], record: &str) -> bool {
    entries.iter().any(|entry| {
        matches!(entry, JournalEntry::Saved(Saved { reference, .. }) | JournalEntry::Forgotten { reference, .. }
            if **reference == *record)
    })
}

/// Whether a record or a move has this id, be it deleted or not.
pub(crate) fn is_id_taken(entries: &[JournalEntry], id: &str) -> bool {
    entries.iter().any(|entry| match entry {
        JournalEntry::Saved(Saved { reference, .. }) => reference.ends_with(id),
        JournalEntry::Forgotten { reference, moves } => {
            reference.ends_with(id) || moves.iter().any(|other| other == id)
        }
        JournalEntry::Moving(Move { id: other, .. })
        | JournalEntry::Moved { id: other }
        | JournalEntry::RolledBack { id: other } => other == id,
    })
}

/// What goes with a record that was deleted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deletion<'j> {
    pub(crate) reference: &'j RecordRef,
    /// The moves whose kept indexes go too.
    pub(crate) moves: &'j [String],
}

impl Deletion<'_> {
    /// The record, if its line is still there.
    pub(crate) fn saved<'a>(&self, entries: &'a [JournalEntry]) -> Option<&'a Saved> {
        entries.iter().find_map(|entry| match entry {
            JournalEntry::Saved(saved) if saved.reference == *self.reference => Some(saved),
            JournalEntry::Saved(_)
            | JournalEntry::Moving(_)
            | JournalEntry::Moved { .. }
            | JournalEntry::RolledBack { .. }
            | JournalEntry::Forgotten { .. } => None,
        })
    }

    /// Whether this line of the journal goes with the record.
    pub(crate) fn has(&self, entry: &JournalEntry) -> bool {
        match entry {
            JournalEntry::Saved(saved) => saved.reference == *self.reference,
            JournalEntry::Moving(Move { id, .. })
            | JournalEntry::Moved { id }
            | JournalEntry::RolledBack { id } => self.moves.contains(id),
            JournalEntry::Forgotten { .. } => false,
        }
    }
}

/// How many moves and deletions were cut off.
pub(crate) fn n_cut(entries: &[JournalEntry]) -> usize {
    let is_cut = last_move(entries).is_some_and(|(_, is_over)| !is_over);
    usize::from(is_cut) + cut_deletions(entries).len()
}

/// The deletions that were cut off: a line that goes with the record is still here, and the lines go last.
pub(crate) fn cut_deletions(entries: &[JournalEntry]) -> Vec<Deletion<'_>> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for entry in entries {
        match entry {
            JournalEntry::Saved(Saved { reference, .. }) => names.insert(reference),
            JournalEntry::Moving(Move { id, .. })
            | JournalEntry::Moved { id }
            | JournalEntry::RolledBack { id } => names.insert(id),
            JournalEntry::Forgotten { .. } => false,
        };
    }
    let deletions = entries.iter().filter_map(|entry| {
        let JournalEntry::Forgotten { reference, moves } = entry else { return None };
        Some(Deletion { reference, moves })
    });
    let is_cut = |deletion: &Deletion<'_>| {
        names.contains(&**deletion.reference) || deletion.moves.iter().any(|id| names.contains(&**id))
    };
    deletions.filter(is_cut).collect()
}

/// The records that were saved and not deleted, oldest first.
pub(crate) fn saved(entries: &[JournalEntry]) -> Vec<&Saved> {
    let mut saved: Vec<&Saved> = Vec::new();
    let mut deleted: BTreeSet<&str> = BTreeSet::new();
    for entry in entries {
        if let JournalEntry::Saved(record) = entry {
            saved.push(record);
        } else if let JournalEntry::Forgotten { reference, .. } = entry {
            deleted.insert(reference);
        }
    }
    saved.retain(|record| !deleted.contains(&*record.reference));
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_of_older_versions() {
        let commit = |digit: &str| digit.repeat(40).parse::<CommitId>().unwrap();
        let saved = Saved {
            reference: "refs/r".to_owned().into(),
            snapshot: commit("5"),
            record: commit("6"),
            head: None,
            digest: "d".to_owned(),
            shown: Shown::default(),
        };
        let id = "m".to_owned();
        let forgotten =
            JournalEntry::Forgotten { reference: "refs/r".to_owned().into(), moves: vec![id.clone()] };
        for (line, entry) in [
            (
                r#"{"act":"saved","reference":"refs/r","snapshot":"5555555555555555555555555555555555555555","record":"6666666666666666666666666666666666666666","head":null,"digest":"d"}"#,
                JournalEntry::Saved(saved),
            ),
            (
                r#"{"act":"moving","id":"m","purpose":"commit","branch":"refs/heads/a","from":null,"to":"7777777777777777777777777777777777777777","digest_before":"","digest_after":"","index_before":null,"index_after":null,"inode":[0,0],"branch_inode":null,"is_branch_only":true,"base":"8888888888888888888888888888888888888888","record":"refs/r"}"#,
                JournalEntry::Moving(Move::of_branch(
                    id.clone(),
                    RefName::of_branch("a"),
                    Some(commit("7")),
                    Some(commit("8")),
                    Some("refs/r".to_owned().into()),
                )),
            ),
            (r#"{"act":"moved","id":"m"}"#, JournalEntry::Moved { id: id.clone() }),
            (r#"{"act":"rolled_back","id":"m"}"#, JournalEntry::RolledBack { id }),
            (r#"{"act":"forgotten","reference":"refs/r","moves":["m"]}"#, forgotten),
        ] {
            assert_eq!(serde_json::from_str::<JournalEntry>(line).unwrap(), entry, "{line}");
            assert!(serde_json::to_string(&entry).unwrap().starts_with(line.trim_end_matches('}')), "{line}");
        }
    }

    #[test]
    fn a_deletion_is_cut_while_a_line_of_its_own_is_left() {
        let forgotten = |reference: &str, moves: &[&str]| JournalEntry::Forgotten {
            reference: reference.to_owned().into(),
            moves: moves.iter().map(|&id| id.to_owned()).collect(),
        };
        let over = JournalEntry::RolledBack { id: "b".to_owned() };
        let entries = [forgotten("refs/a", &["a"]), over, forgotten("refs/b", &["x", "b"])];
        let cut = cut_deletions(&entries);
        assert_eq!(cut.iter().map(|it| &**it.reference).collect::<Vec<_>>(), ["refs/b"]);
        assert_eq!(entries.iter().map(|entry| cut[0].has(entry)).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn the_id_of_any_entry_is_taken() {
        let forgotten = JournalEntry::Forgotten {
            reference: "refs/closeout/rescue/k/a".to_owned().into(),
            moves: vec!["b".to_owned()],
        };
        let entries = [forgotten, JournalEntry::Moved { id: "c".to_owned() }];
        assert!(["a", "b", "c"].iter().all(|id| is_id_taken(&entries, id)) && !is_id_taken(&entries, "d"));
    }
}
