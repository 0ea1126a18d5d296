//! The interface to the system's watcher, so that its failures can be tested without reaching its limits.

use std::path::Path;

/// What watches single directories, not their subdirectories.
pub trait Backend: Send {
    /// Watches a directory. Only called for one that is not watched.
    fn watch(&mut self, place: &Path) -> Result<(), WatchRefusal>;

    /// Ends a watch; one that the system has ended itself already is no error.
    fn unwatch(&mut self, place: &Path);
}

/// Why a directory cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchRefusal {
    /// It is not there (any more).
    Missing,
    /// The system's limit of watches is reached.
    LimitReached,
    /// Another failure, in words.
    Failed(String),
}

/// What a backend saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint<'a> {
    /// The entry at this path was created or moved here.
    Arrived(&'a Path),
    /// The entry at this path was written or had its properties changed.
    Changed(&'a Path),
    /// The entry at this path, or the watched directory itself, was removed or moved away.
    Gone(&'a Path),
    /// Events were lost.
    Lost,
}

/// Where a backend tells its hints. It returns at once; it may be called from any thread.
pub type OnHint = Box<dyn Fn(Hint<'_>) + Send>;
