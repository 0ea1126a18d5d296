//! Moves a branch that is stored in a file of its own as git does, except that the locks are hard links to one
//! file that the journal names. After a crash, leftover locks are therefore provably ours. A git process that
//! is killed while it moves a branch leaves locks that cannot be told from anyone else's.
//!
//! It must not move a branch that is not where the move begins, and must leave branches in any other storage to
//! git.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::action::clock;
use crate::action::rescue::base::git_files::{self, below};
use crate::action::rescue::base::references::{self, update_ref};
use crate::action::rescue::base::{Move, RescueError, ref_files, worktrees};
use crate::disk;
use crate::disk::write::{Missing, NewFile, Over, Sharing, is_removed};
use crate::git::{self, Git, HeadRef, PackedRefs, Read, Repository, Stdin, line};
use crate::model::ReadProblem;

/// The reflog message of a move.
const MESSAGE: &str = "closeout";

/// The device and inode of the file at `path`, without following a link.
pub(crate) fn inode(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Moves the branch with git itself, if it is where the move begins.
pub(crate) fn move_branch(git: &Git<'_>, moving: &Move) -> Result<(), RescueError> {
    let from = git.repo.format.or_zero(moving.from);
    let args = match moving.to {
        Some(to) => ["-m", MESSAGE, moving.branch.as_str(), &to.to_string(), &from],
        None => ["-m", MESSAGE, "-d", moving.branch.as_str(), &from],
    };
    let output = update_ref(git, &args)?;
    if output.is_success() {
        return Ok(());
    }
    // Of references in tables, git's words do not name the lock.
    if let Some(lock) = references::lock_in_the_way(git.repo, &args) {
        return Err(RescueError::Busy(git_files::holder_label(git.repo, &lock)));
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if words.contains(".lock") {
        return Err(RescueError::Busy(format!("the branch is locked: {words}")));
    }
    Err(RescueError::Git { what: "update-ref".to_owned(), words })
}

/// A branch stored as a file, and the file that its locks link to.
pub(crate) struct Branch<'r> {
    repo: &'r Repository,
    moving: Move,
    /// The file that the locks are hard links to. It contains the new value of the branch.
    prepared: PathBuf,
    /// The identity for the reflog, determined before anything is locked.
    who: String,
    sharing: Sharing,
}

impl<'r> Branch<'r> {
    /// Writes the file for the locks at `prepared`; `known` is the identity for the reflog if it was read already.
    /// Returns `None` if git must move this branch itself, because it is stored in another format or is not a plain
    /// name of a commit.
    pub(crate) fn prepare(
        git: &Git<'r>,
        moving: &Move,
        prepared: PathBuf,
        known: Option<String>,
    ) -> Result<Option<Branch<'r>>, RescueError> {
        let repo = git.repo;
        match is_plain(repo, moving) {
            Ok(true) => {}
            Ok(false) if is_for_git(repo, moving)? => return Ok(None),
            // Git would find that out only after it followed a link that comes meanwhile.
            Ok(false) => {
                return Err(RescueError::SavedOnly("the branch moved since you looked".to_owned()));
            }
            // Git would follow this link, even if it were gone for the moment in which the way is checked.
            Err(unreadable) if unreadable.problem == ReadProblem::Link => {
                repo.check_writes(&[moving.branch.as_str()])?;
                return Err(unreadable.into());
            }
            Err(unreadable) => return Err(unreadable.into()),
        }
        let who = known.map_or_else(|| who(git), Ok)?;
        let failed = |error| RescueError::io("write", &prepared)(error);
        let mut file = git_files::create(git, &prepared).map_err(failed)?;
        keep_mode(git, &repo.common_dir.join(moving.branch.as_str()), &file).map_err(failed)?;
        let value = moving.to.map(|to| to.to_string()).unwrap_or_default();
        file.write_all(format!("{value}\n").as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        Ok(Some(Branch { repo, moving: moving.clone(), prepared, who, sharing: git.sharing()? }))
    }

    /// Takes the locks, or none of them if someone else has one, which the error names.
    pub(crate) fn lock(&self) -> Result<(), RescueError> {
        // HEAD needs no lock if it names another branch.
        let n_others = usize::from(self.moving.is_branch_only);
        for lock in locks(self.repo, self.moving.branch.as_str()).into_iter().skip(n_others) {
            let missing = Missing::Create(self.sharing);
            if let Err(error) = git_files::link(self.repo, &self.prepared, &lock, missing) {
                release(self.repo, self.moving.branch.as_str(), inode(&self.prepared))?;
                if error.kind() == ErrorKind::AlreadyExists {
                    return Err(RescueError::Busy(git_files::holder_label(self.repo, &lock)));
                }
                return Err(RescueError::io("make", &lock)(error));
            }
        }
        // Git locks the packed references too, so that nobody packs a branch that is being deleted.
        if self.moving.to.is_some() {
            return Ok(());
        }
        let of_packed = ref_files::packed_lock(self.repo);
        let prepared = below(self.repo, &self.prepared, Missing::Fail);
        let taken = prepared.and_then(|prepared| ref_files::lock_packed(self.repo, &prepared));
        if matches!(taken, Ok(Some(_))) {
            return Ok(());
        }
        release(self.repo, self.moving.branch.as_str(), inode(&self.prepared))?;
        taken.map_err(RescueError::io("make", &of_packed))?;
        Err(RescueError::Busy(git_files::holder_label(self.repo, &of_packed)))
    }

    /// Whether the branch is still at the start of the move, and HEAD names it if it is the checked-out one.
    pub(crate) fn is_as_planned(&self) -> Result<bool, RescueError> {
        Ok(is_plain(self.repo, &self.moving)?)
    }

    /// Moves the branch. The locks must be held.
    pub(crate) fn go(&self) -> Result<(), RescueError> {
        let (file, lock) = (self.file(), lock_of(self.repo, self.moving.branch.as_str()));
        let lock = lock.file_name().unwrap_or_default();
        if self.moving.to.is_none() {
            ref_files::take_out_packed(self.repo, self.moving.branch.as_str(), self.sharing)?;
        }
        let moved = below(self.repo, &file, Missing::Fail).and_then(|place| match &self.moving.to {
            // A removed branch can leave an empty folder at this path. A folder with contents stays, and the
            // move fails.
            Some(_) => place.replace_by(lock).or_else(|error| {
                if error.kind() == ErrorKind::IsADirectory {
                    return place.remove_folder().and_then(|()| place.replace_by(lock));
                }
                Err(error)
            }),
            // One that was packed has no file.
            None => is_removed(place.remove()).map(drop),
        });
        moved.map_err(RescueError::io("move", &file))
    }

    /// Adds the move to the reflogs, if they are kept. A failure to write them is ignored.
    pub(crate) fn log(&self) {
        log(self.repo, &self.moving, &self.who, self.sharing, Repeat::Allowed);
    }

    pub(crate) fn open(&self) -> Option<File> {
        disk::open(&self.file()).ok()
    }

    fn file(&self) -> PathBuf {
        self.repo.common_dir.join(self.moving.branch.as_str())
    }
}

/// Gives the replacement of `old` the same mode, because access for others may be deliberate. Where the files of a repository
/// are shared, git gives each the mode of a new one.
pub(crate) fn keep_mode(git: &Git<'_>, old: &Path, new: &File) -> io::Result<()> {
    match old.symlink_metadata() {
        Ok(metadata) if metadata.is_file() && git.sharing().map_err(io::Error::other)? == Sharing::Masked => {
            new.set_permissions(metadata.permissions())
        }
        _ => Ok(()),
    }
}

/// The identity for the reflog: name, e-mail and time.
fn who(git: &Git<'_>) -> Result<String, RescueError> {
    let who = git.real(["var", "GIT_COMMITTER_IDENT"], Stdin::Lock)?;
    Ok(if who.is_success() {
        line(&who)
    } else {
        let now = clock::since_epoch().as_secs();
        format!("closeout <closeout@localhost> {now} +0000")
    })
}

/// Whether to append a line that the reflog already ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Allowed,
    LeftAway,
}

/// Adds a move that a crash interrupted to the reflogs, unless it is already there.
pub(crate) fn log_again(git: &Git<'_>, moving: &Move) {
    // The reflog is a convenience: failing to write it must not fail the recovery.
    if let (Ok(who), Ok(sharing)) = (who(git), git.sharing()) {
        log(git.repo, moving, &who, sharing, Repeat::LeftAway);
    }
}

fn log(repo: &Repository, moving: &Move, who: &str, sharing: Sharing, repeat: Repeat) {
    let (name, from, to) = (moving.branch.as_str(), moving.from, moving.to);
    let [old, new] = [from, to].map(|id| repo.format.or_zero(id));
    let text = format!("{old} {new} {who}\t{MESSAGE}\n");
    let tell = |log_of: &str| {
        let is_told = || {
            let last = git::reflog(repo, log_of).ok().and_then(|log| log.into_iter().next_back());
            last.is_some_and(|last| last.old == from && last.new == to)
        };
        if repeat == Repeat::Allowed || !is_told() {
            let _ = append(repo, &log_file(repo, log_of), &text, sharing, from.is_none());
        }
    };
    if !moving.is_branch_only {
        tell("HEAD");
    }
    if to.is_some() {
        tell(name);
    } else {
        // Git deletes the reflog together with the branch.
        let _ = git_files::remove(repo, &log_file(repo, name));
    }
}

/// Removes the locks on HEAD, the branch `name` and the packed references that are links to the file with this inode.
pub(crate) fn release(repo: &Repository, name: &str, ours: Option<(u64, u64)>) -> Result<(), RescueError> {
    let [head, branch] = locks(repo, name);
    for lock in [ref_files::packed_lock(repo), branch, head] {
        if ours.is_some() && inode(&lock) == ours {
            let removed = git_files::remove(repo, &lock);
            removed.map_err(RescueError::io("remove", &lock))?;
        }
    }
    Ok(())
}

/// Removes the locks that a killed closeout, or a git that it started, left on our own hidden references of the worktree
/// with this key and these digits of its owner.
pub(crate) fn release_hidden(repo: &Repository, key: &str, owner: &str) {
    let top = |name: &OsStr| name == "closeout" || name.as_bytes().starts_with(b"closeout-");
    for found in entries(&repo.common_dir.join("refs")).filter(|found| top(&found.file_name())) {
        for folder in ["rescue", "visible", "kept", "moved"].map(|kind| found.path().join(kind).join(key)) {
            for lock in entries(&folder).filter(|lock| is_own_lock(owner, &lock.file_name())) {
                let packed = ref_files::packed_lock(repo);
                let is_packed_ours = inode(&packed).is_some_and(|it| inode(&lock.path()) == Some(it));
                // While the other lock is there, this one proves that it is ours.
                if is_packed_ours && git_files::remove(repo, &packed).is_err() {
                    continue;
                }
                // A lock that remains is tried again next time; it blocks no other reference.
                let _ = git_files::remove(repo, &lock.path());
            }
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Whether a file is the lock of a reference that this state folder named.
fn is_own_lock(owner: &str, file: &OsStr) -> bool {
    let Some(name) = file.to_str().and_then(|name| name.strip_suffix(".lock")) else { return false };
    // References of all but the last commit carry a number before the id, and a foreign value that was kept its
    // beginning behind it.
    let ids = [Some(name), name.split_once('-').map(|(_, id)| id), name.rsplit_once('-').map(|(id, _)| id)];
    ids.into_iter().flatten().any(|id| worktrees::is_id_of(owner, id))
}

/// The locks, in the order in which git takes them.
fn locks(repo: &Repository, name: &str) -> [PathBuf; 2] {
    [repo.git_dir.join("HEAD.lock"), lock_of(repo, name)]
}

fn lock_of(repo: &Repository, name: &str) -> PathBuf {
    repo.common_dir.join(format!("{name}.lock"))
}

/// Whether only git can move the branch: references are not files, HEAD is a link, the branch is another name of a
/// branch or has one, or has a name that is none of git's, or something packed is in its way.
fn is_for_git(repo: &Repository, moving: &Move) -> Read<bool> {
    let name = moving.branch.as_str();
    if !repo.has_ref_files() || !name.starts_with("refs/heads/") || name.contains("..") {
        return Ok(true);
    }
    if !moving.is_branch_only {
        if repo.git_dir.join("HEAD").is_symlink() {
            return Ok(true);
        }
        if let HeadRef::Branch(named) = git::head_ref(repo)?
            && git::stored_ref(repo, &named)?.is_some_and(|stored| stored.starts_with("ref:"))
        {
            return Ok(true);
        }
    }
    match git::stored_ref(repo, name)? {
        Some(stored) => Ok(stored.starts_with("ref:")),
        None => Ok(moving.from.is_none() && PackedRefs::read(repo)?.is_in_the_way_of(name)),
    }
}

/// Whether the branch can be moved by changing files alone. That requires: HEAD names it in a regular file
/// (unless only the branch is to move), and it is stored as a plain commit id equal to `from` (`None`: it does
/// not exist, and nothing packed is in its way).
fn is_plain(repo: &Repository, moving: &Move) -> Read<bool> {
    let (name, from) = (moving.branch.as_str(), moving.from.map(|id| id.to_string()));
    let is_of_head = || -> Read<bool> {
        Ok(!repo.git_dir.join("HEAD").is_symlink()
            && git::head_ref(repo)? == HeadRef::Branch(name.to_owned()))
    };
    let is_here = repo.has_ref_files()
        && (moving.is_branch_only || is_of_head()?)
        && !name.contains("..")
        && name.starts_with("refs/heads/")
        && git::stored_ref(repo, name)? == from;
    if !is_here {
        return Ok(false);
    }
    Ok(from.is_some() || !PackedRefs::read(repo)?.is_in_the_way_of(name))
}

/// The longest log that is copied, in bytes.
const LOG_CAP: u64 = 64 << 20;

/// Appends a line to a reflog; creates a missing one only if `is_made`. A log with a second name elsewhere is replaced by a
/// longer copy, so that the other stays as it is; git would write to both.
fn append(repo: &Repository, path: &Path, text: &str, sharing: Sharing, is_made: bool) -> io::Result<()> {
    let place = below(repo, path, if is_made { Missing::Create(sharing) } else { Missing::Fail })?;
    if is_made {
        // One that is there already is appended to.
        let _ = place.create_shared(sharing);
    }
    let mut log = place.open_to_append()?;
    let metadata = log.metadata()?;
    if metadata.nlink() == 1 {
        // Git shares an old log too, where it may: not that of another user.
        let _ = sharing.share(&log);
        return log.write_all(text.as_bytes());
    }
    let content = disk::read_start(&log, LOG_CAP)?;
    if content.len() as u64 != metadata.len() {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let copy = NewFile::create(place.folder(), 0o600, &[&content[..], text.as_bytes()].concat())?;
    copy.as_file().set_permissions(metadata.permissions())?;
    sharing.share(copy.as_file())?;
    copy.put_whole(place.name(), Over::Any)
}

fn log_file(repo: &Repository, name: &str) -> PathBuf {
    let (folder, file) = git::log_file(repo, name);
    folder.join(file)
}
