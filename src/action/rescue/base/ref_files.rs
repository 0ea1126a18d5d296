//! Closeout's own references where each is a file: changed as git does it, with a lock beside the file, but in folders
//! that are held open. No link can lead such a change elsewhere, whenever it comes, and no kernel has to help.
//!
//! It must not change a reference that is not where it is expected.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, RawMode};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::base::git_files::{self, below};
use crate::disk;
use crate::disk::write::{Below, Missing, NewFile, Over, Sharing, is_removed};
use crate::git::{Git, PackedRefs, Repository, log_file};
use crate::model::CommitId;

/// How often a lock is tried again that git holds for a moment, or whose empty folder git removed: 0.1 s in all, as git
/// itself waits.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);
/// The longest value of a reference, in bytes.
const VALUE_CAP: u64 = 4 << 10;

/// Changes the reference `name` from the id `from` to `to`; `None` is a reference that does not exist.
///
/// # Errors
/// As git words it: the reference is not at `from`, or a lock or another reference is in the way. Any I/O error.
pub(crate) fn change(
    git: &Git<'_>,
    name: &str,
    from: Option<CommitId>,
    to: Option<CommitId>,
) -> Result<(), RescueError> {
    let (repo, sharing) = (git.repo, git.sharing()?);
    repo.check_writes(&[name])?;
    // Git removes the empty folder of a reference that it packed.
    let is_made = to.is_some() || PackedRefs::read(repo)?.id_of(name).is_some();
    let mut lock = Lock::take(repo, name, is_made.then_some(sharing))
        .map_err(|error| cannot(name, &error.to_string()))?;
    // Git may have packed it before the lock was taken.
    let packed = PackedRefs::read(repo)?;
    let now = lock.value().map_err(|error| cannot(name, &error.to_string()))?.or_else(|| packed.id_of(name));
    let from = from.map(|id| id.to_string());
    if now != from {
        let words = |id: Option<String>| id.map_or_else(|| "missing".to_owned(), |id| format!("at {id}"));
        let [now, from] = [now, from].map(words);
        return Err(cannot(name, &format!("it is {now}, not {from}")));
    }
    if from.is_none() && packed.is_in_the_way_of(name) {
        return Err(cannot(name, "another reference is in the way"));
    }
    let file = repo.common_dir.join(name);
    if let Some(to) = to {
        return lock.put(to).map_err(RescueError::io("write", &file));
    }
    if !lock.with_packed(repo).map_err(|error| cannot(name, &error.to_string()))? {
        return Err(cannot(name, "packed-refs.lock exists"));
    }
    take_out_packed(repo, name, sharing)?;
    lock.remove().map_err(RescueError::io("remove", &file))?;
    drop(lock);
    tidy(repo, name);
    Ok(())
}

fn cannot(name: &str, why: &str) -> RescueError {
    RescueError::Git { what: "update-ref".to_owned(), words: format!("cannot lock ref '{name}': {why}") }
}

/// Removes what git removes with a reference: its log, and the folders that are empty now.
fn tidy(repo: &Repository, name: &str) {
    let (folder, log) = log_file(repo, name);
    // What stays is in nobody's way.
    let _ = git_files::remove(repo, &folder.join(log));
    let folders = Path::new(name).ancestors().skip(1).take_while(|path| path.components().count() > 1);
    for folder in folders {
        let removed = below(repo, &repo.common_dir.join(folder), Missing::Fail);
        if removed.and_then(|it| it.remove_folder()).is_err() {
            break;
        }
    }
}

/// The lock of a reference, removed with this value.
struct Lock {
    reference: Below,
    beside: Below,
    file: File,
    /// The lock on the packed references, a hard link to this one.
    packed: Option<Below>,
    is_put: bool,
}

impl Lock {
    /// Takes it. What is missing of the folders on the way is created with this sharing, if there is any.
    fn take(repo: &Repository, name: &str, made: Option<Sharing>) -> io::Result<Lock> {
        let path = repo.common_dir.join(name);
        let missing = made.map_or(Missing::Fail, Missing::Create);
        let mut tries = 0;
        loop {
            let taken = below(repo, &path, missing).and_then(|reference| {
                let beside = reference.beside(&locked(reference.name()))?;
                let file = beside.create_shared(made.unwrap_or_default())?;
                Ok(Lock { reference, beside, file, packed: None, is_put: false })
            });
            tries += 1;
            match taken.as_ref().map_err(io::Error::kind) {
                Err(ErrorKind::AlreadyExists) if tries < TRIES => std::thread::sleep(PAUSE),
                Err(ErrorKind::NotFound) if made.is_some() && tries < TRIES => {}
                Ok(_) | Err(_) => return taken,
            }
        }
    }

    /// What the file of the reference says; `None` if it has none.
    fn value(&self) -> io::Result<Option<String>> {
        let file = match self.reference.folder().file(Path::new(self.reference.name())) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let text = disk::read_start(&file, VALUE_CAP)?;
        Ok(Some(String::from_utf8_lossy(text.trim_ascii()).into_owned()))
    }

    /// Takes the lock on the packed references too. False if somebody holds it.
    fn with_packed(&mut self, repo: &Repository) -> io::Result<bool> {
        self.packed = lock_packed(repo, &self.beside)?;
        Ok(self.packed.is_some())
    }

    /// Removes the reference's file, if it has one.
    fn remove(&self) -> io::Result<()> {
        is_removed(self.reference.remove()).map(drop)
    }

    /// Puts the reference in its place with this value.
    fn put(mut self, id: CommitId) -> io::Result<()> {
        self.file.write_all(format!("{id}\n").as_bytes())?;
        self.file.sync_all()?;
        self.reference.replace_by(self.beside.name())?;
        self.is_put = true;
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the other lock is there, this one is provably ours.
        if self.packed.as_ref().is_some_and(|packed| packed.remove().is_err()) {
            return;
        }
        if !self.is_put {
            // One that stays is removed by the next start.
            let _ = self.beside.remove();
        }
    }
}

fn locked(name: &OsStr) -> OsString {
    let mut lock = name.to_owned();
    lock.push(".lock");
    lock
}

/// How often to try to take git's lock on the packed references: 1 second in all, as git itself waits.
const PACKED_TRIES: u32 = 50;
const PACKED_PAUSE: Duration = Duration::from_millis(20);

/// Git's lock on the packed references.
pub(crate) fn packed_lock(repo: &Repository) -> PathBuf {
    repo.common_dir.join("packed-refs.lock")
}

/// Waits until nobody holds the lock. False if somebody does after a second.
pub(crate) fn is_packed_free_soon(repo: &Repository) -> bool {
    let lock = packed_lock(repo);
    tries().any(|()| lock.symlink_metadata().is_err())
}

/// Takes the lock, as a hard link to `file`. `None` if somebody holds it for a second.
///
/// # Errors
/// Any I/O error.
pub(crate) fn lock_packed(repo: &Repository, file: &Below) -> io::Result<Option<Below>> {
    let lock = below(repo, &packed_lock(repo), Missing::Fail)?;
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
    (0..PACKED_TRIES).map(|n| {
        if n > 0 {
            std::thread::sleep(PACKED_PAUSE);
        }
    })
}

/// Takes the reference out, if it is packed. The lock must be held. A power failure may undo this.
///
/// # Errors
/// The file cannot be read or replaced; it is then unchanged.
pub(crate) fn take_out_packed(repo: &Repository, name: &str, sharing: Sharing) -> Result<(), RescueError> {
    let Some(rest) = PackedRefs::read(repo)?.without(name) else { return Ok(()) };
    let path = repo.common_dir.join("packed-refs");
    let replace = || {
        let place = below(repo, &path, Missing::Fail)?;
        let before = place.folder().stat(place.name())?.st_mode;
        let new = NewFile::create(place.folder(), first_mode(sharing, before), &rest)?;
        if sharing == Sharing::Masked {
            rustix::fs::fchmod(new.as_file(), Mode::from_raw_mode(before))?;
        }
        sharing.share(new.as_file())?;
        new.put_whole(place.name(), Over::Any)
    };
    replace().map_err(RescueError::io("write", &path))
}

/// The mode with which a file is created that gets its own next: never wider than that, so that nobody can open it in between
/// who may not later. `before` is the mode of the file that it replaces.
fn first_mode(sharing: Sharing, before: RawMode) -> RawMode {
    match sharing {
        Sharing::Masked => before & 0o666,
        Sharing::Added(_) => 0o666,
        Sharing::Exactly(mode) => mode & 0o666,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_list_is_never_open_to_more_than_the_old_one() {
        assert_eq!(first_mode(Sharing::Masked, 0o100_600), 0o600);
        assert_eq!(first_mode(Sharing::Exactly(0o640), 0o100_644), 0o640);
        assert_eq!(first_mode(Sharing::Added(0o660), 0o100_600), 0o666, "the mask of the process narrows it");
    }
}
