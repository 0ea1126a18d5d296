//! What killed rescues left in our own folders, and which of them have to be completed.
//!
//! It must not touch what another process is using.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Journal, journal, repository, whole_file, worktrees};
use crate::disk;
use crate::git::Repository;

impl Rescuer {
    /// Removes the working folders of killed rescues: they hold copies of contents, which can be large. Leaves
    /// alone what another process is using.
    pub fn sweep(&self) {
        for folder in self.own_folders() {
            let Ok(lock) = disk::open(&folder.join("lock")) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            remove_left(&folder);
        }
    }

    /// The tops of worktrees with an interrupted rescue, undo or deletion. One that another process is carrying out right
    /// now is included; [`Rescuer::recover`] waits for it.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let cut = self.own_folders().into_iter().filter_map(|folder| {
            // What another repository has the path of is completed where it is opened again.
            if worktrees::is_former(&folder) {
                return None;
            }
            let entries = Journal::at(&folder).read().ok()?.entries;
            let top = worktrees::place_of(&folder)?;
            if journal::last_move(&entries).is_some_and(|(_, is_over)| !is_over) {
                return Some(top);
            }
            let is_there = |top: &Path| top.join(".git").symlink_metadata().is_ok();
            match journal::cut_deletions(&entries)[..] {
                [] => None,
                _ if is_there(&top) => Some(top),
                // Where the worktree was removed, it is completed from another one of the repository.
                _ => {
                    let common_dir = worktrees::common_dir_of(&folder)?;
                    let places = worktrees::of_repository(&self.state, &common_dir).ok()?;
                    let is_of_it =
                        |top: &PathBuf| matches!(Repository::open(top), Ok(Some(it)) if it.common_dir == common_dir);
                    places.into_iter().map(|place| place.top).find(is_of_it)
                }
            }
        });
        cut.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Our own folders of all worktrees. Empty if what is above them is not our own.
    fn own_folders(&self) -> Vec<PathBuf> {
        let all = self.state.join(worktrees::RESCUE);
        if all.symlink_metadata().is_err() || repository::own_folder(&self.state, worktrees::RESCUE).is_err()
        {
            return Vec::new();
        }
        whole_file::folders(&all).unwrap_or_default().iter().map(DirEntry::path).collect()
    }
}

/// The beginning of the names of working folders that are being removed.
const REMOVING: &str = "work-removing-";

/// Removes from one of our own folders, which the caller has locked, what killed rescues left in it. A git child that
/// outlived its rescue may still write into a working folder: one that reads its input holds no lock. So the folder
/// gets another name first, under which the child finds nothing, and cannot keep it from being removed.
pub(crate) fn remove_left(folder: &Path) {
    for left in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (left.file_name(), left.path());
        let words = name.to_string_lossy();
        // What cannot be removed is tried again at the next rescue.
        if words.starts_with(REMOVING) {
            let _ = fs::remove_dir_all(path);
        } else if words.starts_with("work") {
            let removing = folder.join(format!("{REMOVING}{words}"));
            let is_renamed = fs::rename(&path, &removing).is_ok();
            let _ = fs::remove_dir_all(if is_renamed { removing } else { path });
        } else if disk::write::is_left(&name) {
            let _ = fs::remove_file(path);
        }
    }
}
