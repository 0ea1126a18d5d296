//! What a crash has cut, found at the start of the program. It reads journals and no repository; what it
//! finds is brought to an end by [`Rescuer::recover`].

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::Rescuer;
use super::journal::{self, Journal};
use super::names;
use super::repository::read_small;

impl Rescuer {
    /// The tops of the worktrees in which a rescue or an undo was cut off. One that another process carries
    /// out just now is among them; [`Rescuer::recover`] waits for it.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.state.join("rescue")).into_iter().flatten().flatten();
        let cut = folders.filter_map(|entry| {
            let (acts, _) = Journal::at(&entry.path()).acts().ok()?;
            let (_, is_over) = journal::last_move(&acts)?;
            let place = read_small(&entry.path().join("place")).ok().flatten()?;
            let top = names::unhex(place.split(|byte| *byte == b'\n').next()?)?;
            (!is_over).then(|| PathBuf::from(OsStr::from_bytes(&top)))
        });
        cut.collect()
    }
}
