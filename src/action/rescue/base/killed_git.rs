//! Calls of git that change references, and the locks that git leaves if it is killed in one, for example because
//! memory ran out: with them nobody could change a reference any more.
//!
//! It must not remove a lock that was there before the call, nor one that any process has open.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::action::clock;
use crate::action::rescue::base::git_files;
use crate::git::{Git, GitError, Repository, Stdin};
use crate::process::Output;

/// By how much the time of a file can be before that of the clock: the kernel's own advances in steps.
const TICK: Duration = Duration::from_millis(20);

/// Runs `git update-ref` with these arguments. If git is killed, its locks are removed.
pub(crate) fn update_ref(git: &Git<'_>, args: &[&str]) -> Result<Output, GitError> {
    let (before, begun) = (locks(git.repo, args), clock::since_epoch());
    let output = git.real(["update-ref"].iter().chain(args), Stdin::Lock);
    if matches!(output, Err(GitError::Failed { .. } | GitError::TimedOut { .. } | GitError::Cancelled)) {
        for lock in locks(git.repo, args).difference(&before) {
            if is_since(lock, begun) && !is_open(lock) {
                // A lock that cannot be removed is named to the person by the next action.
                let _ = git_files::remove(git.repo, lock);
            }
        }
    }
    output
}

/// The locks that are there now and that such a call can have taken.
fn locks(repo: &Repository, args: &[&str]) -> BTreeSet<PathBuf> {
    let names = args.iter().filter(|arg| arg.starts_with("refs/")).map(|name| format!("{name}.lock"));
    let mut found: BTreeSet<PathBuf> = names
        // Whoever holds the lock writes the new list beside the old one; one that is left stops every git.
        .chain(["packed-refs.new".to_owned(), "packed-refs.lock".to_owned()])
        .map(|name| repo.common_dir.join(name))
        .chain([repo.git_dir.join("HEAD.lock")])
        .collect();
    for tables in [repo.common_dir.join("reftable"), repo.git_dir.join("reftable")] {
        let names = fs::read_dir(tables).into_iter().flatten().flatten().map(|entry| entry.path());
        found.extend(names.filter(|path| path.extension().is_some_and(|end| end == "lock")));
    }
    found.retain(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    found
}

/// Whether the file was created at this time or later.
fn is_since(path: &Path, time: Duration) -> bool {
    let Ok(metadata) = path.symlink_metadata() else { return false };
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
    Duration::new(seconds, nanoseconds) + TICK >= time
}

/// Whether a process has the file open, or a git process of another user may have.
fn is_open(path: &Path) -> bool {
    let Ok(wanted) = path.symlink_metadata() else { return true };
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    processes.flatten().any(|process| {
        let files = match fs::read_dir(process.path().join("fd")) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                return name.starts_with("git");
            }
            // No process, or one that has ended.
            Err(_) => return false,
        };
        let is_it = |file: fs::DirEntry| {
            file.path().metadata().is_ok_and(|it| (it.dev(), it.ino()) == (wanted.dev(), wanted.ino()))
        };
        files.flatten().any(is_it)
    })
}
