//! The lock of one worktree: a file in our own folder that the kernel unlocks when its holder dies, and
//! everything that is opened under it. It must not wait without a limit.

pub(super) mod belonging;
mod left;
mod to_read;

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::action::clock;
use crate::action::rescue::base::{
    Journal, Opened, Place, RescueError, journal, record_objects, repository, worktrees,
};
use crate::action::rescue::{RescueStep, Rescuer};
use crate::disk::write;
use crate::git::{self, Git, ObjectFormat, Repository, Sha1, head_in_the_way};
use crate::process::Budget;

pub(super) use belonging::Belonging;
pub(crate) use left::remove_left;

/// How long to wait for the lock. A git child of a killed rescue can hold it a moment longer than its parent: each one
/// that reads no input inherits it, among them every one that changes the repository.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// What a person has to know where an action cannot begin.
const STILL_THERE: &str =
    "`closeout rescues` lists what was saved, `closeout restore` writes it into a folder of its own";

/// A locked worktree. The lock is released once this is dropped and no git child holds it any more.
pub(crate) struct WorktreeLock<'r> {
    /// Who took it.
    pub(crate) rescuer: &'r Rescuer,
    /// Its repository, or an empty one of our own that stands in for it.
    pub(crate) repo: Repository,
    /// Why its own repository cannot be used; `None` if it can.
    pub(crate) unusable: Option<String>,
    /// Whether git's ignore rules are not to be read, because git hung, or would.
    pub(crate) is_without_rules: bool,
    /// What its gits may lose when they hang.
    budget: Budget,
    /// Whether the one that stands in for it shows the objects of its own, for reading.
    pub(crate) shows_objects: bool,
    /// Why its HEAD cannot be used, if the repository is read with one of our own.
    pub(crate) past_head: Option<String>,
    /// The git directory that all its worktrees share, as our folders know it.
    common_dir: PathBuf,
    /// Our own folder for this worktree.
    pub(crate) folder: PathBuf,
    /// The journal of what was done to it.
    pub(crate) journal: Journal,
    /// Why the journal cannot be used, as far as that was asked; a record goes into the vault then.
    pub(crate) no_journal: Option<String>,
    /// Eight hexadecimal digits that distinguish what this state folder created in the repository from what a
    /// closeout with another state folder created. The first four are in the name of every file and reference,
    /// all eight in `.keep` files.
    pub(crate) owner: String,
    /// Where working folders go if nothing can be written in our own folder, nor anything be completed then.
    scratch: Option<TempDir>,
    lock: Arc<File>,
}

impl<'r> WorktreeLock<'r> {
    /// Takes the lock of the worktree whose top is `workspace`, waiting at most [`LONGEST_WAIT`]. Refuses one
    /// whose repository cannot be used.
    pub(crate) fn take(rescuer: &'r Rescuer, workspace: &Path) -> Result<WorktreeLock<'r>, RescueError> {
        match repository::open(workspace, rescuer.home.as_deref())? {
            Opened::Usable(repo) => {
                if let Some(words) = head_in_the_way(&repo.git_dir) {
                    return Err(RescueError::Refused(format!("{words}; {STILL_THERE}")));
                }
                if let Some(words) = repo.hanging_file_of_files() {
                    return Err(RescueError::TimedOut(git::says_waiting(&words)));
                }
                WorktreeLock::of_repository(rescuer, *repo)
            }
            Opened::Unusable { reason, .. } => Err(RescueError::Refused(format!("{reason}; {STILL_THERE}"))),
        }
    }

    /// The same for what needs no repository: if the workspace's own cannot be used, or is not its own, an empty one stands in
    /// for it, with which work can be kept in the vault.
    pub(crate) fn take_any(rescuer: &'r Rescuer, workspace: &Path) -> Result<WorktreeLock<'r>, RescueError> {
        match repository::open(workspace, rescuer.home.as_deref())? {
            // Git would wait for it.
            Opened::Usable(repo) if git::is_waited_for(&repo.git_dir.join("HEAD")) => {
                let reason = head_in_the_way(&repo.git_dir).unwrap_or_default();
                WorktreeLock::of_unusable(rescuer, repo.top, reason)
            }
            Opened::Usable(repo) => {
                let taken = match repo.hanging_file() {
                    Some(words) => Err(RescueError::TimedOut(git::says_waiting(&words))),
                    None => WorktreeLock::of_repository(rescuer, (*repo).clone()),
                };
                let top = repo.top.clone();
                let taken = match taken {
                    Err(RescueError::TimedOut(words)) => WorktreeLock::of_hanging(rescuer, *repo, words),
                    taken => taken,
                };
                match taken {
                    Err(RescueError::Refused(words)) => WorktreeLock::of_unusable(rescuer, top, words),
                    taken => taken,
                }
            }
            Opened::Unusable { top, reason } => WorktreeLock::of_unusable(rescuer, top, reason),
        }
    }

    fn of_repository(rescuer: &'r Rescuer, mut repo: Repository) -> Result<WorktreeLock<'r>, RescueError> {
        // Before anything is noted of it.
        belonging::check(&rescuer.runner(&repo, None))?;
        repository::own_folder(&rescuer.state, worktrees::RESCUE)?;
        worktrees::recognise(
            &rescuer.state,
            &mut repo,
            &|repo, record| record_objects::has(&rescuer.runner(repo, None), record),
            &|repo, place| belonging::has_anything_of(&rescuer.runner(repo, None), place),
        )?;
        let (folder, lock) = locked_folder(rescuer, &repo.key)?;
        let journal = Journal::at(&folder);
        belonging::check_place(&repo, &folder, &journal)?;
        worktrees::remember(&folder, &repo.top, &repo.common_dir)?;
        let common_dir = repo.common_dir.clone();
        let worktree = WorktreeLock::new(rescuer, repo, folder, lock, common_dir)?;
        worktrees::take_along(&rescuer.state, &worktree.repo)?;
        rescuer.reached(RescueStep::Locked);
        Ok(worktree)
    }

    /// The same for one in which git hangs, or would: an empty one stands in for it. If it was moved, it is known by what its
    /// references say, and that is noted only once git has looked at its records.
    fn of_hanging(
        rescuer: &'r Rescuer,
        mut repo: Repository,
        reason: String,
    ) -> Result<WorktreeLock<'r>, RescueError> {
        repository::own_folder(&rescuer.state, worktrees::RESCUE)?;
        repo.key = worktrees::key_by_names(&rescuer.state, &repo)?;
        let (folder, lock) = locked_folder(rescuer, &repo.key)?;
        belonging::check_place(&repo, &folder, &Journal::at(&folder))?;
        if repo.is_linked() {
            belonging::check_linked(&repo)?;
        }
        let common_dir = known_or_remembered(&folder, &repo.top, repo.common_dir.clone())?;
        let worktree = WorktreeLock::new(rescuer, repo, folder, lock, common_dir)?.without_git(reason)?;
        rescuer.reached(RescueStep::Locked);
        Ok(worktree)
    }

    fn of_unusable(
        rescuer: &'r Rescuer,
        top: PathBuf,
        reason: String,
    ) -> Result<WorktreeLock<'r>, RescueError> {
        let git_dir = top.join(".git");
        let key = Repository::key_of(&git_dir);
        let (folder, lock) = locked_folder(rescuer, &key)?;
        let repo = stand_in(&folder.join("stand-in"), top, key)?;
        repository::check_owner(&repo)?;
        let common_dir = known_or_remembered(&folder, &repo.top, git_dir)?;
        let worktree = WorktreeLock::new(rescuer, repo, folder, lock, common_dir)?;
        rescuer.reached(RescueStep::Locked);
        Ok(WorktreeLock { unusable: Some(reason), ..worktree })
    }

    fn new(
        rescuer: &'r Rescuer,
        repo: Repository,
        folder: PathBuf,
        lock: File,
        common_dir: PathBuf,
    ) -> Result<WorktreeLock<'r>, RescueError> {
        let owner = owner_of(&folder)?;
        Ok(WorktreeLock { owner, ..WorktreeLock::of_parts(rescuer, repo, folder, lock, common_dir) })
    }

    /// One whose folder names no owner.
    fn of_parts(
        rescuer: &'r Rescuer,
        repo: Repository,
        folder: PathBuf,
        lock: File,
        common_dir: PathBuf,
    ) -> WorktreeLock<'r> {
        WorktreeLock {
            rescuer,
            repo,
            unusable: None,
            is_without_rules: false,
            shows_objects: false,
            budget: rescuer.budget.clone(),
            past_head: None,
            common_dir,
            journal: Journal::at(&folder),
            no_journal: None,
            owner: String::new(),
            folder,
            scratch: None,
            lock: Arc::new(lock),
        }
    }

    /// The same worktree with an empty repository in the place of one that git cannot use.
    pub(crate) fn standing_in(self, reason: String) -> Result<WorktreeLock<'r>, RescueError> {
        let repo = stand_in(&self.own_path("stand-in"), self.repo.top.clone(), self.repo.key.clone())?;
        Ok(WorktreeLock { repo, unusable: Some(reason), ..self })
    }

    /// The same for one in which git hangs, or would: it reads nothing of the repository, and no ignore rules either.
    pub(crate) fn without_git(self, reason: String) -> Result<WorktreeLock<'r>, RescueError> {
        // What was lost to a git that hung must not keep the work from being saved without it.
        let budget = Budget::default();
        Ok(WorktreeLock { is_without_rules: true, budget, ..self.standing_in(reason)? })
    }

    /// Our own folder for this worktree, as one of the [`places`](WorktreeLock::places).
    pub(crate) fn place(&self) -> Place {
        Place::of(self.folder.clone(), self.repo.key.clone(), self.repo.top.clone())
    }

    /// Our folders for all worktrees of the repository.
    pub(crate) fn places(&self) -> Result<Vec<Place>, RescueError> {
        worktrees::of_repository(&self.rescuer.state, &self.common_dir)
    }

    /// A path for a new working folder, whose name no git child that outlived its rescue knows. Removes those of
    /// killed rescues first.
    pub(crate) fn work(&self) -> PathBuf {
        if self.scratch.is_none() {
            remove_left(&self.folder);
        }
        self.own_path(&format!("work-{}", self.any_id()))
    }

    /// A path for a folder of our own for this worktree.
    fn own_path(&self, name: &str) -> PathBuf {
        self.scratch.as_ref().map_or(&*self.folder, TempDir::path).join(name)
    }

    /// Whether what was cut off can be completed: git can use the repository, and the journal can be read and written.
    pub(crate) fn can_recover(&self) -> bool {
        let is_usable = self.unusable.is_none() && self.past_head.is_none() && self.scratch.is_none();
        is_usable && self.journal.check().is_ok() && self.journal.read().is_ok()
    }

    /// Whether git gets to see the objects of the repository.
    pub(crate) fn sees_objects(&self) -> bool {
        self.unusable.is_none() || self.shows_objects
    }

    /// The git runner for this worktree.
    pub(crate) fn git(&self) -> Git<'_> {
        Git { budget: self.budget.clone(), ..self.rescuer.runner(&self.repo, Some(&self.lock)) }
    }

    /// A new unique name: the UTC time and eight digits, of which four are the owner's. Four digits are few: of so many
    /// names made in one second, two can be the same. The journal tells which are taken.
    pub(crate) fn new_id(&self) -> String {
        let taken = self.journal.read().map(|read| read.entries).unwrap_or_default();
        loop {
            let id = self.any_id();
            if !journal::is_id_taken(&taken, &id) {
                return id;
            }
        }
    }

    /// The same, whether or not something has it already: for a folder of our own that lasts no longer than this process.
    pub(crate) fn any_id(&self) -> String {
        let now = clock::since_epoch();
        let mut sum = Sha1::default();
        let salt = clock::since_start().subsec_nanos();
        sum.update(format!("{} {salt} {}", now.as_nanos(), std::process::id()).as_bytes());
        sum.update(self.repo.key.as_bytes());
        let time = jiff::Timestamp::try_from(SystemTime::UNIX_EPOCH + now).unwrap_or_default();
        let owner = worktrees::in_ids(&self.owner).unwrap_or("0000");
        format!("{}-{owner}{}", time.strftime("%Y%m%dT%H%M%SZ"), &sum.hex()[..4])
    }

    /// Whether [`WorktreeLock::new_id`] of this state folder made the name.
    pub(crate) fn is_own_id(&self, id: &str) -> bool {
        worktrees::is_id_of(&self.owner, id)
    }

    /// Syncs the file systems of the repository and of our own folder, unless that is turned off.
    pub(crate) fn sync(&self) -> Result<(), RescueError> {
        if self.rescuer.is_synced {
            for path in [&self.repo.common_dir, &self.folder] {
                write::sync_file_system(path).map_err(RescueError::io("write", path))?;
            }
        }
        Ok(())
    }
}

/// Our own folder for the worktree with this key, locked.
fn locked_folder(rescuer: &Rescuer, key: &str) -> Result<(PathBuf, File), RescueError> {
    let folder = repository::own_folder(&rescuer.state, Path::new(worktrees::RESCUE).join(key))?;
    let lock = lock(&folder)?;
    Ok((folder, lock))
}

/// The shared git directory that our own folder is for, as it is known from better days; or else this one, which is noted.
fn known_or_remembered(folder: &Path, top: &Path, common_dir: PathBuf) -> Result<PathBuf, RescueError> {
    if let Some(known) = worktrees::common_dir_of(folder) {
        return Ok(known);
    }
    worktrees::remember(folder, top, &common_dir)?;
    Ok(common_dir)
}

/// An empty repository of our own for the work tree `top`.
fn stand_in(place: &Path, top: PathBuf, key: String) -> Result<Repository, RescueError> {
    let made = Repository::create(place, ObjectFormat::Sha1);
    Ok(made.map_err(RescueError::io("make", place))?.with_top(top, key))
}

/// The owner's digits, created once for each folder.
fn owner_of(folder: &Path) -> Result<String, RescueError> {
    if let Some(owner) = worktrees::owner_in(folder)? {
        return Ok(owner);
    }
    let path = folder.join("owner");
    // Must not collide by chance; need not be secret.
    let metadata = folder.metadata().map_err(RescueError::io("look at", folder))?;
    let mut sum = Sha1::default();
    for now in [clock::since_epoch(), clock::since_start()] {
        sum.update(format!("{} ", now.as_nanos()).as_bytes());
    }
    sum.update(format!("{} {} {}", metadata.dev(), metadata.ino(), std::process::id()).as_bytes());
    let owner = sum.hex()[..8].to_owned();
    write::replace(&path, owner.as_bytes()).map_err(RescueError::io("write", &path))?;
    Ok(owner)
}

/// Takes the lock of one of our own folders.
pub(crate) fn lock(folder: &Path) -> Result<File, RescueError> {
    let path = folder.join("lock");
    let lock = write::lock_file(&path, LONGEST_WAIT).map_err(RescueError::io("lock", &path))?;
    lock.ok_or_else(|| {
        let words = "another rescue works on this worktree, or a git that it started has not ended";
        RescueError::Busy(words.to_owned())
    })
}

/// Takes the lock of one of our own folders; `None` if somebody holds it.
pub(crate) fn lock_if_free(folder: &Path) -> Result<Option<File>, RescueError> {
    let path = folder.join("lock");
    write::lock_file(&path, Duration::ZERO).map_err(RescueError::io("lock", &path))
}
