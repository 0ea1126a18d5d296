//! What a crash has cut, found at the start of the program, and what it left in our own folder. It reads
//! journals and no repository; what it finds is brought to an end by [`Rescuer::recover`].

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::journal::{self, Journal};
use super::whole_file::read_small;
use super::{Rescuer, names};

impl Rescuer {
    /// Removes what killed rescues left of their work in our own folder: copies of contents, which can be
    /// large. What another process works on is left alone.
    pub fn sweep(&self) {
        for entry in fs::read_dir(self.state.join("rescue")).into_iter().flatten().flatten() {
            let Ok(lock) = fs::File::open(entry.path().join("lock")) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            for left in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                if left.file_name().to_string_lossy().starts_with("work") {
                    // What stays is tried again at the next rescue.
                    let _ = fs::remove_dir_all(left.path());
                }
            }
        }
    }

    /// The tops of the worktrees in which a rescue or an undo was cut off. One that another process carries
    /// out just now is among them; [`Rescuer::recover`] waits for it.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.state.join("rescue")).into_iter().flatten().flatten();
        let cut = folders.filter_map(|entry| {
            let actions = Journal::at(&entry.path()).read().ok()?.entries;
            let (_, is_over) = journal::last_move(&actions)?;
            let place = read_small(&entry.path().join("place")).ok().flatten()?;
            let top = names::unhex(place.split(|byte| *byte == b'\n').next()?)?;
            (!is_over).then(|| PathBuf::from(OsStr::from_bytes(&top)))
        });
        cut.collect()
    }
}
