//! Opens a worktree for what only reads records: what keeps others from the repository, keeps nobody from the records in it.
//!
//! It must not have anything completed or changed, in the repository or in our own folder.

use std::fs::File;
use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{Journal, Opened, Reading, RescueError, journal, repository, worktrees};
use crate::action::rescue::lock::{WorktreeLock, belonging};
use crate::git::{self, ObjectFormat, Repository, head_in_the_way};

/// How many digits an id has in the longer format. The settings that would tell the format may be what git waits for.
const LONG_ID: usize = 64;

impl<'r> WorktreeLock<'r> {
    /// The same for what only reads records: a HEAD that git cannot use keeps nobody from the references and objects beside
    /// it, and neither does a state folder in which nothing can be written, or something else in the place of the lock.
    pub(crate) fn take_to_read(
        rescuer: &'r Rescuer,
        workspace: &Path,
    ) -> Result<WorktreeLock<'r>, RescueError> {
        let worktree = match WorktreeLock::take_any(rescuer, workspace) {
            Err(error)
                if error.is_write_refused() || matches!(error, RescueError::Io { what: "lock", .. }) =>
            {
                return WorktreeLock::without_writing(rescuer, workspace, error);
            }
            taken => taken?,
        };
        if worktree.is_without_rules {
            let reason = worktree.unusable.clone().unwrap_or_default();
            return worktree.by_objects(reason);
        }
        let (git_dir, common_dir) = match worktree.unusable {
            None => (worktree.repo.git_dir.clone(), worktree.repo.common_dir.clone()),
            Some(_) => (worktree.repo.top.join(".git"), worktree.repo.top.join(".git")),
        };
        let Some(reason) = head_in_the_way(&git_dir) else {
            // A file that git would wait for can be one without which it is not even known what the repository is.
            let is_unread = || {
                matches!(repository::open(workspace, rescuer.home.as_deref()), Ok(Opened::Unusable { .. }))
            };
            return match worktree.unusable.clone() {
                Some(reason) if is_unread() => worktree.by_objects(reason),
                Some(_) | None => Ok(worktree),
            };
        };
        // If nothing else of it can be used either, what is known already says why.
        let Ok(repo) = Repository::with_own_head(&worktree.folder.join("past-head"), &common_dir) else {
            return Ok(worktree);
        };
        let repo = repo.with_top(worktree.repo.top, worktree.repo.key);
        Ok(WorktreeLock { repo, unusable: None, past_head: Some(reason), ..worktree })
    }

    /// The same where nothing can be written in the state folder: nothing is locked or noted, nor can anything be moving.
    /// Only a repository that can be found is read; otherwise the error is this one.
    fn without_writing(
        rescuer: &'r Rescuer,
        workspace: &Path,
        error: RescueError,
    ) -> Result<WorktreeLock<'r>, RescueError> {
        let opened = repository::open(workspace, rescuer.home.as_deref())?;
        let Opened::Usable(mut repo) = opened else { return Err(error) };
        if head_in_the_way(&repo.git_dir).is_some() {
            return Err(error);
        }
        let hanging = repo.hanging_file();
        if hanging.is_none() {
            belonging::check(&rescuer.runner(&repo, None))?;
        }
        repo.key = worktrees::key_by_names(&rescuer.state, &repo)?;
        let folder = rescuer.state.join(worktrees::RESCUE).join(&repo.key);
        let scratch =
            tempfile::tempdir().map_err(RescueError::io("make a folder in", &std::env::temp_dir()))?;
        let nothing = Path::new("/dev/null");
        let lock = File::open(nothing).map_err(RescueError::io("open", nothing))?;
        let common_dir = repo.common_dir.clone();
        let worktree = WorktreeLock::of_parts(rescuer, *repo, folder, lock, common_dir);
        let worktree = WorktreeLock { scratch: Some(scratch), ..worktree };
        match hanging {
            Some(words) => worktree.by_objects(git::says_waiting(&words)),
            None => Ok(worktree),
        }
    }

    /// The same worktree, of whose repository git gets to see the objects alone, and closeout's own references: what it hangs
    /// on, or would, is this reason. If they cannot be shown, the vault can be read.
    pub(crate) fn by_objects(self, reason: String) -> Result<WorktreeLock<'r>, RescueError> {
        let worktree = self.without_git(reason)?;
        let journals = worktree.places()?.into_iter().map(|place| Journal::at(&place.folder).read());
        let is_long = |read: Reading| {
            journal::saved(&read.entries).iter().any(|saved| saved.snapshot.to_string().len() == LONG_ID)
        };
        let has_long = journals.flatten().any(is_long);
        let format = if has_long { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        let work = worktree.own_path("objects-alone");
        let Ok(repo) = Repository::of_objects(&work, &worktree.common_dir, format, "refs/closeout") else {
            return Ok(worktree);
        };
        let repo = repo.with_top(worktree.repo.top.clone(), worktree.repo.key.clone());
        Ok(WorktreeLock { repo, shows_objects: true, ..worktree })
    }
}
