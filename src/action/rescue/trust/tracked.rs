//! Everything that git tracks in a work tree, as one digest: what an untraceable program might run.
//!
//! It must not follow a link.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::action::rescue::base::{RescueError, names, whole_file};

/// The largest file whose content counts, in bytes; for larger ones the change time counts instead.
const FILE_CAP: u64 = 16 << 20;

/// The tracked files of a work tree, with one digest over all of them.
#[derive(Default)]
pub(crate) struct Tracked {
    /// Paths relative to the top.
    pub(crate) paths: Vec<Vec<u8>>,
    /// The digest of names, modes, sizes and contents.
    pub(crate) sum: String,
}

impl Tracked {
    /// The current state of the files at these paths.
    pub(crate) fn of(top: &Path, paths: impl Iterator<Item = Vec<u8>>) -> Result<Tracked, RescueError> {
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
                // A link can only be replaced, which changes its time; a large file is too expensive to read.
                sum.update(format!("{} {}", it.ctime(), it.ctime_nsec()).as_bytes());
            }
        }
        tracked.sum = names::hex(&sum.finalize());
        Ok(tracked)
    }
}
