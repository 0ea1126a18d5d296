//! What agents said when a smart check or the closer asked them: one small file per workspace, replaced as
//! a whole, so that every run of closeout judges by the same answers.

use std::collections::BTreeMap;

use crate::model::{KeptReports, WorkspaceId};

use super::StoreError;
use super::folder::Store;
use super::workspace_files::WorkspaceFiles;

impl Store {
    /// Replaces the reports of a workspace. They are on disk when this returns.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_reports(&self, workspace: &WorkspaceId, reports: &KeptReports) -> Result<(), StoreError> {
        self.report_files().keep(workspace, reports, |path, json| self.replace(path, json))
    }

    /// The reports of these workspaces, and the number of unreadable files, which stay where they are.
    pub fn reports_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, KeptReports>, usize) {
        self.report_files().of(workspaces)
    }

    fn report_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.folder().join("reports"))
    }
}
