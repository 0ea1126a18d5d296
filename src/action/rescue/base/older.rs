//! Tells a repository from one that was at its path before, by when each was begun. It must not look at objects, which come
//! along with a clone.

use std::path::Path;

use crate::action::rescue::base::{Journal, JournalEntry};
use crate::git;

/// Whether all that the journal in this folder of ours tells of was made on top of a commit, and before HEAD of the repository with this
/// shared git directory had its first one. Objects come along with a clone, and a clone is another repository all the same.
pub(crate) fn is_older(folder: &Path, common_dir: &Path) -> bool {
    let first = git::first_commit_at(common_dir).and_then(|at| jiff::Timestamp::from_second(at).ok());
    let Some(first) = first.map(|at| at.strftime("%Y%m%dT%H%M%SZ").to_string()) else { return false };
    let Ok(read) = Journal::at(folder).read() else { return false };
    // The id, which begins with the time, and whether there was a commit then.
    let made = read.entries.iter().filter_map(|entry| match entry {
        JournalEntry::Saved(saved) => Some((saved.reference.id(), saved.head.is_some())),
        JournalEntry::Moving(made) => Some((&*made.id, made.from.or(made.base).is_some())),
        JournalEntry::Moved { .. } | JournalEntry::RolledBack { .. } | JournalEntry::Forgotten { .. } => None,
    });
    let mut made = made.peekable();
    made.peek().is_some() && read.n_unread() == 0 && made.all(|(id, has_commit)| has_commit && *id < *first)
}
