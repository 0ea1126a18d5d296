//! Where a folder is watched, and where it could be watched according to the disk. Reads only the names and
//! identities of directories.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::model::WatchProblem;

/// Where a folder is watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum WatchPoint {
    /// Not yet, or no longer watched.
    #[default]
    Nowhere,
    /// At its own place.
    Here(Arc<Path>),
    /// At a place above it, where this name is awaited.
    Awaiting(Arc<Path>, OsString),
    Refused(WatchProblem),
}

/// How a folder was attached to its watch point.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Attached {
    /// To a place that is already watched.
    Shared,
    /// To a place that must be watched now.
    New(Arc<Path>),
    /// Not attached: the place itself is in doubt, and the folder stays in doubt with it.
    InDoubt,
}

/// The place where a folder can be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// The directory to watch, resolved, so that each directory has only one path.
    pub(super) place: PathBuf,
    pub(super) identity: Identity,
    /// The missing name on the way down to the folder; `None` if the place is the folder itself.
    pub(super) awaited: Option<OsString>,
}

/// Distinguishes a directory from another that replaced it. The inode number alone cannot: it may be reused
/// right after a removal. So the birth time is compared too, where the system knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    born: Option<SystemTime>,
}

/// Finds the folder, or the nearest directory above it. `None` if there is none, which cannot happen for an
/// absolute path without `..`.
pub(super) fn look_for(folder: &Path) -> Option<Look> {
    let mut awaited = None;
    for directory in folder.ancestors() {
        if let Some((place, identity)) = identify(directory) {
            return Some(Look { place, identity, awaited });
        }
        awaited = Some(directory.file_name()?.to_owned());
    }
    None
}

fn identify(directory: &Path) -> Option<(PathBuf, Identity)> {
    let place = fs::canonicalize(directory).ok()?;
    let metadata = fs::metadata(&place).ok()?;
    let identity = Identity { device: metadata.dev(), inode: metadata.ino(), born: metadata.created().ok() };
    metadata.is_dir().then_some((place, identity))
}
