//! Temporary folders for tests: in memory if there is room, because nothing in them has to survive a power cut
//! and on a real disk every sync waits.

use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::StatVfsMountFlags;
use tempfile::TempDir;

/// A file system in memory that every Linux has, accessible to every user.
const IN_MEMORY: &str = "/dev/shm";
/// The free space required there, in bytes; the whole suite needs a part of it.
const ROOM: u64 = 2 << 30;

/// A new folder, deleted on drop. `TMPDIR` selects another place.
pub(crate) fn folder() -> TempDir {
    static IS_USABLE: OnceLock<bool> = OnceLock::new();
    let is_usable = || std::env::var_os("TMPDIR").is_none() && is_usable(Path::new(IN_MEMORY));
    if *IS_USABLE.get_or_init(is_usable) {
        tempfile::tempdir_in(IN_MEMORY).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// Whether there is enough room, and programs may be executed there.
fn is_usable(place: &Path) -> bool {
    let Ok(system) = rustix::fs::statvfs(place) else { return false };
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    free >= ROOM && !system.f_flag.contains(StatVfsMountFlags::NOEXEC) && tempfile::tempdir_in(place).is_ok()
}
