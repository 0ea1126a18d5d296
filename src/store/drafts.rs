//! Drafts of replies: one small file per workspace, replaced as a whole on each change, so that typed text
//! survives a crash.

use std::collections::BTreeMap;

use crate::model::{Draft, WorkspaceId};

use super::StoreError;
use super::folder::{Store, replace_record_soon};
use super::workspace_files::WorkspaceFiles;

impl Store {
    /// Replaces the drafts of a workspace; an empty list deletes them. They survive the end of the program
    /// immediately and a power failure after some seconds, because a draft is written on every key press.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_drafts(&self, workspace: &WorkspaceId, drafts: &[Draft]) -> Result<(), StoreError> {
        if drafts.is_empty() {
            return self.draft_files().delete(workspace);
        }
        self.draft_files().keep(workspace, drafts, replace_record_soon)
    }

    /// The drafts of these workspaces, and the number of unreadable files, which stay where they are.
    pub fn drafts_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, Vec<Draft>>, usize) {
        self.draft_files().of(workspaces)
    }

    fn draft_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.folder().join("drafts"))
    }
}
