//! Folders of closeout's own for journals, locks and copies: this user's, and nobody else's to look into.
//!
//! Nothing of a workspace is touched here.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// Makes the folder (0700) if it is not there.
///
/// # Errors
/// It cannot be made; it is a link, belongs to another user, or others can look into it.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    let is_own = metadata.is_dir()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode().trailing_zeros() >= 6;
    if is_own {
        Ok(())
    } else {
        Err(io::Error::other("closeout's own folder can be changed or read by others"))
    }
}
