//! Where a linked worktree may have been before it was moved (`git worktree move`, or by hand with `git worktree repair`).
//! Git writes the new place over the old one, but keeps the name of the first folder. Must not say that it was there.

use std::path::{Path, PathBuf};

use crate::git;
use crate::model::Timestamp;

/// Folders of a main worktree in which others are kept.
const NESTS: [&str; 4] = ["", ".worktrees", "worktrees", ".claude/worktrees"];

/// The former places of a worktree that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    /// Folders of its first name, where nothing is now: beside its place, beside the main worktree, and in that.
    pub places: Vec<PathBuf>,
    /// When the worktree was made.
    pub made_at: Timestamp,
}

/// The former places of the worktree with this top folder; `None` if it was not moved.
pub fn former(top: &Path) -> Option<Former> {
    let text = git::read_small(top, ".git").ok()??;
    let git_dir = git::resolve(top, text.strip_prefix(b"gitdir:")?);
    // Its place is written when it is made, before the other file, and again whenever it is moved.
    let made_at = written_at(&git_dir.join("commondir"))?;
    if written_at(&git_dir.join("gitdir"))? <= made_at {
        return None;
    }
    let name = git_dir.file_name()?;
    let main = git_dir.parent()?.parent()?.parent()?;
    let beside = [top.parent(), main.parent()].into_iter().flatten().map(Path::to_owned);
    let mut places: Vec<PathBuf> =
        beside.chain(NESTS.map(|nest| main.join(nest))).map(|folder| folder.join(name)).collect();
    places.retain(|place| place.symlink_metadata().is_err());
    places.sort_unstable();
    places.dedup();
    Some(Former { places, made_at })
}

fn written_at(file: &Path) -> Option<Timestamp> {
    let since = file.symlink_metadata().ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Timestamp)
}
