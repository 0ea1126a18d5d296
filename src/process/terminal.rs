//! Asks a terminal of another program how much of its input nobody has read. It must not read any of it.

use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// How many bytes were typed at this terminal that no program has read yet; `None` if that cannot be told.
pub fn n_unread(terminal: &Path) -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(terminal, flags, Mode::empty()).ok()?;
    rustix::io::ioctl_fionread(&terminal).ok()
}
