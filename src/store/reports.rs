//! What agents said when a smart check or the closer asked them, and the user's marks: one small file per
//! workspace, replaced as a whole, so that every run of closeout judges by the same answers.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::model::{KeptReports, WorkspaceId};

use super::StoreError;
use super::folder::Store;
use super::workspace_files::WorkspaceFiles;

/// The files as they were last read: inode and time of the last change.
#[derive(Debug, Default)]
pub struct ReportStamps(HashMap<WorkspaceId, (u64, i64, i64)>);

impl Store {
    /// Replaces the reports of a workspace. They are on disk when this returns. Marks that another closeout
    /// has kept since then stay: they are the user's word.
    ///
    /// # Errors
    /// They cannot be written. The previous ones then stay.
    pub fn keep_reports(&self, workspace: &WorkspaceId, reports: &KeptReports) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let known: Option<KeptReports> = self.report_files().one(workspace);
        let newer =
            known.map(|known| known.marks).filter(|marks| marks.changed_at > reports.marks.changed_at);
        let merged = newer.map(|marks| KeptReports { marks, ..reports.clone() });
        let reports = merged.as_ref().unwrap_or(reports);
        self.report_files().keep(workspace, reports, |path, json| self.replace(path, json))
    }

    /// The reports of these workspaces, and the number of unreadable files, which stay where they are.
    pub fn reports_of(&self, workspaces: &[WorkspaceId]) -> (BTreeMap<WorkspaceId, KeptReports>, usize) {
        self.report_files().of(workspaces)
    }

    /// The reports whose files changed since `stamps` were taken, which are renewed. Unreadable ones are left
    /// out.
    pub fn changed_reports(
        &self,
        workspaces: &[WorkspaceId],
        stamps: &mut ReportStamps,
    ) -> Vec<(WorkspaceId, KeptReports)> {
        let files = self.report_files();
        let mut changed = Vec::new();
        for workspace in workspaces {
            let Ok(metadata) = fs::symlink_metadata(files.place(workspace)) else { continue };
            let stamp = (metadata.ino(), metadata.mtime(), metadata.mtime_nsec());
            if stamps.0.insert(workspace.clone(), stamp) != Some(stamp)
                && let Some(reports) = files.one(workspace)
            {
                changed.push((workspace.clone(), reports));
            }
        }
        changed
    }

    /// Where reports are kept, a file for each workspace.
    pub fn reports_folder(&self) -> PathBuf {
        self.folder().join("reports")
    }

    fn report_files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(self.reports_folder())
    }
}
