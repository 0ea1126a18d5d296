//! What became of the files of a record that were to be restored.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// What became of the files of a record that were to be restored. Paths are relative to the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// The files and links that were written.
    pub written: Vec<PathBuf>,
    /// Those that were not, and why.
    pub skipped: Vec<(PathBuf, SkipReason)>,
}

/// Why a file of a record was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It was there already, as it is in the record.
    AlreadyThere,
    /// Its content in the repository is damaged.
    Damaged,
    /// The restore ended before it; the same one again writes it.
    NotReached,
}

impl Restored {
    /// How many were skipped for this reason.
    pub fn n_skipped(&self, reason: SkipReason) -> usize {
        self.skipped.iter().filter(|(_, skipped)| *skipped == reason).count()
    }

    /// How many are there now.
    pub fn n_files(&self) -> usize {
        self.written.len() + self.n_skipped(SkipReason::AlreadyThere)
    }
}
