//! Drafts of replies: one small file a workspace, replaced as a whole at each change, so that what was
//! typed is there after a crash.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Draft, WorkspaceId};

use super::StoreError;
use super::folder::{Store, own_folder, read_up_to, write_beside};
use super::record::{file_name, from_hex, to_hex};

/// The version that this program writes and the newest that it reads.
const VERSION: u32 = 1;
/// The largest file of drafts, in bytes.
const MAX_FILE: u64 = 4 << 20;

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    host: String,
    path_hex: String,
    drafts: Vec<Draft>,
}

impl Store {
    /// Keeps the drafts of a workspace in place of those before; none of them forgets all. It outlives the
    /// program at once, and a power cut after some seconds: a draft is written at each key.
    ///
    /// # Errors
    /// They cannot be written; those before stay.
    pub fn keep_drafts(&self, workspace: &WorkspaceId, drafts: &[Draft]) -> Result<(), StoreError> {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = self.draft_folder();
        own_folder(&folder)?;
        let path = folder.join(file_name(workspace.path()));
        if drafts.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(StoreError::Io { what: "remove", path, source: error })
                }
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let form = Form {
            version: VERSION,
            host: workspace.host().to_owned(),
            path_hex: to_hex(workspace.path().as_os_str().as_bytes()),
            drafts: drafts.to_vec(),
        };
        let json = serde_json::to_vec(&form)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        write_beside(&path, &json)?.persist(&path).map_err(|error| StoreError::Io {
            what: "replace",
            path,
            source: error.error,
        })?;
        Ok(())
    }

    /// The drafts of all workspaces. What cannot be read stays where it is, and is counted.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn drafts(&self) -> Result<(BTreeMap<WorkspaceId, Vec<Draft>>, usize), StoreError> {
        let folder = self.draft_folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((BTreeMap::new(), 0)),
            Err(source) => return Err(StoreError::Io { what: "read", path: folder, source }),
        };
        let mut drafts = BTreeMap::new();
        let mut n_unread = 0;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read_up_to(&path, MAX_FILE).ok().flatten().and_then(|json| parse(&json)) {
                Some((workspace, of_workspace)) => {
                    drafts.insert(workspace, of_workspace);
                }
                None => n_unread += 1,
            }
        }
        Ok((drafts, n_unread))
    }

    fn draft_folder(&self) -> PathBuf {
        self.folder().join("drafts")
    }
}

fn parse(json: &[u8]) -> Option<(WorkspaceId, Vec<Draft>)> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    let form: Form = serde_json::from_slice(json).ok().filter(|form: &Form| form.version <= VERSION)?;
    let path = PathBuf::from(OsString::from_vec(from_hex(&form.path_hex)?));
    Some((WorkspaceId::on(&form.host, path), form.drafts))
}
