//! Turns what the kernel says about folders into "workspace N may have changed".
//!
//! It must not read evidence, decide what a change means, wait before it tells, or keep a clock: a
//! [`WatchEvent`] is a hint, told at once; the monitor coalesces and the engine stamps the time.
//!
//! Few, targeted watches: one on each folder that a [`WatchTarget`](crate::model::WatchTarget) names,
//! never recursive, never on a file (the first atomic rename over a file would end its watch), shared by
//! all workspaces that name the folder. Words of this room:
//!
//! - a **folder** is what a target names; it may be missing, or reached by symbolic links;
//! - a **place** is a directory that the system watches now, by its resolved path;
//! - a folder's **watch point** is the place where it is watched: the folder itself if it exists, else the
//!   nearest directory above it, where the next name on the way down is awaited;
//! - a place is **broken** when its directory was removed or moved away: the system then says nothing
//!   more, or says it under the old path.
//!
//! The system's thread must never wait: it only looks into the table and sends. Seats are changed by the
//! owner's thread, because a watch that is set from within the callback waits for the very thread that
//! runs the callback. So a broken place is told as [`WatchEvent::Rearm`], and the owner calls
//! [`Watcher::rearm`] where it may wait for the disk. Nothing here polls or ticks; at rest no thread
//! wakes. An event that concerns nobody costs one look-up by its folder, also in a busy directory where
//! a missing folder is awaited.
//!
//! Limit: three things give no event and are found by [`Watcher::recheck`] only (the slow pass): a
//! directory *above* an unwatched parent that is renamed, a symbolic link on the way that is pointed
//! elsewhere, a write through a memory map.
//! Limit: a directory that is mounted at two paths gives events under one of them only.

mod arming;
mod backend;
mod inbox;
mod process_ends;
mod readers;
mod since;
mod system;
mod table;
mod watch_event;
mod watch_point;
mod watcher;

pub use backend::{Backend, Hint, OnHint, WatchRefusal};
pub use inbox::Inbox;
pub use process_ends::ProcessEnds;
pub use since::changed_since;
pub use system::hints_of;
pub use watch_event::WatchEvent;
pub use watcher::Watcher;

/// Why nothing can be watched at all: everything has to be polled.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's watcher does not start: no such facility here, or too many of them are in use.
    #[error("cannot start watching files: {reason}")]
    NotStarted {
        /// The system's reason.
        reason: String,
    },
}
