//! Moves a branch that lies in a file of its own, as git does, but under locks that are linked from one
//! file that the journal knows: what a crash leaves of them is provably ours. A child of git's that is
//! killed while it moves a branch leaves locks that nobody can tell from another's.
//!
//! It must not move a branch that is not where it was, and must leave to git what is stored otherwise.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::error::RescueError;
use super::journal::Move;
use super::lock::WorktreeLock;
use crate::action::clock;
use crate::disk;
use crate::disk::write::open_to_append;
use crate::git::{self, Git, HeadRef, PackedRefs, Read, Repository, Stdin, line};
use crate::model::ReadProblem;

/// What the reflog says of a move.
const MESSAGE: &str = "closeout";

/// Device and inode of what is at `path`.
pub(super) fn inode(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// The branch is locked by somebody else.
pub(super) fn busy(words: &str) -> RescueError {
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
    let output = git.real(args, Stdin::Lock)?;
    if output.is_success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if words.contains(".lock") {
        return Err(busy(&words));
    }
    Err(RescueError::Git { what: "update-ref".to_owned(), words })
}

/// The commit that a branch is at.
pub(super) fn branch_at(git: &Git<'_>, branch: &str) -> Result<Option<String>, RescueError> {
    let output = git.real(["rev-parse", "-q", "--verify", "--end-of-options", branch], Stdin::Lock)?;
    Ok(output.is_success().then(|| line(&output)))
}

/// A branch in files, and the file that its locks are linked from.
pub(super) struct Branch<'r> {
    repo: &'r Repository,
    plan: Move,
    /// What the locks are linked from; its content is the new value.
    prepared: PathBuf,
    /// Who moves it, as the reflog names him; asked before anything is locked.
    who: String,
}

impl<'r> Branch<'r> {
    /// Writes the file for the locks, at `prepared`. `None` when git must move this branch itself: it is
    /// stored in another format, or is no plain name of a commit.
    pub(super) fn prepare(
        git: &Git<'r>,
        plan: &Move,
        prepared: PathBuf,
    ) -> Result<Option<Branch<'r>>, RescueError> {
        let repo = git.repo;
        match is_plain(repo, plan) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            // Git follows the link.
            Err(unreadable) if unreadable.problem == ReadProblem::Link => return Ok(None),
            Err(unreadable) => return Err(unreadable.into()),
        }
        let who = who(git)?;
        let failed = |error| RescueError::io("write", &prepared)(error);
        let mut file = File::create_new(&prepared).map_err(failed)?;
        keep_mode(&repo.common_dir.join(&plan.branch), &file).map_err(failed)?;
        file.write_all(format!("{}\n", plan.to.as_deref().unwrap_or_default()).as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        Ok(Some(Branch { repo, plan: plan.clone(), prepared, who }))
    }

    /// Takes the locks; `false` when one of them is another's, and then none is ours.
    pub(super) fn lock(&self) -> Result<bool, RescueError> {
        // HEAD is not concerned where it names another branch.
        let n_others = usize::from(self.plan.is_branch_only);
        for lock in locks(self.repo, &self.plan.branch).into_iter().skip(n_others) {
            let folder = lock.parent().unwrap_or(Path::new("/"));
            let linked = fs::create_dir_all(folder).and_then(|()| fs::hard_link(&self.prepared, &lock));
            if let Err(error) = linked {
                release(self.repo, &self.plan.branch, inode(&self.prepared))?;
                if error.kind() == ErrorKind::AlreadyExists {
                    return Ok(false);
                }
                return Err(RescueError::io("make", &lock)(error));
            }
        }
        Ok(true)
    }

    /// Whether the branch is where the move begins, and HEAD names it where it should.
    pub(super) fn is_as_planned(&self) -> Result<bool, RescueError> {
        Ok(is_plain(self.repo, &self.plan)?)
    }

    /// Moves it, under the locks.
    pub(super) fn go(&self) -> Result<(), RescueError> {
        let (file, lock) = (self.file(), lock_of(self.repo, &self.plan.branch));
        let moved = match &self.plan.to {
            // An empty folder can be left where a branch was; one that holds something stays.
            Some(_) => fs::rename(&lock, &file).or_else(|error| {
                if error.kind() == ErrorKind::IsADirectory {
                    return fs::remove_dir(&file).and_then(|()| fs::rename(&lock, &file));
                }
                Err(error)
            }),
            None => fs::remove_file(&file),
        };
        moved.map_err(RescueError::io("move", &file))
    }

    /// Tells the reflogs, if they are kept. What cannot be told there changes nothing.
    pub(super) fn log(&self) {
        log(self.repo, &self.plan, &self.who, Repeat::Allowed);
    }

    /// The file that the branch is in, if it has one of its own.
    pub(super) fn open(&self) -> Option<File> {
        disk::open(&self.file()).ok()
    }

    fn file(&self) -> PathBuf {
        self.repo.common_dir.join(&self.plan.branch)
    }
}

/// Gives what is to take the place of `old` its mode: others may be meant to read it, or not.
pub(super) fn keep_mode(old: &Path, new: &File) -> io::Result<()> {
    match old.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => new.set_permissions(metadata.permissions()),
        _ => Ok(()),
    }
}

/// Who moves a branch, as the reflog names him.
fn who(git: &Git<'_>) -> Result<String, RescueError> {
    let who = git.real(["var", "GIT_COMMITTER_IDENT"], Stdin::Lock)?;
    Ok(if who.is_success() {
        line(&who)
    } else {
        let now = clock::since_epoch().as_secs();
        format!("closeout <closeout@localhost> {now} +0000")
    })
}

/// Whether a line is written that stands at the end of the log already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Allowed,
    LeftAway,
}

/// Tells the reflogs of a move that a crash has cut, unless it was told before.
pub(super) fn log_again(git: &Git<'_>, plan: &Move) {
    // What cannot be told there changes nothing.
    if let Ok(who) = who(git) {
        log(git.repo, plan, &who, Repeat::LeftAway);
    }
}

fn log(repo: &Repository, plan: &Move, who: &str, repeat: Repeat) {
    let (name, from, to) = (plan.branch.as_str(), plan.from.as_deref(), plan.to.as_deref());
    let zero = "0".repeat(to.or(from).map_or(40, str::len));
    let (old, new) = (from.unwrap_or(&zero), to.unwrap_or(&zero));
    let text = format!("{old} {new} {who}\t{MESSAGE}\n");
    let tell = |log_of: &str| {
        let is_told = || {
            let last = git::reflog(repo, log_of).ok().and_then(|log| log.into_iter().next_back());
            last.is_some_and(|last| last.old == old && last.new == new)
        };
        if repeat == Repeat::Allowed || !is_told() {
            let (folder, file) = git::log_file(repo, log_of);
            let _ = append(&folder.join(file), &text, from.is_none());
        }
    };
    if !plan.is_branch_only {
        tell("HEAD");
    }
    if to.is_some() {
        tell(name);
    } else {
        // Git forgets the log of a branch with the branch.
        let (folder, file) = git::log_file(repo, name);
        let _ = fs::remove_file(folder.join(file));
    }
}

/// Removes the locks on HEAD and on the branch `name` that are linked from the file with this inode.
pub(super) fn release(repo: &Repository, name: &str, ours: Option<(u64, u64)>) -> Result<(), RescueError> {
    for lock in locks(repo, name).into_iter().rev() {
        if ours.is_some() && inode(&lock) == ours {
            fs::remove_file(&lock).map_err(RescueError::io("remove", &lock))?;
        }
    }
    Ok(())
}

/// Removes the locks that killed children of git's left on our own hidden references of this worktree.
pub(super) fn release_hidden(worktree: &WorktreeLock) {
    let repo = &worktree.repo;
    for kind in ["rescue", "visible"] {
        let folder = repo.common_dir.join("refs/closeout").join(kind).join(&repo.key);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".lock")).unwrap_or_default();
            // Of commits before the last one there is a number before the id.
            if worktree.is_own_id(id) || id.split_once('-').is_some_and(|(_, id)| worktree.is_own_id(id)) {
                // What stays is tried again next time; no other reference is locked by it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The locks in the order in which git takes them.
fn locks(repo: &Repository, name: &str) -> [PathBuf; 2] {
    [repo.git_dir.join("HEAD.lock"), lock_of(repo, name)]
}

fn lock_of(repo: &Repository, name: &str) -> PathBuf {
    repo.common_dir.join(format!("{name}.lock"))
}

/// Whether HEAD names the branch in a file, unless it is to be moved alone, and the branch is a plain name of the
/// commit `from` (`None`: it is not there) that files alone can move to `to` (`None`: delete).
fn is_plain(repo: &Repository, plan: &Move) -> Read<bool> {
    let (name, from, to) = (plan.branch.as_str(), plan.from.as_deref(), plan.to.as_deref());
    let is_of_head = || -> Read<bool> {
        Ok(!repo.git_dir.join("HEAD").is_symlink()
            && git::head_ref(repo)? == HeadRef::Branch(name.to_owned()))
    };
    let is_here = repo.has_ref_files()
        && (plan.is_branch_only || is_of_head()?)
        && !name.contains("..")
        && name.starts_with("refs/heads/")
        && git::stored_ref(repo, name)?.as_deref() == from;
    if !is_here {
        return Ok(false);
    }
    let packed = PackedRefs::read(repo)?;
    let is_below =
        |path: &[u8], folder: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
    // A packed branch can have the place of a folder on the way to this one, or lie below it.
    let is_taken =
        || packed.entries().any(|(_, it)| is_below(it, name.as_bytes()) || is_below(name.as_bytes(), it));
    Ok((from.is_some() || !is_taken()) && (to.is_some() || packed.id_of(name).is_none()))
}

/// Appends a line to a log; one that is not there is made only if asked for.
fn append(path: &Path, text: &str, is_made: bool) -> io::Result<()> {
    if let (true, Some(folder)) = (is_made, path.parent()) {
        fs::create_dir_all(folder)?;
    }
    open_to_append(path, is_made.then_some(0o666))?.write_all(text.as_bytes())
}
