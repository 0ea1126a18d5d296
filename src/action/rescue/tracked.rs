//! Everything that git tracks in a work tree, as one sum: what a program can run that is not to be found.
//!
//! It must not follow a link.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::error::RescueError;
use super::{names, whole_file};

/// Of files up to this size the content counts, of larger ones the time; in bytes.
const FILE_CAP: u64 = 16 << 20;

/// The tracked files of a work tree, and one sum of all of them.
#[derive(Default)]
pub(super) struct Tracked {
    /// From the top.
    pub(super) paths: Vec<Vec<u8>>,
    /// Of names, modes and contents.
    pub(super) sum: String,
}

impl Tracked {
    /// The files at these paths as they are now.
    pub(super) fn of(top: &Path, paths: impl Iterator<Item = Vec<u8>>) -> Result<Tracked, RescueError> {
        let mut tracked = Tracked { paths: paths.collect(), sum: String::new() };
        tracked.paths.dedup();
        let mut sum = Sha256::new();
        for name in &tracked.paths {
            let path = top.join(std::ffi::OsStr::from_bytes(name));
            let metadata = path.symlink_metadata().ok();
            let about = metadata.as_ref().map_or((0, 0), |it| (it.mode(), it.len()));
            sum.update(name);
            sum.update(format!("\0{about:?} ").as_bytes());
            if metadata.as_ref().is_some_and(|it| it.is_file() && it.len() <= FILE_CAP) {
                sum.update(whole_file::read(&path, FILE_CAP)?.unwrap_or_default());
            } else if let Some(it) = &metadata {
                // A link can only be replaced; a large file is known by its time.
                sum.update(format!("{} {}", it.ctime(), it.ctime_nsec()).as_bytes());
            }
        }
        tracked.sum = names::hex(&sum.finalize());
        Ok(tracked)
    }
}
