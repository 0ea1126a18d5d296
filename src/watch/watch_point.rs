//! Where a folder is watched, and where it could be watched according to the disk. Reads the names and
//! identities of directories, nothing else.

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
    /// Not yet, or not any more.
    #[default]
    Nowhere,
    /// At the place that it is itself.
    Here(Arc<Path>),
    /// At a place above it, where this name is awaited.
    Awaiting(Arc<Path>, OsString),
    /// It cannot be watched.
    Refused(WatchProblem),
}

/// How a folder got its watch point.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Attached {
    /// At a place that is watched already.
    Shared,
    /// At a place that has to be watched now.
    New(Arc<Path>),
    /// Not: the place is in doubt itself, and the folder stays in doubt with it.
    InDoubt,
}

/// The place where a folder can be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// The directory to watch, resolved, so that one directory has one path.
    pub(super) place: PathBuf,
    /// Which directory that is.
    pub(super) identity: Identity,
    /// The name on the way down to the folder that is not there; `None` if the place is the folder.
    pub(super) awaited: Option<OsString>,
}

/// Tells a directory from another that was put in its place. The inode alone does not: its number is
/// given out again at once after a removal, so the time of birth belongs to it where the system knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    born: Option<SystemTime>,
}

/// Looks for the folder, or for the nearest directory above it. `None` if there is none, which for an
/// absolute path without `..` cannot be.
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
