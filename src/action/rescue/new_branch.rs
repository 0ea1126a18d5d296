//! Makes or removes a branch that is not checked out, for a commit that the branch of HEAD cannot take. HEAD,
//! index and work tree are not its own, and it needs no lock on them.

use std::time::Duration;

use super::error::RescueError;
use super::journal::{JournalEntry, Move};
use super::lock::WorktreeLock;
use super::ref_transaction::{branch_at, done, move_branch};
use super::step::Step;
use super::target::n_checked_out;
use super::{Rescuer, holder};
use crate::git::Git;

/// How long git's lock on the packed references is waited for, as git itself does.
const PACKED_TRIES: u32 = 50;
const PACKED_PAUSE: Duration = Duration::from_millis(20);

/// Waits a moment for whoever packs the references.
pub(super) fn check_packed(worktree: &WorktreeLock) -> Result<(), RescueError> {
    let lock = worktree.repo.common_dir.join("packed-refs.lock");
    for _ in 0..PACKED_TRIES {
        if lock.symlink_metadata().is_err() {
            return Ok(());
        }
        std::thread::sleep(PACKED_PAUSE);
    }
    Err(RescueError::Busy(holder::words(&worktree.repo, &lock)))
}

/// Moves the branch alone.
pub(super) fn make(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    git: &Git<'_>,
    plan: &Move,
) -> Result<(), RescueError> {
    worktree.repo.check_same()?;
    if branch_at(git, &plan.branch)? != plan.from {
        return Err(RescueError::Refused("the branch moved since the rescue".to_owned()));
    }
    // Whoever has it checked out would stand on nothing.
    if plan.to.is_none() && n_checked_out(git, &plan.branch)? > 0 {
        return Err(RescueError::Refused(
            "the branch is checked out; switch to another one first".to_owned(),
        ));
    }
    worktree.journal.append(&JournalEntry::Moving(plan.clone()))?;
    rescuer.reached(Step::MoveJournalled);
    if let Err(error) = move_branch(git, plan)
        && branch_at(git, &plan.branch)? != plan.to
    {
        worktree.journal.append(&JournalEntry::RolledBack { id: plan.id.clone() })?;
        return Err(error);
    }
    rescuer.reached(Step::BranchMoved);
    done(rescuer, worktree, plan)
}

/// Brings to an end what a crash has cut.
pub(super) fn recover(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    plan: &Move,
    at: Option<&String>,
) -> Result<(), RescueError> {
    if at == plan.to.as_ref() {
        return done(rescuer, worktree, plan);
    }
    worktree.journal.append(&JournalEntry::RolledBack { id: plan.id.clone() })
}
