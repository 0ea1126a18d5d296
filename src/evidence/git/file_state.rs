//! A file or folder as it was, so that a later look can tell whether anything happened to it. Reads no content.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// File systems set times by a clock that moves every few milliseconds: of two changes within one
/// step the second leaves no trace. What changed this shortly before it was looked at is not trusted.
const YOUNG: Duration = Duration::from_millis(20);

/// A file or folder as it was.
#[derive(Debug, Clone)]
pub(super) struct FileState {
    path: PathBuf,
    /// Time of change in seconds and nanoseconds, size, number; `None` when it is not there.
    state: Option<(i64, i64, u64, u64)>,
    /// It changed so shortly before that one more change would leave the same time.
    is_young: bool,
}

impl FileState {
    /// As it is now.
    pub(super) fn now(path: PathBuf) -> FileState {
        // Read before the file: what changes after it is younger.
        FileState::at(path, file_time())
    }

    /// Whether nothing can have happened to it since.
    pub(super) fn still_holds(&self) -> bool {
        !self.is_young && self.holds(&FileState::now(self.path.clone()))
    }

    /// Whether nothing can have happened between this state and a later one.
    pub(super) fn holds(&self, now: &FileState) -> bool {
        !self.is_young && self.path == now.path && self.state == now.state
    }

    /// From here on it counts as changed.
    pub(super) fn distrust(&mut self) {
        self.is_young = true;
    }

    fn at(path: PathBuf, now: SystemTime) -> FileState {
        let Ok(metadata) = path.metadata() else { return FileState { path, state: None, is_young: false } };
        // The time of a folder that is itself `.git` changes with every lock file; its identity does not.
        let is_git_dir = metadata.is_dir() && path.ends_with(".git");
        let (seconds, nanos) = if is_git_dir { (0, 0) } else { (metadata.mtime(), metadata.mtime_nsec()) };
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        // A time that is yet to come says nothing either.
        let is_old = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > YOUNG);
        FileState {
            is_young: !is_git_dir && !metadata.modified().is_ok_and(is_old),
            state: Some((seconds, nanos, size, metadata.ino())),
            path,
        }
    }
}

/// The moment on the clock by which file systems set times.
#[expect(clippy::disallowed_methods, reason = "it is compared with times of files, not with those of events")]
fn file_time() -> SystemTime {
    SystemTime::now()
}
