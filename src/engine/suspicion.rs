//! A reading that takes long may wait for what never comes: git's library waits for a FIFO for ever, and cannot be ended.
//!
//! It must not wait for the reading. Of a workspace it reads only where the repository is, and git's settings there.

use std::path::Path;

use crate::git;
use crate::model::{CollectRequest, GitReader};

/// A reading that takes longer is suspected, in milliseconds.
pub(super) const SUSPECTED_AFTER_MS: i64 = 250;

/// Whether the reading, which takes long, is to be given up at once: it may be git's library that reads, and something is
/// there that it would wait for. The next attempt is the git program's, which can be ended. May hang itself where a disk does.
pub(super) fn waits_in_vain(request: &CollectRequest, home: Option<&Path>) -> bool {
    request.git_reader != Some(GitReader::Program)
        && matches!(
            git::Repository::find(request.workspace.path()),
            Ok(Some(repository)) if repository.obstacle(home).is_some()
        )
}
