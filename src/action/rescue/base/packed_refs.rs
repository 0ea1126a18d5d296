//! Takes a reference out of the packed ones as git does: under git's lock on them, which is a hard link to a file of ours,
//! so that it is provably ours after a crash. A git that is killed there leaves files that stop every other git.
//!
//! It must not change any other reference.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::Mode;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::base::git_files::below;
use crate::disk::write::{Below, Missing, NewFile, Over};
use crate::git::{PackedRefs, Repository};

/// How often to try to take git's lock: 1 second in all, as git itself waits.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Git's lock on the packed references.
pub(crate) fn lock_path(repo: &Repository) -> PathBuf {
    repo.common_dir.join("packed-refs.lock")
}

/// Waits until nobody holds the lock. False if somebody does after a second.
pub(crate) fn is_free_soon(repo: &Repository) -> bool {
    let lock = lock_path(repo);
    tries().any(|()| lock.symlink_metadata().is_err())
}

/// Takes the lock, as a hard link to `file`. `None` if somebody holds it for a second.
///
/// # Errors
/// Any I/O error.
pub(crate) fn lock(repo: &Repository, file: &Below) -> io::Result<Option<Below>> {
    let lock = below(repo, &lock_path(repo), Missing::Fail)?;
    for () in tries() {
        match lock.link_to(file) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            taken => return taken.map(|()| Some(lock)),
        }
    }
    Ok(None)
}

/// Once at once, then after each pause.
fn tries() -> impl Iterator<Item = ()> {
    (0..TRIES).map(|n| {
        if n > 0 {
            std::thread::sleep(PAUSE);
        }
    })
}

/// Takes the reference out, if it is packed. The lock must be held. A power failure may undo this.
///
/// # Errors
/// The file cannot be read or replaced; it is then unchanged.
pub(crate) fn take_out(repo: &Repository, name: &str) -> Result<(), RescueError> {
    let Some(rest) = PackedRefs::read(repo)?.without(name) else { return Ok(()) };
    let path = repo.common_dir.join("packed-refs");
    let replace = || {
        let place = below(repo, &path, Missing::Fail)?;
        let new = NewFile::create(place.folder(), 0o600, &rest)?;
        let mode = place.folder().stat(place.name())?.st_mode;
        rustix::fs::fchmod(new.as_file(), Mode::from_raw_mode(mode))?;
        new.put_whole(place.name(), Over::Any)
    };
    replace().map_err(RescueError::io("write", &path))
}
