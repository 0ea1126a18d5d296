//! Moves a branch and its index as one, under git's own lock. The lock is a hard link to a file that the
//! journal names, so that leftovers of a crash are provably ours.
//!
//! It must not move anything that differs from what was confirmed, and must not remove someone else's lock.

pub(super) mod branch;
pub(super) mod forgotten;
pub(super) mod guards;
pub(super) mod kept_index;
pub(super) mod packs;
pub(super) mod prepared;
pub(super) mod recovery;
pub(super) mod target;

use std::fs::File;
use std::time::SystemTime;

use crate::action::rescue::RescueStep;
use crate::action::rescue::base::{
    JournalEntry, Move, PinnedAs, RescueError, git_files, ref_files, references,
};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::branch::{inode, move_branch};
use crate::action::rescue::ref_transaction::kept_index::kept;
use crate::action::rescue::ref_transaction::prepared::{
    checked, done, for_branch, forget_prepared, prepared, release_branch, roll_back,
};
use crate::action::rescue::survey::{SeenIndex, listing};
use crate::disk::write::{Missing, is_removed};
use crate::git::{Git, RawIndex, Shadow, operation};
use crate::model::{CommitId, RefName};

pub(super) use branch::Branch;
pub(super) use packs::{Listed, Needed};

fn mark_checked(worktree: &WorktreeLock, moving: &Move) -> Result<(), RescueError> {
    let (from, to) = (prepared(worktree, &moving.id), checked(worktree, &moving.id));
    if inode(&to) == Some(moving.inode) {
        // Already renamed: the index had changed when we got its lock, and everything is checked once more.
        return Ok(());
    }
    git_files::rename(&worktree.repo, &from, &to).map_err(RescueError::io("rename", &from))
}

/// Makes the move. If it fails, everything is as before. `who` is the identity for the reflog, with the time; if `None`,
/// git is asked for it.
pub(crate) fn make(
    worktree: &WorktreeLock,
    shadow: &Shadow,
    mut moving: Move,
    who: Option<String>,
) -> Result<(), RescueError> {
    let git = worktree.git();
    worktree.repo.check_writes(&[moving.branch.as_str()])?;
    check_packed(worktree)?;
    if moving.is_branch_only {
        return make_branch_only(worktree, &git, &mut moving, who);
    }
    // Its files would look changed in the other worktree.
    if target::is_checked_out_twice(&git, &moving.branch)? {
        return Err(RescueError::SavedOnly("the branch is checked out in another worktree too".to_owned()));
    }
    let branch = match prepare(worktree, &git, &mut moving, who) {
        Ok(branch) => branch,
        Err(error) => {
            forget_prepared(worktree, &moving);
            return Err(error);
        }
    };
    worktree.rescuer.reached(RescueStep::MoveJournalled);
    let held = match lock(&git, worktree, shadow, &moving, branch.as_ref()) {
        Ok(held) => held,
        Err(error) => {
            roll_back(worktree, &moving)?;
            return Err(error);
        }
    };
    // From here until the new index is in place, every git that wants to stage fails, so nothing else is done.
    let moved = match &branch {
        Some(branch) => branch.go(),
        None => move_branch(&git, &moving),
    };
    if let Err(error) = moved {
        // A failed call of git does not say whether the branch was moved.
        if branch.is_none() && references::at(&git, moving.branch.as_str())? == moving.to {
            return finish(worktree, &moving, None);
        }
        roll_back(worktree, &moving)?;
        return Err(error);
    }
    worktree.rescuer.reached(RescueStep::BranchMoved);
    let finished = finish(worktree, &moving, branch.as_ref());
    drop(held);
    finished
}

/// Writes the files that will be linked and renamed, and enters the move in the journal.
fn prepare<'t>(
    worktree: &'t WorktreeLock,
    git: &Git<'t>,
    moving: &mut Move,
    who: Option<String>,
) -> Result<Option<Branch<'t>>, RescueError> {
    let beside = prepared(worktree, &moving.id);
    let after = moving.index_after.as_ref().map(|index| kept(worktree, index)).transpose()?;
    if let Some(after) = &after {
        kept_index::put_back(git, worktree, &after.bytes)?;
    }
    let empty = RawIndex { bytes: Vec::new(), modified: SystemTime::UNIX_EPOCH };
    let written = git_files::create(git, &beside).and_then(|mut new| {
        after.as_ref().unwrap_or(&empty).write_to(&mut new)?;
        branch::keep_mode(git, &worktree.repo.index(), &new)?;
        new.sync_all()
    });
    written.map_err(RescueError::io("write", &beside))?;
    worktree.rescuer.reached(RescueStep::IndexPrepared);
    let file = for_branch(worktree, &moving.id);
    let branch = Branch::prepare(git, moving, file.clone(), who)?;
    moving.inode = inode(&beside).unwrap_or_default();
    moving.branch_inode = inode(&file);
    worktree.journal.append(&JournalEntry::Moving(moving.clone()))?;
    Ok(branch)
}

/// The error for a lock on the index that is someone else's.
pub(crate) fn busy(worktree: &WorktreeLock) -> RescueError {
    RescueError::Busy(git_files::holder_label(&worktree.repo, &worktree.repo.index_lock()))
}

/// How often to try again if the index has changed by the time its lock is taken.
const INDEX_TRIES: u32 = 20;

/// Open handles on the files that are replaced under the locks. They delay the file system's work of deleting
/// them until the locks are released, so that nobody waits for that.
struct Replaced {
    _index: SeenIndex,
    _branch: Option<File>,
}

/// Takes the locks on the branch, then git's lock on an index that has the expected meaning. Git waits for a
/// branch lock but not for the index lock. Everything is therefore checked before; under the index lock we only
/// check that it is still the file that was read.
fn lock(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    moving: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<Replaced, RescueError> {
    let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
    let before = moving.index_before.as_ref().map(|index| kept(worktree, index)).transpose()?;
    let mut known = before.map(|raw| raw.bytes);
    for _ in 0..INDEX_TRIES {
        let now = SeenIndex::read(&index)?;
        // A `git status` changes the bytes of the index but not its meaning.
        if now.bytes() != known.as_deref() {
            if !kept_index::says_the_same(git, worktree, shadow, now.raw.as_ref(), moving)? {
                return Err(RescueError::SavedOnly("something was staged since you looked".to_owned()));
            }
            known = now.bytes().map(<[u8]>::to_vec);
        }
        check(git, worktree, moving, branch)?;
        mark_checked(worktree, moving)?;
        let old_branch = branch.and_then(Branch::open);
        worktree.rescuer.reached(RescueStep::Checked);
        // A mismatch that is already visible needs no lock that others would run into.
        if now.is_still_at(&index)? {
            if let Err(error) =
                git_files::link(&worktree.repo, &checked(worktree, &moving.id), &lock, Missing::Fail)
            {
                release_branch(worktree, moving)?;
                let is_taken = error.kind() == std::io::ErrorKind::AlreadyExists;
                return Err(if is_taken { busy(worktree) } else { RescueError::io("make", &lock)(error) });
            }
            if now.is_still_at(&index)? {
                worktree.rescuer.reached(RescueStep::IndexLocked);
                return Ok(Replaced { _index: now, _branch: old_branch });
            }
            git_files::remove(&worktree.repo, &lock).map_err(RescueError::io("remove", &lock))?;
        }
        release_branch(worktree, moving)?;
    }
    Err(RescueError::Busy("the index changes all the time".to_owned()))
}

/// Locks the branch if that is our task, then checks that everything but the index is as confirmed.
fn check(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    moving: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<(), RescueError> {
    let refused = |words: &str| Err(RescueError::SavedOnly(words.to_owned()));
    let is_in_place = if let Some(branch) = branch {
        branch.lock()?;
        branch.is_as_planned()?
    } else {
        let head = listing::head(git)?;
        head.branch.as_ref() == Some(&moving.branch) && head.commit == moving.from
    };
    worktree.repo.check_same()?;
    if let Some(begun) = operation(git)? {
        return refused(&target::in_progress(begun));
    }
    if is_in_place { Ok(()) } else { refused("the branch moved since you looked") }
}

/// Puts the new index in place under our lock and marks the move as complete.
pub(crate) fn finish(
    worktree: &WorktreeLock,
    moving: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<(), RescueError> {
    let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
    if moving.index_after.is_some() {
        git_files::rename(&worktree.repo, &lock, &index)
            .map_err(RescueError::io("put in its place", &index))?;
    } else {
        let removed = git_files::remove(&worktree.repo, &index);
        is_removed(removed).map_err(RescueError::io("remove", &index))?;
        git_files::remove(&worktree.repo, &lock).map_err(RescueError::io("remove", &lock))?;
    }
    worktree.rescuer.reached(RescueStep::IndexMoved);
    if let Some(branch) = branch {
        // HEAD is still locked by us, so nobody else writes to its reflog.
        branch.log();
    }
    done(worktree, moving)
}

/// Pins `commits`, of which the last needs the others, and makes the move to them; returns the branch. `move_to` makes it of an id of its own and
/// of the commits that the repository lists, and names the committer for the reflog, as [`make`] takes it. From the pack
/// on it is completed, whatever is cancelled.
///
/// # Errors
/// [`RescueError::SavedOnly`] if a part of the commits is gone, and as for [`make`]; [`RescueError::Cancelled`] if it
/// was cancelled before. Nothing has moved.
pub(crate) fn make_pinned(
    worktree: &WorktreeLock,
    shadow: &Shadow,
    commits: &[CommitId],
    pinned_as: PinnedAs,
    needed: &Needed,
    move_to: impl FnOnce(String, Vec<Listed>) -> Result<(Move, Option<String>), RescueError>,
) -> Result<RefName, RescueError> {
    let git = worktree.git();
    let _held = worktree.rescuer.hold()?;
    let packs = packs::keep_commit(&git, shadow, worktree, needed)?;
    let made = (|| {
        let id = worktree.new_id();
        // No reference must reach the disk before its commit does, or name one that did not arrive.
        worktree.sync()?;
        let (moving, who) = move_to(id.clone(), needed.check(&git)?)?;
        let pins = references::pin(&git, pinned_as, &worktree.repo.key, &id, commits)?;
        worktree.rescuer.reached(RescueStep::CommitPinned);
        needed.check(&git).inspect_err(|_| {
            for pin in &pins {
                // One that stays is noticed by git, and in nobody's way.
                let _ = references::remove(&git, &pin.name, pin.id);
            }
        })?;
        let branch = moving.branch.clone();
        make(worktree, shadow, moving, who)?;
        Ok(branch)
    })();
    packs::release_packs(worktree, &packs);
    made
}

/// Waits for a process that is packing the references.
pub(crate) fn check_packed(worktree: &WorktreeLock) -> Result<(), RescueError> {
    if ref_files::is_packed_free_soon(&worktree.repo) {
        return Ok(());
    }
    Err(RescueError::Busy(git_files::holder_label(&worktree.repo, &ref_files::packed_lock(&worktree.repo))))
}

/// Moves a branch that is not checked out, for a commit that the checked-out branch cannot take: creates or deletes it.
/// Where it is stored as a file, our own file is linked, so that leftovers of a crash
/// are provably ours.
fn make_branch_only(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    moving: &mut Move,
    who: Option<String>,
) -> Result<(), RescueError> {
    worktree.repo.check_same()?;
    guards::check_branch_only(git, moving)?;
    let file = for_branch(worktree, &moving.id);
    let prepared = Branch::prepare(git, moving, file.clone(), who).and_then(|branch| {
        moving.branch_inode = inode(&file);
        worktree.journal.append(&JournalEntry::Moving(moving.clone()))?;
        Ok(branch)
    });
    let branch = prepared.inspect_err(|_| forget_prepared(worktree, moving))?;
    worktree.rescuer.reached(RescueStep::MoveJournalled);
    let moved = match &branch {
        Some(branch) => by_files(branch),
        None => move_branch(git, moving),
    };
    if let Err(error) = moved
        && (branch.is_some() || references::at(git, moving.branch.as_str())? != moving.to)
    {
        roll_back(worktree, moving)?;
        return Err(error);
    }
    worktree.rescuer.reached(RescueStep::BranchMoved);
    if let Some(branch) = &branch {
        branch.log();
    }
    done(worktree, moving)
}

fn by_files(branch: &Branch<'_>) -> Result<(), RescueError> {
    branch.lock()?;
    if branch.is_as_planned()? {
        return branch.go();
    }
    Err(RescueError::Refused("the branch moved since the rescue".to_owned()))
}

/// Completes or rolls back a branch move that a crash interrupted.
pub(crate) fn recover_branch_only(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    moving: &Move,
    at: Option<CommitId>,
) -> Result<(), RescueError> {
    if at != moving.to {
        return roll_back(worktree, moving);
    }
    if moving.branch_inode.is_some() {
        branch::log_again(git, moving);
    }
    done(worktree, moving)
}
