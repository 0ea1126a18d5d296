//! Locks that the kernel releases when their holder dies.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;
use std::{io, thread};

use super::open_to_append;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits up to `longest` for the lock on an open file. False if someone else holds it all that time. The
/// lock is released when the file is closed, including in children that inherited it.
///
/// # Errors
/// Any I/O error.
pub fn lock(file: &File, longest: Duration) -> io::Result<bool> {
    let n_tries = longest.as_millis() / PAUSE.as_millis();
    for n in 0..=n_tries {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if n < n_tries => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Waits up to `longest` for the lock on the file at `path`, which is created if missing. `None` if someone
/// else holds it.
///
/// # Errors
/// Any I/O error.
pub fn lock_file(path: &Path, longest: Duration) -> io::Result<Option<File>> {
    let file = open_to_append(path, Some(0o600))?;
    Ok(lock(&file, longest)?.then_some(file))
}

/// Whether someone else holds the lock on the file at `path`. Several may ask at once; someone who tries to
/// take the lock at that very moment has to try again.
pub fn is_locked(path: &Path) -> bool {
    let opened = path.exists().then(|| open_to_append(path, Some(0o600)));
    opened
        .and_then(Result::ok)
        .is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_the_next_gets_it_when_it_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("lock");
        let held = lock_file(&path, Duration::ZERO).unwrap().unwrap();
        assert!(lock_file(&path, Duration::from_millis(20)).unwrap().is_none());
        assert!(is_locked(&path));
        drop(held);
        assert!(!is_locked(&path) && !is_locked(&temp.path().join("none")));
        assert!(lock_file(&path, Duration::ZERO).unwrap().is_some());
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        assert!(lock_file(&path, Duration::ZERO).is_err(), "a link is not followed");
    }
}
