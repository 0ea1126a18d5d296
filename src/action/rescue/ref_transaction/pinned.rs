//! Moves a branch to commits that no branch holds yet. First a pack keeps what they need and hidden references pin
//! them, so that neither a garbage collection nor a power failure leaves a branch without its commits.
//!
//! It must not leave a reference at a commit of which something is gone.

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Move, PinnedAs, RescueError, Stage, references};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{Listed, Needed, make, packs};
use crate::git::Shadow;
use crate::model::{CommitId, RefName};

/// Pins `commits`, of which the last needs the others, and makes the move to them; returns the branch. `plan` makes it of an id of its own and
/// of the commits that the repository lists, and names the committer for the reflog, as [`make`] takes it. From the pack
/// on it is completed, whatever is cancelled.
///
/// # Errors
/// [`RescueError::SavedOnly`] if a part of the commits is gone, and as for [`make`]; [`RescueError::Cancelled`] if it
/// was cancelled before. Nothing has moved.
pub(crate) fn make_pinned(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    (commits, pinned_as, needed): (&[CommitId], PinnedAs, &Needed),
    plan: impl FnOnce(String, Vec<Listed>) -> Result<(Move, Option<String>), RescueError>,
) -> Result<RefName, RescueError> {
    let git = worktree.git(rescuer);
    let _held = rescuer.hold()?;
    let packs = packs::keep_commit(&git, shadow, worktree, needed)?;
    let made = (|| {
        let id = worktree.new_id();
        // No reference must reach the disk before its commit does, or name one that did not arrive.
        worktree.sync(rescuer)?;
        let (planned, who) = plan(id.clone(), needed.check(&git)?)?;
        let pins = references::pin(&git, pinned_as, &worktree.repo.key, &id, commits)?;
        rescuer.reached(Stage::CommitPinned);
        needed.check(&git).inspect_err(|_| {
            for pin in &pins {
                // One that stays is noticed by git, and in nobody's way.
                let _ = references::remove(&git, &pin.name, pin.id);
            }
        })?;
        let branch = planned.branch.clone();
        make(rescuer, worktree, shadow, planned, who)?;
        Ok(branch)
    })();
    packs::release_packs(worktree, &packs);
    made
}
