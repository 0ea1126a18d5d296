//! The named steps of a rescue and an undo. A test can hook into each to end the process or change the
//! repository; in production nothing does.

use strum::VariantArray;

/// A step that has just been completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(VariantArray)]
pub enum Stage {
    /// The worktree lock is held.
    Locked,
    /// The work tree is listed; no content has been read.
    Listed,
    /// The work tree has been read.
    Surveyed,
    /// Blobs, trees and commits are in our own object directory.
    Imported,
    /// The pack is in the repository.
    PackMoved,
    /// Every object was found again in the repository.
    Verified,
    /// The hidden reference exists.
    ReferenceMade,
    /// The record is in the journal.
    RecordJournalled,
    /// The tree of the visible commit is the confirmed one.
    TreeMade,
    /// The visible commit exists and a hidden reference keeps it.
    CommitPinned,
    /// The new index is written next to the old one.
    IndexPrepared,
    /// The journal names what is about to move.
    MoveJournalled,
    /// Everything is still as confirmed, checked under the branch locks. Reached again if the index changed
    /// right afterwards.
    Checked,
    /// We hold git's index lock, and the index is the one that was checked.
    IndexLocked,
    /// The branch points to its new commit.
    BranchMoved,
    /// The new index is in place.
    IndexMoved,
    /// The journal says that the move is complete.
    MoveDone,
}
