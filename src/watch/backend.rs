//! The interface to the system's watcher; tests use it to simulate failures without reaching system limits.

use std::path::Path;

/// Watches single directories, not their subdirectories.
pub trait Backend: Send {
    /// Watches a directory. Called only for a directory that is not yet watched.
    fn watch(&mut self, place: &Path) -> Result<(), WatchRefusal>;

    /// Ends a watch. It is not an error if the system has already ended it.
    fn unwatch(&mut self, place: &Path);
}

/// Why a directory cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchRefusal {
    /// It does not exist (any more).
    Missing,
    /// The system's limit on watches is reached.
    LimitReached,
    /// Any other failure, as a message.
    Failed(String),
}

/// An event as the backend reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint<'a> {
    /// The entry at this path was created or moved here.
    Arrived(&'a Path),
    /// The entry at this path was written or had its properties changed.
    Changed(&'a Path),
    /// The entry at this path, or the watched directory itself, was removed or moved away.
    Gone(&'a Path),
    /// The system lost events.
    Lost,
}

/// Receives the backend's hints. It returns at once and may be called from any thread.
pub type OnHint = Box<dyn Fn(Hint<'_>) + Send>;
