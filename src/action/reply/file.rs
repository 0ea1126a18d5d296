//! Writes a reply as a file: in full beside its place, then moved there. It must not overwrite anything or
//! follow a link.

use std::io;
use std::path::Path;

use crate::disk::Folder;
use crate::disk::write::{NewFile, Over};
use crate::model::{ActionClass, ActionProblem};

/// Writes `text` to `path`. On an error, nothing new is left at that path.
pub(super) fn write(path: &Path, workspace: &Path, text: &str) -> Result<(), ActionProblem> {
    let failed = |error: io::Error| {
        let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
        let what = if is_taken { "something stands there already".to_owned() } else { error.to_string() };
        let next = if is_taken {
            "the agent has not taken its last reply; wait until it has, or remove the file"
        } else {
            "see that its folder is there, can be written and has room"
        };
        let message = format!("the reply file {} was not written: {what}", path.display());
        ActionProblem::new(ActionClass::Failed, message).with_next(next)
    };
    let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let folder = open_folder(path.parent().unwrap_or(Path::new("/")), workspace).map_err(failed)?;
    NewFile::create(&folder, 0o600, text.as_bytes())
        .and_then(|file| file.put_whole(name, Over::Nothing))
        .map_err(failed)?;
    // Makes the name survive a power failure. If that fails, the file is there all the same.
    let _ = rustix::fs::fsync(&folder);
    Ok(())
}

/// Opens the folder. Below the workspace no component may be a link; outside, a person chose the path, and only
/// the last component may not be one.
fn open_folder(path: &Path, workspace: &Path) -> io::Result<Folder> {
    match path.strip_prefix(workspace) {
        Ok(below) => Ok(Folder::open_unlinked(workspace)?.folder(below)?),
        Err(_) => Ok(Folder::open_unlinked(path)?),
    }
}
