//! Drafts of replies: one small file a workspace, replaced as a whole at each change, so that what was
//! typed is there after a crash.

use std::collections::BTreeMap;

use crate::model::{Draft, WorkspaceId};

use super::StoreError;
use super::folder::{Store, replace_record_soon};
use super::workspace_files::WorkspaceFiles;

impl Store {
    /// Keeps the drafts of a workspace in place of those before; none of them forgets all. It outlives the
    /// program at once, and a power cut after some seconds: a draft is written at each key.
    ///
    /// # Errors
    /// They cannot be written; those before stay.
    pub fn keep_drafts(&self, workspace: &WorkspaceId, drafts: &[Draft]) -> Result<(), StoreError> {
        if drafts.is_empty() {
            return self.draft_files().delete(workspace);
        }
        self.draft_files().keep(workspace, drafts, replace_record_soon)
    }

    /// The drafts of these workspaces, and how many of their files cannot be read: those stay where they are.
    pub fn drafts_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, Vec<Draft>>, usize) {
        self.draft_files().of(workspaces)
    }

    fn draft_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.folder().join("drafts"))
    }
}
