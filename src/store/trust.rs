//! Which programs of a workspace the user trusts: a small file per workspace with the digest of exactly
//! what the user saw. A digest covers path and content, so a changed program is not the one that was
//! trusted.
//!
//! What cannot be read is not trusted.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::write::is_removed;
use crate::model::Timestamp;

use super::StoreError;
use super::folder::{Store, own_folder, read_record, replace_record, sync_folder};
use super::workspace_files::file_name;

/// The folder with a file for each workspace.
const TRUST: &str = "trust";

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    digest: String,
    trusted_at: Timestamp,
}

impl Store {
    /// The digest that the user trusts for the workspace; `None` if there is none, or none that can be
    /// understood.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn trusted(&self, workspace: &Path) -> Result<Option<String>, StoreError> {
        let json = read_record(&self.trust_file(workspace))?;
        let form = json.and_then(|json| serde_json::from_slice::<Form>(&json).ok());
        Ok(form.filter(|form| form.version <= VERSION && is_digest(&form.digest)).map(|form| form.digest))
    }

    /// Records that the user trusts exactly what `digest` covers, replacing what they trusted before. It is
    /// on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written. The previous trust then remains.
    pub fn trust(&self, workspace: &Path, digest: &str, now: Timestamp) -> Result<(), StoreError> {
        let path = self.trust_file(workspace);
        own_folder(self.folder(), TRUST)?;
        let form = Form { version: VERSION, digest: digest.to_owned(), trusted_at: now };
        let mut json = serde_json::to_vec_pretty(&form)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        json.push(b'\n');
        let _lock = self.lock()?;
        replace_record(&path, &json)
    }

    /// Revokes the trust; false if there was none.
    ///
    /// # Errors
    /// The file cannot be deleted, so the trust remains.
    pub fn distrust(&self, workspace: &Path) -> Result<bool, StoreError> {
        let path = self.trust_file(workspace);
        let _lock = self.lock()?;
        let was_there = is_removed(fs::remove_file(&path)).map_err(StoreError::io("remove", &path))?;
        if was_there {
            sync_folder(&self.trust_folder())?;
        }
        Ok(was_there)
    }

    fn trust_folder(&self) -> PathBuf {
        self.folder().join(TRUST)
    }

    fn trust_file(&self, workspace: &Path) -> PathBuf {
        self.trust_folder().join(file_name(workspace))
    }
}

/// Whether this is a digest: 64 lower-case hexadecimal digits.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
