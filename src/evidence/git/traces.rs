//! What is remembered of the provenance of evidence files, and the repository that stays open while a collection asks.

use std::fmt;

use super::file_state::FileState;
use crate::git::Repository;
use crate::model::Timestamp;

/// A repository that was found and opened, kept for the next question of the same collection.
pub(super) struct Opened {
    pub(super) repository: Repository,
    /// As libgit2 opened it, where libgit2 reads it.
    pub(super) handle: Option<git2::Repository>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("repository", &self.repository).finish_non_exhaustive()
    }
}

/// Where a file's content comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The baseline's commit has the same.
    pub is_of_baseline: bool,
    /// HEAD has the same here at least since then; `None` where it has another, or none.
    pub since: Option<Timestamp>,
}

/// What was found out about each file. Commits never change, so it stays true while the content, the baseline and the
/// log of HEAD stay the same.
#[derive(Debug, Default)]
pub(super) struct Traces(Vec<Trace>);

#[derive(Debug)]
pub(super) struct Trace {
    pub(super) name: String,
    /// The SHA-256 of the content.
    pub(super) content: [u8; 32],
    pub(super) baseline: Option<String>,
    /// The log of HEAD, and the `.git` that says where it is.
    pub(super) read_from: [FileState; 2],
    pub(super) provenance: Provenance,
}

impl Traces {
    /// What was found out about the file, if it still is true.
    pub(super) fn known(&self, name: &str, content: &[u8; 32], baseline: Option<&str>) -> Option<Provenance> {
        let trace = self.0.iter().find(|trace| trace.name == name)?;
        let is_same = trace.content == *content && trace.baseline.as_deref() == baseline;
        (is_same && trace.read_from.iter().all(FileState::still_holds)).then_some(trace.provenance)
    }

    /// Remembers it in the place of what was known of the same file.
    pub(super) fn keep(&mut self, trace: Trace) {
        self.0.retain(|known| known.name != trace.name);
        self.0.reserve_exact(1);
        self.0.push(trace);
    }
}
