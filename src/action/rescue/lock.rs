//! The lock of one worktree: a file in our own folder that the kernel unlocks when its holder dies, and
//! everything that is opened under it. It must not wait without a limit.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::error::RescueError;
use super::journal::Journal;
use super::step::Stage;
use super::whole_file::read_small;
use super::{Rescuer, belonging, repository, worktrees};
use crate::action::clock;
use crate::disk::write;
use crate::git::{Git, Repository, Sha1};

/// How long to wait for the lock. A child of a killed rescue can hold it a moment longer than its parent.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// A locked worktree. The lock is released once this is dropped and no git child holds it any more.
pub(super) struct WorktreeLock {
    pub(super) repo: Repository,
    /// Our own folder for this worktree.
    pub(super) folder: PathBuf,
    /// The journal of what was done to it.
    pub(super) journal: Journal,
    /// Eight hexadecimal digits that distinguish what this state folder created in the repository from what a
    /// closeout with another state folder created. The first four are in the name of every file and reference,
    /// all eight in `.keep` files.
    pub(super) owner: String,
    lock: Arc<File>,
}

impl WorktreeLock {
    /// Takes the lock of the worktree whose top is `workspace`, waiting at most [`LONGEST_WAIT`].
    pub(super) fn take(rescuer: &Rescuer, workspace: &Path) -> Result<WorktreeLock, RescueError> {
        let mut repo = repository::open(workspace, rescuer.home.as_deref())?;
        repository::check_state_folder(&rescuer.state)?;
        worktrees::recognise(&rescuer.state, &mut repo)?;
        let folder = rescuer.state.join("rescue").join(&repo.key);
        write::own_folder(&folder).map_err(RescueError::io("make", &folder))?;
        let lock = lock(&folder)?;
        let journal = Journal::at(&folder);
        belonging::check_place(&repo, &folder, &journal)?;
        worktrees::remember(&folder, &repo)?;
        let owner = owner_of(&folder)?;
        let worktree = WorktreeLock { repo, folder, journal, owner, lock: Arc::new(lock) };
        belonging::check(&worktree.git(rescuer))?;
        rescuer.reached(Stage::Locked);
        Ok(worktree)
    }

    /// A path for a new working folder. Removes those of killed rescues first: a git child that outlived one
    /// must not interfere with the new one.
    pub(super) fn work(&self) -> PathBuf {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("work") {
                // What cannot be removed is tried again next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        self.folder.join(format!("work-{}", self.new_id()))
    }

    /// The git runner for this worktree.
    pub(super) fn git<'a>(&'a self, rescuer: &'a Rescuer) -> Git<'a> {
        rescuer.runner(&self.repo, &self.lock)
    }

    /// A new unique name: the UTC time and eight digits, of which four are the owner's.
    pub(super) fn new_id(&self) -> String {
        let now = clock::since_epoch();
        let mut sum = Sha1::default();
        let salt = clock::since_start().subsec_nanos();
        sum.update(format!("{} {salt} {}", now.as_nanos(), std::process::id()).as_bytes());
        sum.update(self.repo.key.as_bytes());
        let time = jiff::Timestamp::try_from(SystemTime::UNIX_EPOCH + now).unwrap_or_default();
        format!("{}-{}{}", time.strftime("%Y%m%dT%H%M%SZ"), &self.owner[..4], &sum.hex()[..4])
    }

    /// Whether [`WorktreeLock::new_id`] of this state folder made the name.
    pub(super) fn is_own_id(&self, id: &str) -> bool {
        id.split_once('-')
            .is_some_and(|(_, digits)| digits.len() == 8 && digits.starts_with(&self.owner[..4]))
    }

    /// Syncs the file systems of the repository and of our own folder, unless that is turned off.
    pub(super) fn sync(&self, rescuer: &Rescuer) -> Result<(), RescueError> {
        if rescuer.is_synced {
            for path in [&self.repo.common_dir, &self.folder] {
                write::sync_file_system(path).map_err(RescueError::io("write", path))?;
            }
        }
        Ok(())
    }
}

/// The owner's digits, created once for each folder.
fn owner_of(folder: &Path) -> Result<String, RescueError> {
    let path = folder.join("owner");
    let known = read_small(&path)?.and_then(|text| String::from_utf8(text).ok());
    if let Some(owner) = known.filter(|it| it.len() == 8 && it.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return Ok(owner);
    }
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
pub(super) fn lock(folder: &Path) -> Result<File, RescueError> {
    let path = folder.join("lock");
    let lock = write::lock_file(&path, LONGEST_WAIT).map_err(RescueError::io("lock", &path))?;
    lock.ok_or_else(|| RescueError::Busy("another rescue works on this worktree".to_owned()))
}
