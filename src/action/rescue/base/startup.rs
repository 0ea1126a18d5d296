//! Finds at program start what a crash interrupted and left in our own folder. It must read only journals and
//! no repository; [`Rescuer::recover`] completes or rolls back what is found.

use std::fs;
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Journal, journal, worktrees};
use crate::disk;

impl Rescuer {
    /// Removes the working folders of killed rescues: they hold copies of contents, which can be large. Leaves
    /// alone what another process is using.
    pub fn sweep(&self) {
        for entry in fs::read_dir(self.state.join("rescue")).into_iter().flatten().flatten() {
            let Ok(lock) = disk::open(&entry.path().join("lock")) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            remove_left(&entry.path());
        }
    }

    /// The tops of worktrees with an interrupted rescue or undo. One that another process is carrying out right
    /// now is included; [`Rescuer::recover`] waits for it.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.state.join("rescue")).into_iter().flatten().flatten();
        let cut = folders.filter_map(|entry| {
            let actions = Journal::at(&entry.path()).read().ok()?.entries;
            let (_, is_over) = journal::last_move(&actions)?;
            let top = worktrees::place_of(&entry.path())?;
            (!is_over).then_some(top)
        });
        cut.collect()
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
