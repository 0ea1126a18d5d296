//! Remembers the state of a file or folder, so that a later look can tell whether anything happened to it.
//! Reads no content.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

/// File systems set times from a clock that moves every few milliseconds, so a second change within one step
/// leaves no trace. A state whose last change is this recent is not trusted.
const YOUNG: Duration = Duration::from_millis(20);

/// The state of a file or folder at one moment.
#[derive(Debug, Clone)]
pub(super) struct FileState {
    path: PathBuf,
    /// Modification time in seconds and nanoseconds, size, inode; `None` if it does not exist.
    state: Option<(i64, i64, u64, u64)>,
    /// It changed so recently that another change could leave the same time.
    is_young: bool,
}

impl FileState {
    pub(super) fn now(path: PathBuf) -> FileState {
        // The clock is read before the file, so that a later change counts as young.
        FileState::at(path, file_time())
    }

    /// Whether certainly nothing has happened to it since.
    pub(super) fn still_holds(&self) -> bool {
        !self.is_young && self.holds(&FileState::now(self.path.clone()))
    }

    /// Whether certainly nothing happened between this state and the later state `now`.
    pub(super) fn holds(&self, now: &FileState) -> bool {
        !self.is_young && self.path == now.path && self.state == now.state
    }

    fn at(path: PathBuf, now: SystemTime) -> FileState {
        let Ok(metadata) = path.metadata() else { return FileState { path, state: None, is_young: false } };
        // The time of a `.git` folder changes with every lock file; its identity does not.
        let is_git_dir = metadata.is_dir() && path.ends_with(".git");
        let (seconds, nanos) = if is_git_dir { (0, 0) } else { (metadata.mtime(), metadata.mtime_nsec()) };
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        // A time in the future says nothing either.
        let is_old = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > YOUNG);
        FileState {
            is_young: !is_git_dir && !metadata.modified().is_ok_and(is_old),
            state: Some((seconds, nanos, size, metadata.ino())),
            path,
        }
    }
}

/// The states of many files and folders at one moment, for comparing only: a digest of them takes less memory than
/// their paths.
#[derive(Debug, Clone)]
pub(super) struct FileStates {
    digest: [u8; 32],
    /// One of them changed so recently that another change could leave the same time.
    is_young: bool,
}

impl FileStates {
    pub(super) fn now(paths: Vec<PathBuf>) -> FileStates {
        let mut digest = Sha256::new();
        let mut is_young = false;
        for path in paths {
            let state = FileState::now(path);
            is_young |= state.is_young;
            let path = state.path.as_os_str().as_bytes();
            digest.update(path.len().to_ne_bytes());
            digest.update(path);
            digest.update([u8::from(state.state.is_some())]);
            let (seconds, nanos, size, inode) = state.state.unwrap_or_default();
            digest.update([seconds.to_ne_bytes(), nanos.to_ne_bytes()].concat());
            digest.update([size.to_ne_bytes(), inode.to_ne_bytes()].concat());
        }
        FileStates { digest: digest.finalize().into(), is_young }
    }

    /// Whether certainly nothing happened to any of them between these states and the later states `now`.
    pub(super) fn hold(&self, now: &FileStates) -> bool {
        !self.is_young && self.digest == now.digest
    }

    /// From now on they count as changed.
    pub(super) fn distrust(&mut self) {
        self.is_young = true;
    }
}

/// The current time on the clock by which file systems set times.
#[expect(clippy::disallowed_methods, reason = "it is compared with times of files, not with those of events")]
fn file_time() -> SystemTime {
    SystemTime::now()
}
