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
        let all = state_folder.join("editing");
        own_folder(state_folder)?;
        own_folder(&all)?;
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn only_this_user_can_read_it_and_nothing_is_left() {
        let state = tempfile::tempdir().unwrap();
        fs::set_permissions(state.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let text = EditedText::create(state.path(), "はい").unwrap();
        let modes = [state.path(), text.path().parent().unwrap(), text.path()]
            .map(|path| fs::metadata(path).unwrap().mode() & 0o777);
        assert_eq!(modes, [0o700, 0o700, 0o600]);
        assert_eq!(text.read(6).unwrap().as_deref(), Some("はい"));
        assert_eq!(text.read(5).unwrap(), None);
        // An editor that writes a second file, renames it, and leaves a copy.
        let beside = text.path().with_file_name("reply.md~");
        fs::write(&beside, "later").unwrap();
        fs::rename(&beside, text.path()).unwrap();
        fs::write(&beside, "copy").unwrap();
        assert_eq!(text.read(100).unwrap().as_deref(), Some("later"));
        drop(text);
        assert_eq!(fs::read_dir(state.path().join("editing")).unwrap().count(), 0);
    }

    #[test]
    fn what_cannot_be_taken_back_stays() {
        let state = tempfile::tempdir().unwrap();
        let text = EditedText::create(state.path(), "").unwrap();
        fs::write(text.path(), b"\xff").unwrap();
        assert_eq!(text.read(100).unwrap(), None);
        assert_eq!(fs::read(text.leave()).unwrap(), b"\xff");
        let text = EditedText::create(state.path(), "").unwrap();
        fs::remove_file(text.path()).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", text.path()).unwrap();
        assert!(text.read(100).is_err(), "a link is not followed");
    }
}
