//! Turns the kernel's events about folders into "workspace N may have changed".
//!
//! It must not read evidence, decide what a change means, wait before reporting, or keep a clock: a
//! report is a hint, sent immediately as [`WatchNews`]; the monitor coalesces hints and the engine adds the
//! time.
//!
//! There are few, targeted watches: one on each folder named by a
//! [`WatchTarget`](crate::model::WatchTarget), never recursive, never on a file (the first atomic rename
//! over a file would end its watch), shared by all workspaces that name the folder. Terms of this room:
//!
//! - A **folder** is what a target names. It may be missing, or be reached through symbolic links.
//! - A **place** is a directory that the system is watching now, by its resolved path.
//! - A folder's **watch point** is the place where it is watched: the folder itself if it exists, else the
//!   nearest directory above it, where the next name on the way down is awaited.
//! - A place is **broken** if its directory was removed or moved away: the system then reports nothing
//!   more, or reports it under the old path.
//!
//! The system's thread must never wait: it only looks things up in the table and sends. Watch points are
//! changed by the owner's thread, because setting a watch inside the callback would wait for the very
//! thread that runs the callback. So a broken place is reported as [`WatchNews::must_rearm`], and the owner
//! calls [`Watcher::rearm`] where it may wait for the disk. Nothing here polls or ticks; at rest no thread
//! wakes up. An event that concerns nobody costs one look-up of its folder, even in a busy directory in
//! which a missing folder is awaited.
//!
//! Limit: three things cause no event and are found only by [`Watcher::recheck`] (the slow pass): renaming
//! a directory *above* an unwatched parent, redirecting a symbolic link on the way, and writing through a
//! memory map.
//!
//! Limit: a directory mounted at two paths causes events under only one of them.

mod arming;
mod backend;
mod inbox;
mod process_ends;
mod readers;
mod since;
mod system;
mod table;
mod watch_news;
mod watch_point;
mod watcher;

pub use backend::{Backend, Hint, OnHint, WatchRefusal};
pub use inbox::Inbox;
pub use process_ends::ProcessEnds;
pub use since::changed_since;
pub use system::hints_of;
pub use watch_news::WatchNews;
pub use watcher::Watcher;

/// Why nothing can be watched at all, as the system says it: everything has to be polled.
#[derive(Debug, thiserror::Error)]
#[error("cannot start watching files: {0}")]
pub struct WatchError(pub String);
