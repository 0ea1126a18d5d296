//! A text that the user is editing with their own editor: a file in a folder of its own, readable by this
//! user only. It is deleted together with everything the editor left beside it, unless the text cannot be
//! taken back into closeout; then it stays on disk.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::StoreError;
use super::folder::{own_folder, read_up_to};
use crate::disk::write::create_new;

/// The file's name, from which editors recognise prose.
const NAME: &str = "reply.md";

/// A file with a text, in a folder that is deleted with it.
#[derive(Debug)]
pub struct EditedText {
    folder: TempDir,
    path: PathBuf,
}

impl EditedText {
    /// Writes `text` to a new file in the state folder, readable by this user only.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(state_folder: &Path, text: &str) -> Result<EditedText, StoreError> {
        let all = own_folder(state_folder, "editing")?;
        let folder = tempfile::Builder::new()
            .prefix("text-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&all)
            .map_err(StoreError::io("make a folder in", &all))?;
        let path = folder.path().join(NAME);
        create_new(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(StoreError::io("write", &path))?;
        Ok(EditedText { folder, path })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The current content; `None` if it is not text, or is longer than `most` bytes.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, most: usize) -> Result<Option<String>, StoreError> {
        let limit = u64::try_from(most).unwrap_or(u64::MAX - 1);
        let bytes = read_up_to(&self.path, limit)?.unwrap_or_default();
        Ok(if bytes.len() > most { None } else { String::from_utf8(bytes).ok() })
    }

    /// Keeps the file, and returns its path.
    pub fn leave(self) -> PathBuf {
        // Keeps the folder and the file in it.
        let _ = self.folder.keep();
        self.path
    }
}
