//! What agents said when they were asked, by a smart check or the closer: one small file a workspace,
//! replaced as a whole, so that every run of closeout judges by the same.

use std::collections::BTreeMap;

use crate::model::{KeptReports, WorkspaceId};

use super::StoreError;
use super::folder::Store;
use super::workspace_files::WorkspaceFiles;

impl Store {
    /// Keeps the reports of a workspace in place of those before. They are on the disk when this returns.
    ///
    /// # Errors
    /// They cannot be written; those before stay.
    pub fn keep_reports(&self, workspace: &WorkspaceId, reports: &KeptReports) -> Result<(), StoreError> {
        self.report_files().keep(workspace, reports, |path, json| self.replace(path, json))
    }

    /// The reports of these workspaces, and how many of their files cannot be read: those stay where they are.
    pub fn reports_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, KeptReports>, usize) {
        self.report_files().of(workspaces)
    }

    fn report_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.folder().join("reports"))
    }
}
