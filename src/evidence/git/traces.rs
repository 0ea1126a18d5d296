//! Remembers the provenance of evidence files, and keeps the repository open for the rest of a collection.

use std::fmt;

use super::file_state::FileState;
use super::handle::Handle;
use crate::git::Repository;
use crate::model::{CommitId, Timestamp};

/// An open repository, kept for the next question of the same collection.
pub(super) struct Opened {
    pub(super) repository: Repository,
    /// libgit2's handle, if libgit2 can read the repository.
    pub(super) handle: Option<Handle>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("repository", &self.repository).finish_non_exhaustive()
    }
}

/// Where a file's content comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContentOrigin {
    /// The baseline's commit has the same content.
    pub is_of_baseline: bool,
    /// HEAD has had this content here since this time at the latest; `None` if HEAD has other content or none.
    pub since: Option<Timestamp>,
}

/// The provenance found for each file. Commits never change, so it holds while the content, the baseline and
/// the log of HEAD stay the same.
#[derive(Debug, Default)]
pub(super) struct Traces(Vec<Trace>);

#[derive(Debug)]
pub(super) struct Trace {
    pub(super) name: String,
    /// The SHA-256 of the content.
    pub(super) content: [u8; 32],
    pub(super) baseline: Option<CommitId>,
    /// The log of HEAD, and the `.git` that leads to it.
    pub(super) read_from: [FileState; 2],
    pub(super) provenance: ContentOrigin,
}

impl Traces {
    /// The remembered provenance of the file, if it still holds.
    pub(super) fn known(
        &self,
        name: &str,
        content: &[u8; 32],
        baseline: Option<CommitId>,
    ) -> Option<ContentOrigin> {
        let trace = self.0.iter().find(|trace| trace.name == name)?;
        let is_same = trace.content == *content && trace.baseline == baseline;
        (is_same && trace.read_from.iter().all(FileState::still_holds)).then_some(trace.provenance)
    }

    /// Remembers a trace; it replaces the earlier one of the same file.
    pub(super) fn keep(&mut self, trace: Trace) {
        self.0.retain(|known| known.name != trace.name);
        self.0.reserve_exact(1);
        self.0.push(trace);
    }
}
