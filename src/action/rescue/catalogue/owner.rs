//! Finds and locks our own folder with the journal of a record or a move: that of the locked worktree, or of one that is gone.
//!
//! It must not take the journal of a worktree that is there, or of another repository.

use std::fs::File;

use crate::action::rescue::base::{Journal, Place, Reading, RescueError};
use crate::action::rescue::lock::{self, WorktreeLock};

/// The worktree whose folder has the record's journal.
pub(super) enum Owner {
    /// The locked worktree.
    Own(Place),
    /// A worktree that no longer exists, or the locked one as it was known while its `.git` led nowhere; its folder is locked
    /// while this value lives.
    Gone(Place, #[expect(dead_code, reason = "held for its lock")] File),
}

impl Owner {
    /// Locks it, if it is of this repository.
    pub(super) fn find(worktree: &WorktreeLock, key: &str) -> Result<Option<Owner>, RescueError> {
        let mut places = worktree.places()?.into_iter();
        let Some(place) = places.find(|place| place.key == key && !place.is_former) else { return Ok(None) };
        if place.key == worktree.repo.key {
            return Ok(Some(Owner::Own(place)));
        }
        if place.top != worktree.repo.top && place.top.join(".git").symlink_metadata().is_ok() {
            let message = format!(
                "the record belongs to another worktree; forget it there: {}",
                crate::model::display_text::path(&place.top)
            );
            return Err(RescueError::Refused(message));
        }
        let lock = lock::lock(&place.folder)?;
        Ok(Some(Owner::Gone(place, lock)))
    }

    pub(super) fn place(&self) -> &Place {
        match self {
            Owner::Own(place) | Owner::Gone(place, _) => place,
        }
    }

    pub(super) fn journal(&self) -> Journal {
        Journal::at(&self.place().folder)
    }

    pub(super) fn read(&self) -> Result<Reading, RescueError> {
        self.journal().read()
    }
}
