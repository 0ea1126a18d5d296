//! Moves a branch and the index that belongs to it, as one: under git's own lock, which is linked from a
//! file that the journal knows, so that what a crash leaves is provably ours.
//!
//! It must not move anything that is not as it was when it was confirmed, and must not remove a lock
//! that is another's.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::branch::{self, Branch};
use super::error::RescueError;
use super::journal::{JournalEntry, Move};
use super::kept_index::kept;
use super::listing;
use super::lock::WorktreeLock;
use super::seen_index::SeenIndex;
use super::shared_index;
use super::step::Step;
use super::{Rescuer, holder, new_branch, same_index, target};
use crate::git::{Git, Input, RawIndex, Shadow, operation};

/// The new index beside the old one.
pub(super) fn prepared(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}"))
}

/// The same file once everything but the index was checked: only then may the branch have moved by us.
pub(super) fn checked(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-checked"))
}

/// What the locks on HEAD and the branch are linked from.
fn for_branch(worktree: &WorktreeLock, id: &str) -> PathBuf {
    worktree.repo.git_dir.join(format!("index.closeout-{id}-branch"))
}

fn mark_checked(worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    let (from, to) = (prepared(worktree, &plan.id), checked(worktree, &plan.id));
    if inode(&to) == Some(plan.inode) {
        // The index was another one when its lock was ours, and all is checked once more.
        return Ok(());
    }
    fs::rename(&from, to).map_err(RescueError::io("rename", &from))
}

/// Device and inode of what is at `path`.
pub(super) fn inode(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Makes the move; when it is not made, all is as it was.
pub(super) fn make(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    mut plan: Move,
) -> Result<(), RescueError> {
    let git = worktree.git(rescuer);
    new_branch::check_packed(worktree)?;
    if plan.is_branch_only {
        return new_branch::make(rescuer, worktree, &git, &plan);
    }
    // Its files would look changed there.
    if target::is_checked_out_twice(&git, &plan.branch)? {
        return Err(RescueError::SavedOnly("the branch is checked out in another worktree too".to_owned()));
    }
    let branch = match prepare(rescuer, worktree, &git, &mut plan) {
        Ok(branch) => branch,
        Err(error) => {
            forget_prepared(worktree, &plan);
            return Err(error);
        }
    };
    rescuer.reached(Step::MoveJournalled);
    let held = match lock(rescuer, &git, worktree, shadow, &plan, branch.as_ref()) {
        Ok(held) => held,
        Err(error) => {
            roll_back(worktree, &plan)?;
            return Err(error);
        }
    };
    // From here to the new index every git that wants to stage something fails: nothing else is done.
    let moved = match &branch {
        Some(branch) => branch.go(),
        None => move_branch(&git, &plan),
    };
    if let Err(error) = moved {
        // An answer of git's that did not come says nothing about what happened.
        if branch.is_none() && branch_at(&git, &plan.branch)? == plan.to {
            return finish(rescuer, worktree, &plan, None);
        }
        roll_back(worktree, &plan)?;
        return Err(error);
    }
    rescuer.reached(Step::BranchMoved);
    let finished = finish(rescuer, worktree, &plan, branch.as_ref());
    drop(held);
    finished
}

/// Writes what is going to be linked and renamed, and tells the journal of it.
fn prepare<'t>(
    rescuer: &Rescuer,
    worktree: &'t WorktreeLock,
    git: &Git<'t>,
    plan: &mut Move,
) -> Result<Option<Branch<'t>>, RescueError> {
    let beside = prepared(worktree, &plan.id);
    let after = plan.index_after.as_ref().map(|index| kept(worktree, index)).transpose()?;
    if let Some(after) = &after {
        shared_index::put_back(worktree, &after.bytes)?;
    }
    let empty = RawIndex { bytes: Vec::new(), modified: SystemTime::UNIX_EPOCH };
    let written = after.as_ref().unwrap_or(&empty).write(&beside).and_then(|()| {
        let new = fs::File::open(&beside)?;
        branch::keep_mode(&worktree.repo.index(), &new)?;
        new.sync_all()
    });
    written.map_err(RescueError::io("write", &beside))?;
    rescuer.reached(Step::IndexPrepared);
    let file = for_branch(worktree, &plan.id);
    let branch =
        Branch::prepare(git, &plan.branch, (plan.from.as_deref(), plan.to.as_deref()), file.clone())?;
    plan.inode = inode(&beside).unwrap_or_default();
    plan.branch_inode = inode(&file);
    worktree.journal.append(&JournalEntry::Moving(plan.clone()))?;
    Ok(branch)
}

/// What is said when git's lock on the index is somebody else's.
pub(super) fn busy(worktree: &WorktreeLock) -> RescueError {
    RescueError::Busy(holder::words(&worktree.repo, &worktree.repo.index_lock()))
}

/// How often the index may be another one than a moment before, when the lock is taken.
const INDEX_TRIES: u32 = 20;

/// The files whose places are taken by others under the locks. While they are open the file system has no work
/// with removing them, for which whoever wants the lock would wait with us.
struct Replaced {
    _index: SeenIndex,
    _branch: Option<fs::File>,
}

/// Takes the locks on the branch, then git's lock on an index that says what it is expected to say. Git waits
/// for a lock on a branch and not for that on the index: everything is found out before, and under the lock on
/// the index it is only looked whether it is still the file that was read.
fn lock(
    rescuer: &Rescuer,
    git: &Git<'_>,
    worktree: &WorktreeLock,
    shadow: &Shadow,
    plan: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<Replaced, RescueError> {
    let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
    let before = plan.index_before.as_ref().map(|index| kept(worktree, index)).transpose()?;
    let mut known = before.map(|raw| raw.bytes);
    for _ in 0..INDEX_TRIES {
        let now = SeenIndex::read(&index)?;
        // After a `git status` the bytes are others and say the same.
        if now.bytes() != known.as_deref() {
            if !same_index::says_the_same(git, worktree, shadow, now.raw.as_ref(), plan)? {
                return Err(RescueError::SavedOnly("something was staged since you looked".to_owned()));
            }
            known = now.bytes().map(<[u8]>::to_vec);
        }
        check(git, worktree, plan, branch)?;
        mark_checked(worktree, plan)?;
        let old_branch = branch.and_then(Branch::open);
        rescuer.reached(Step::Checked);
        // Where it is known without the lock, nobody has to meet it.
        if now.is_still_at(&index)? {
            if let Err(error) = fs::hard_link(checked(worktree, &plan.id), &lock) {
                branch::release(&worktree.repo, &plan.branch, branch_inode(worktree, plan))?;
                let is_taken = error.kind() == std::io::ErrorKind::AlreadyExists;
                return Err(if is_taken { busy(worktree) } else { RescueError::io("make", &lock)(error) });
            }
            if now.is_still_at(&index)? {
                rescuer.reached(Step::IndexLocked);
                return Ok(Replaced { _index: now, _branch: old_branch });
            }
            fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
        }
        branch::release(&worktree.repo, &plan.branch, branch_inode(worktree, plan))?;
    }
    Err(RescueError::Busy("the index changes all the time".to_owned()))
}

/// Checks that everything but the index is as it was when it was confirmed; locks the branch before, if that
/// is for us to do.
fn check(
    git: &Git<'_>,
    worktree: &WorktreeLock,
    plan: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<(), RescueError> {
    let refused = |words: &str| Err(RescueError::SavedOnly(words.to_owned()));
    let is_in_place = match branch {
        Some(branch) if !branch.lock()? => {
            return Err(busy_branch("HEAD.lock or the lock of the branch is there"));
        }
        Some(branch) => branch.is_as_planned()?,
        None => {
            let head = listing::head(git)?;
            head.branch.as_deref() == Some(&plan.branch) && head.commit == plan.from
        }
    };
    worktree.repo.check_same()?;
    if operation(git)?.is_some() {
        return refused("an operation of git was begun since you looked");
    }
    if is_in_place { Ok(()) } else { refused("the branch moved since you looked") }
}

fn busy_branch(words: &str) -> RescueError {
    RescueError::Busy(format!("the branch is locked: {words}"))
}

/// Moves the branch by git, if it is where the plan says.
pub(super) fn move_branch(git: &Git<'_>, plan: &Move) -> Result<(), RescueError> {
    let zero = git.repo.format.zero();
    let from = plan.from.as_deref().unwrap_or(&zero);
    let message = "closeout";
    let args = match &plan.to {
        Some(to) => vec!["update-ref", "-m", message, &plan.branch, to, from],
        None => vec!["update-ref", "-m", message, "-d", &plan.branch, from],
    };
    let output = git.real(args, Input::Lock)?;
    if output.is_success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if words.contains(".lock") {
        return Err(busy_branch(&words));
    }
    Err(RescueError::Git { what: "update-ref".to_owned(), words })
}

/// The commit that a branch is at.
pub(super) fn branch_at(git: &Git<'_>, branch: &str) -> Result<Option<String>, RescueError> {
    let output = git.real(["rev-parse", "-q", "--verify", "--end-of-options", branch], Input::Lock)?;
    Ok(output.is_success().then(|| crate::git::line(&output)))
}

/// Puts the new index in its place, under a lock that is ours, and says that all is done.
pub(super) fn finish(
    rescuer: &Rescuer,
    worktree: &WorktreeLock,
    plan: &Move,
    branch: Option<&Branch<'_>>,
) -> Result<(), RescueError> {
    let (index, lock) = (worktree.repo.index(), worktree.repo.index_lock());
    if plan.index_after.is_some() {
        fs::rename(&lock, &index).map_err(RescueError::io("put in its place", &index))?;
    } else {
        match fs::remove_file(&index) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(RescueError::io("remove", &index)(error));
            }
            _ => fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?,
        }
    }
    rescuer.reached(Step::IndexMoved);
    if let Some(branch) = branch {
        // HEAD is still locked by us: nobody else writes there.
        branch.log();
    }
    done(rescuer, worktree, plan)
}

fn forget_prepared(worktree: &WorktreeLock, plan: &Move) {
    for path in [prepared(worktree, &plan.id), checked(worktree, &plan.id), for_branch(worktree, &plan.id)] {
        // What stays is removed by the next recovery.
        let _ = fs::remove_file(path);
    }
}

/// Says that a move is made. What was prepared stays until that is said: as long as it is there, its
/// number is no other file's, and a lock with that number is ours.
pub(super) fn done(rescuer: &Rescuer, worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    branch::release(&worktree.repo, &plan.branch, branch_inode(worktree, plan))?;
    worktree.sync(rescuer)?;
    worktree.journal.append(&JournalEntry::Moved { id: plan.id.clone() })?;
    forget_prepared(worktree, plan);
    rescuer.reached(Step::MoveDone);
    Ok(())
}

/// Takes a move back that moved nothing. Locks are removed only when they are ours.
pub(super) fn roll_back(worktree: &WorktreeLock, plan: &Move) -> Result<(), RescueError> {
    branch::release(&worktree.repo, &plan.branch, branch_inode(worktree, plan))?;
    let lock = worktree.repo.index_lock();
    if is_ours(worktree, plan, &lock) {
        fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
    }
    forget_prepared(worktree, plan);
    worktree.journal.append(&JournalEntry::RolledBack { id: plan.id.clone() })
}

/// True when `path` is the index that this move prepared, which is still known by a name of ours.
pub(super) fn is_ours(worktree: &WorktreeLock, plan: &Move, path: &Path) -> bool {
    let is_held = [prepared(worktree, &plan.id), checked(worktree, &plan.id)]
        .iter()
        .any(|path| inode(path) == Some(plan.inode));
    is_held && inode(path) == Some(plan.inode)
}

/// The same for the locks on HEAD and the branch: the number that they have if they are ours.
pub(super) fn branch_inode(worktree: &WorktreeLock, plan: &Move) -> Option<(u64, u64)> {
    plan.branch_inode.filter(|ours| inode(&for_branch(worktree, &plan.id)) == Some(*ours))
}
