//! The named steps of a rescue and an undo. A test can be called at each, to end the process there or
//! to change the repository; nobody else is.

use strum::VariantArray;

/// A step that is over when it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(VariantArray)]
pub enum Stage {
    /// The lock of the worktree is ours.
    Locked,
    /// The work tree was listed; nothing of it was read.
    Listed,
    /// The work tree was read.
    Surveyed,
    /// Contents, trees and commits are in our own object directory.
    Imported,
    /// The pack is in the repository.
    PackMoved,
    /// Everything was found in the repository.
    Verified,
    /// The hidden reference is there.
    ReferenceMade,
    /// The journal has the record.
    RecordJournalled,
    /// The tree of the visible commit is as confirmed.
    TreeMade,
    /// The visible commit exists and is kept by a hidden reference.
    CommitPinned,
    /// The new index lies beside the old one.
    IndexPrepared,
    /// The journal knows what is about to move.
    MoveJournalled,
    /// Everything was found as it was confirmed, under the locks on the branch. Reached again when the index
    /// changed in the moment after.
    Checked,
    /// git's lock on the index is ours, and the index is the one that was looked at.
    IndexLocked,
    /// The branch is at its new place.
    BranchMoved,
    /// The new index is in its place.
    IndexMoved,
    /// The journal says that all of it is done.
    MoveDone,
}
