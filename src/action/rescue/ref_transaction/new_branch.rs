//! Creates or deletes a branch that is not checked out, for a commit that the checked-out branch cannot take.
//! It must not touch HEAD, the index or the work tree, and needs no lock on them.

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{JournalEntry, Move, RescueError, Stage, holder, packed_refs, references};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::Branch;
use crate::action::rescue::ref_transaction::branch::{self, inode, move_branch};
use crate::action::rescue::ref_transaction::prepared::{done, for_branch, forget_prepared, roll_back};
use crate::action::rescue::ref_transaction::target::n_checked_out;
use crate::git::Git;
use crate::model::CommitId;

/// Waits for a process that is packing the references.
pub(crate) fn check_packed(worktree: &WorktreeLock) -> Result<(), RescueError> {
    if packed_refs::is_free_soon(&worktree.repo) {
        return Ok(());
    }
    Err(RescueError::Busy(holder::label(&worktree.repo, &packed_refs::lock_path(&worktree.repo))))
}

/// Moves the branch alone. Where it is stored as a file, our own file is linked, so that leftovers of a crash
/// are provably ours.
pub(crate) fn make(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    git: &Git<'_>,
    plan: &mut Move,
    who: Option<String>,
) -> Result<(), RescueError> {
    worktree.repo.check_same()?;
    if references::at(git, plan.branch.as_str())? != plan.from {
        return Err(RescueError::Refused("the branch moved since the rescue".to_owned()));
    }
    // A worktree that has the branch checked out would be left without a commit.
    if plan.to.is_none() && n_checked_out(git, &plan.branch)? > 0 {
        return Err(RescueError::Refused(
            "the branch is checked out; switch to another one first".to_owned(),
        ));
    }
    let file = for_branch(worktree, &plan.id);
    let prepared = Branch::prepare(git, plan, file.clone(), who).and_then(|branch| {
        plan.branch_inode = inode(&file);
        worktree.journal.append(&JournalEntry::Moving(plan.clone()))?;
        Ok(branch)
    });
    let branch = prepared.inspect_err(|_| forget_prepared(worktree, plan))?;
    rescuer.reached(Stage::MoveJournalled);
    let moved = match &branch {
        Some(branch) => by_files(branch),
        None => move_branch(git, plan),
    };
    if let Err(error) = moved
        && (branch.is_some() || references::at(git, plan.branch.as_str())? != plan.to)
    {
        roll_back(worktree, plan)?;
        return Err(error);
    }
    rescuer.reached(Stage::BranchMoved);
    if let Some(branch) = &branch {
        branch.log();
    }
    done(rescuer, worktree, plan)
}

fn by_files(branch: &Branch<'_>) -> Result<(), RescueError> {
    branch.lock()?;
    if branch.is_as_planned()? {
        return branch.go();
    }
    Err(RescueError::Refused("the branch moved since the rescue".to_owned()))
}

/// Completes or rolls back a branch move that a crash interrupted.
pub(crate) fn recover(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    git: &Git<'_>,
    plan: &Move,
    at: Option<CommitId>,
) -> Result<(), RescueError> {
    if at != plan.to {
        return roll_back(worktree, plan);
    }
    if plan.branch_inode.is_some() {
        branch::log_again(git, plan);
    }
    done(rescuer, worktree, plan)
}
