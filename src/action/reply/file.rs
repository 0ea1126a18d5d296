//! A reply as a file: written whole beside its place and then put there, never over something, and through
//! no link.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};

use crate::model::{ActionClass, ActionProblem};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// Writes `text` to `path`. `id` is the reply's. On an error nothing stands there that was not there before.
pub(super) fn write(path: &Path, workspace: &Path, text: &str, id: &str) -> Result<(), ActionProblem> {
    let failed = |error: io::Error| {
        let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
        let what = if is_taken { "something stands there already".to_owned() } else { error.to_string() };
        let next = if is_taken {
            "the agent has not taken its last reply; wait until it has, or remove the file"
        } else {
            "see that its folder is there, can be written and has room"
        };
        let words = format!("the reply file {} was not written: {what}", path.display());
        ActionProblem::new(ActionClass::Failed, words).with_next(next)
    };
    let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let folder = open_folder(path.parent().unwrap_or(Path::new("/")), workspace).map_err(failed)?;
    let beside = format!(".closeout-{id}");
    let outcome = write_beside(&folder, &beside, text).and_then(|()| {
        rustix::fs::renameat_with(&folder, beside.as_str(), &folder, name, RenameFlags::NOREPLACE)
            .map_err(io::Error::from)
    });
    if let Err(error) = outcome {
        // Only what was made here has this name.
        let _ = rustix::fs::unlinkat(&folder, beside.as_str(), AtFlags::empty());
        return Err(failed(error));
    }
    // The name lasts through a power failure; if that fails the file is there all the same.
    let _ = rustix::fs::fsync(&folder);
    Ok(())
}

fn write_beside(folder: &OwnedFd, name: &str, text: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o600))?;
    let mut file = File::from(file);
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The folder. Below the workspace no name may be a link; outside it is the person's word, but for the last.
fn open_folder(path: &Path, workspace: &Path) -> io::Result<OwnedFd> {
    let Ok(below) = path.strip_prefix(workspace) else {
        return Ok(rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?);
    };
    let mut folder = rustix::fs::openat(CWD, workspace, FOLDER, Mode::empty())?;
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        folder = rustix::fs::openat(&folder, name, FOLDER, Mode::empty())?;
    }
    Ok(folder)
}
