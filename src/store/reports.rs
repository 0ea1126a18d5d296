//! What agents said when they were asked, by a smart check or the closer: one small file a workspace,
//! replaced as a whole, so that every run of closeout judges by the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{KeptReports, WorkspaceId};

use super::StoreError;
use super::folder::{Store, own_folder, read_up_to, replace_record};
use super::record::{file_name, from_hex, to_hex};

/// The version that this program writes and the newest that it reads.
const VERSION: u32 = 1;
/// The largest file, in bytes.
const MAX_FILE: u64 = 4 << 20;

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    host: String,
    path_hex: String,
    reports: KeptReports,
}

impl Store {
    /// Keeps the reports of a workspace in place of those before. They are on the disk when this returns.
    ///
    /// # Errors
    /// They cannot be written; those before stay.
    pub fn keep_reports(&self, workspace: &WorkspaceId, reports: &KeptReports) -> Result<(), StoreError> {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = self.report_folder();
        own_folder(&folder)?;
        let path = folder.join(file_name(workspace.path()));
        let form = Form {
            version: VERSION,
            host: workspace.host().to_owned(),
            path_hex: to_hex(workspace.path().as_os_str().as_bytes()),
            reports: reports.clone(),
        };
        let json = serde_json::to_vec(&form)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        replace_record(&path, &json)
    }

    /// The reports of all workspaces. What cannot be read stays where it is, and is counted.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn reports(&self) -> Result<(BTreeMap<WorkspaceId, KeptReports>, usize), StoreError> {
        let folder = self.report_folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((BTreeMap::new(), 0)),
            Err(source) => return Err(StoreError::Io { what: "read", path: folder, source }),
        };
        let mut reports = BTreeMap::new();
        let mut n_unread = 0;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read_up_to(&path, MAX_FILE).ok().flatten().and_then(|json| parse(&json)) {
                Some((workspace, of_workspace)) => drop(reports.insert(workspace, of_workspace)),
                None => n_unread += 1,
            }
        }
        Ok((reports, n_unread))
    }

    fn report_folder(&self) -> PathBuf {
        self.folder().join("reports")
    }
}

fn parse(json: &[u8]) -> Option<(WorkspaceId, KeptReports)> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    let form: Form = serde_json::from_slice(json).ok().filter(|form: &Form| form.version <= VERSION)?;
    let path = PathBuf::from(OsString::from_vec(from_hex(&form.path_hex)?));
    Some((WorkspaceId::on(&form.host, path), form.reports))
}
