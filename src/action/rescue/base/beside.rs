//! Records that the journal could not take a line of: each has a file beside its bundle, with what the line would say, until
//! the journal takes it.
//!
//! Only a record that lies in the vault alone must get one: nothing else proves one in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::whole_file::{entries, read_small};
use crate::action::rescue::base::worktrees::VAULT;
use crate::action::rescue::base::{JournalEntry, RescueError, Saved, journal};
use crate::disk::write::replace;

/// The end of such a file's name, which begins with the record's id.
const END: &str = "record";

/// Keeps what the journal would say of a record. On disk when this returns.
pub(crate) fn keep(own: &Path, saved: &Saved) -> Result<(), RescueError> {
    let path = path_of(own, saved);
    let text = serde_json::to_vec(saved).map_err(std::io::Error::from);
    text.and_then(|text| replace(&path, &text)).map_err(RescueError::io("write", &path))
}

/// Those of one of our own folders that these entries of its journal do not tell of, oldest first.
pub(crate) fn untold(own: &Path, told: &[JournalEntry]) -> Vec<Saved> {
    let kept = entries(&own.join(VAULT)).unwrap_or_default().into_iter().map(|entry| entry.path());
    let kept = kept.filter(|path| path.extension().is_some_and(|end| end == END));
    let read = kept.filter_map(|path| serde_json::from_slice::<Saved>(&read_small(&path).ok()??).ok());
    let mut untold: Vec<Saved> = read.filter(|saved| !journal::is_known(told, &saved.reference)).collect();
    untold.sort_by(|a, b| (a.shown.time, &a.reference).cmp(&(b.shown.time, &b.reference)));
    untold
}

/// Removes the file of a record of which the journal tells now.
pub(crate) fn remove(own: &Path, saved: &Saved) {
    // What is left is of a record that the journal knows, and counts for nothing.
    let _ = fs::remove_file(path_of(own, saved));
}

fn path_of(own: &Path, saved: &Saved) -> PathBuf {
    own.join(VAULT).join(format!("{}.{END}", saved.reference.id()))
}
