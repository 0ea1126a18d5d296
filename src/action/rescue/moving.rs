//! Moves a branch and the index that belongs to it, as one: under git's own lock, which is linked from a
//! file that the journal knows, so that what a crash leaves is provably ours.
//!
//! It must not move anything that is not as it was when it was confirmed, and must not remove a lock
//! that is another's.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Rescuer;
use super::error::RescueError;
use super::git::{Git, Input};
use super::journal::{self, Act, KeptIndex, Move};
use super::listing;
use super::repository::read_regular;
use super::sha1::Sha1;
use super::shadow::{RawIndex, Shadow, read_index, write_index};
use super::step::Step;
use super::target::n_checked_out;
use super::turn::Turn;

/// The most that an index that we keep can have.
const INDEX_CAP: u64 = 1 << 30;

/// Keeps an index in our own folder.
pub(super) fn keep(turn: &Turn, raw: &RawIndex) -> Result<KeptIndex, RescueError> {
    let mut sum = Sha1::default();
    sum.update(&raw.bytes);
    let sum = sum.hex();
    write_index(&turn.folder.join(format!("index-{sum}")), raw)?;
    let since = raw.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(KeptIndex { sum, modified: (since.as_secs(), since.subsec_nanos()) })
}

/// An index that was kept, checked by its sum.
pub(super) fn kept(turn: &Turn, kept: &KeptIndex) -> Result<RawIndex, RescueError> {
    let path = turn.folder.join(format!("index-{}", kept.sum));
    let bytes = read_regular(&path, INDEX_CAP)?.unwrap_or_default();
    let mut sum = Sha1::default();
    sum.update(&bytes);
    if sum.hex() != kept.sum {
        return Err(RescueError::Damage("the index that was kept is not what it was".to_owned()));
    }
    let (seconds, nanos) = kept.modified;
    Ok(RawIndex { bytes, modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos) })
}

/// The new index beside the old one.
pub(super) fn prepared(turn: &Turn, id: &str) -> PathBuf {
    turn.repo.git_dir.join(format!("index.closeout-{id}"))
}

/// The same file once everything was checked under the lock: only then may the branch have moved by us.
fn checked(turn: &Turn, id: &str) -> PathBuf {
    turn.repo.git_dir.join(format!("index.closeout-{id}-checked"))
}

fn mark_checked(turn: &Turn, plan: &Move) -> Result<(), RescueError> {
    let from = prepared(turn, &plan.id);
    fs::rename(&from, checked(turn, &plan.id)).map_err(RescueError::io("rename", &from))
}

/// Device and inode of what is at `path`.
pub(super) fn inode(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Makes the move; when it is not made, all is as it was.
pub(super) fn make(
    rescuer: &Rescuer,
    turn: &Turn,
    shadow: &Shadow,
    mut plan: Move,
) -> Result<(), RescueError> {
    let git = turn.git(rescuer);
    check_packed(turn)?;
    if plan.is_branch_only {
        return make_branch(rescuer, turn, &git, &plan);
    }
    let beside = prepared(turn, &plan.id);
    let after = plan.index_after.as_ref().map(|index| kept(turn, index)).transpose()?;
    let empty = RawIndex { bytes: Vec::new(), modified: SystemTime::UNIX_EPOCH };
    let written = write_index(&beside, after.as_ref().unwrap_or(&empty));
    let journalled = written.and_then(|()| {
        rescuer.reached(Step::IndexPrepared);
        plan.inode = inode(&beside).unwrap_or_default();
        turn.journal.append(&Act::Moving(plan.clone()))
    });
    if let Err(error) = journalled {
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    rescuer.reached(Step::MoveJournalled);
    let lock = turn.repo.index_lock();
    if let Err(error) = fs::hard_link(&beside, &lock) {
        roll_back(turn, &plan, false)?;
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Err(busy());
        }
        return Err(RescueError::io("make", &lock)(error));
    }
    rescuer.reached(Step::IndexLocked);
    if let Err(error) = check(&git, turn, shadow, &plan).and_then(|()| mark_checked(turn, &plan)) {
        roll_back(turn, &plan, true)?;
        return Err(error);
    }
    if let Err(error) = move_branch(&git, &plan) {
        // An answer that did not come says nothing about what happened.
        if branch_at(&git, &plan.branch)? == plan.to {
            return finish(rescuer, turn, &plan);
        }
        roll_back(turn, &plan, true)?;
        return Err(error);
    }
    rescuer.reached(Step::BranchMoved);
    finish(rescuer, turn, &plan)
}

/// Moves a branch that is not checked out: made or removed, and nothing else.
fn make_branch(rescuer: &Rescuer, turn: &Turn, git: &Git<'_>, plan: &Move) -> Result<(), RescueError> {
    turn.repo.check_same()?;
    if branch_at(git, &plan.branch)? != plan.from {
        return Err(RescueError::Refused("the branch moved since the rescue".to_owned()));
    }
    // Whoever has it checked out would stand on nothing.
    if plan.to.is_none() && n_checked_out(git, &plan.branch)? > 0 {
        return Err(RescueError::Refused(
            "the branch is checked out; switch to another one first".to_owned(),
        ));
    }
    turn.journal.append(&Act::Moving(plan.clone()))?;
    rescuer.reached(Step::MoveJournalled);
    if let Err(error) = move_branch(git, plan)
        && branch_at(git, &plan.branch)? != plan.to
    {
        turn.journal.append(&Act::RolledBack { id: plan.id.clone() })?;
        return Err(error);
    }
    rescuer.reached(Step::BranchMoved);
    done(rescuer, turn, plan)
}

/// What is said when git's lock on the index is somebody else's.
pub(super) fn busy() -> RescueError {
    RescueError::Busy(
        "index.lock is there: git works in this repository, or was killed in it; if no git runs, remove the \
         file yourself"
            .to_owned(),
    )
}

/// How long git's lock on the packed references is waited for, as git itself does.
const PACKED_TRIES: u32 = 50;
const PACKED_PAUSE: Duration = Duration::from_millis(20);

/// Waits a moment for whoever packs the references.
fn check_packed(turn: &Turn) -> Result<(), RescueError> {
    let lock = turn.repo.common_dir.join("packed-refs.lock");
    for _ in 0..PACKED_TRIES {
        if lock.symlink_metadata().is_err() {
            return Ok(());
        }
        std::thread::sleep(PACKED_PAUSE);
    }
    Err(RescueError::Busy("the references are locked: packed-refs.lock is there".to_owned()))
}

/// Checks, under the lock, that everything is as it was when it was confirmed.
fn check(git: &Git<'_>, turn: &Turn, shadow: &Shadow, plan: &Move) -> Result<(), RescueError> {
    let refused = |words: &str| Err(RescueError::SavedOnly(words.to_owned()));
    turn.repo.check_same()?;
    if turn.repo.operation().is_some() {
        return refused("an operation of git was begun since you looked");
    }
    let head = listing::head(git)?;
    if head.branch.as_deref() != Some(&plan.branch) || head.commit != plan.from {
        return refused("the branch moved since you looked");
    }
    if digest_now(git, turn, shadow)? != plan.digest_before {
        return refused("something was staged since you looked");
    }
    Ok(())
}

/// The meaning of the index as it is now.
pub(super) fn digest_now(git: &Git<'_>, turn: &Turn, shadow: &Shadow) -> Result<String, RescueError> {
    match read_index(&turn.repo.index())? {
        Some(raw) => write_index(&shadow.index, &raw)?,
        None => drop(fs::remove_file(&shadow.index)),
    }
    Ok(listing::digest(&listing::index_entries(git, shadow)?))
}

fn move_branch(git: &Git<'_>, plan: &Move) -> Result<(), RescueError> {
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
        return Err(RescueError::Busy(format!("the branch is locked: {words}")));
    }
    Err(RescueError::Git { what: "update-ref".to_owned(), words })
}

/// The commit that a branch is at.
pub(super) fn branch_at(git: &Git<'_>, branch: &str) -> Result<Option<String>, RescueError> {
    let output = git.real(["rev-parse", "-q", "--verify", "--end-of-options", branch], Input::Lock)?;
    Ok(output.is_success().then(|| super::git::line(&output)))
}

/// Puts the new index in its place, under a lock that is ours, and says that all is done.
pub(super) fn finish(rescuer: &Rescuer, turn: &Turn, plan: &Move) -> Result<(), RescueError> {
    let (index, lock) = (turn.repo.index(), turn.repo.index_lock());
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
    done(rescuer, turn, plan)
}

fn forget_prepared(turn: &Turn, plan: &Move) {
    // What stays is removed by the next recovery.
    let _ = fs::remove_file(prepared(turn, &plan.id));
    let _ = fs::remove_file(checked(turn, &plan.id));
}

/// Says that a move is made.
pub(super) fn done(rescuer: &Rescuer, turn: &Turn, plan: &Move) -> Result<(), RescueError> {
    forget_prepared(turn, plan);
    turn.sync(rescuer)?;
    turn.journal.append(&Act::Moved { id: plan.id.clone() })?;
    rescuer.reached(Step::MoveDone);
    Ok(())
}

/// Takes a move back that moved nothing. The lock is removed only when it is ours.
pub(super) fn roll_back(turn: &Turn, plan: &Move, is_locked: bool) -> Result<(), RescueError> {
    let lock = turn.repo.index_lock();
    if is_locked && inode(&lock) == Some(plan.inode) {
        fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
    }
    forget_prepared(turn, plan);
    turn.journal.append(&Act::RolledBack { id: plan.id.clone() })
}

/// Brings a move to its end that a crash has cut: all of it, or nothing.
pub(super) fn recover(rescuer: &Rescuer, turn: &Turn) -> Result<(), RescueError> {
    let (acts, _) = turn.journal.acts()?;
    if let Some((plan, false)) = journal::last_move(&acts) {
        let git = turn.git(rescuer);
        let at = branch_at(&git, &plan.branch)?;
        if plan.is_branch_only {
            if at == plan.to {
                return done(rescuer, turn, plan);
            }
            return turn.journal.append(&Act::RolledBack { id: plan.id.clone() });
        }
        let (index, lock) = (turn.repo.index(), turn.repo.index_lock());
        let is_checked = inode(&checked(turn, &plan.id)) == Some(plan.inode);
        let is_lock_ours = inode(&lock) == Some(plan.inode);
        let is_index_moved = match plan.index_after {
            Some(_) => inode(&index) == Some(plan.inode),
            None => at == plan.to && inode(&index).is_none() && !is_lock_ours,
        };
        if is_index_moved {
            done(rescuer, turn, plan)?;
        } else if is_lock_ours && at == plan.to && is_checked {
            finish(rescuer, turn, plan)?;
        } else if is_lock_ours || at == plan.from {
            roll_back(turn, plan, true)?;
        } else if at == plan.to && inode(&lock).is_none() && is_checked {
            // Somebody removed our lock after the branch had moved.
            fs::hard_link(checked(turn, &plan.id), &lock).map_err(RescueError::io("make", &lock))?;
            finish(rescuer, turn, plan)?;
        } else if inode(&lock).is_some() {
            return Err(busy());
        } else {
            roll_back(turn, plan, false)?;
        }
    }
    remove_prepared(turn)
}

/// Removes what a crash left before the journal knew of it. The names are ours alone.
fn remove_prepared(turn: &Turn) -> Result<(), RescueError> {
    let folder = &turn.repo.git_dir;
    for entry in fs::read_dir(folder).map_err(RescueError::io("list", folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("index.closeout-") {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
