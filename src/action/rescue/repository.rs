//! Resolves a repository once: top of the work tree, git directory, common directory.
//!
//! It must not run git and must not look above the workspace: a parent may be a hostile repository.

use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::error::RescueError;
use super::object_id::ObjectFormat;
use super::sha1::Sha1;
use crate::disk;
use crate::model::display_text;

/// The most that is read of a file that git keeps small.
const SMALL: u64 = 64 << 10;

/// A repository whose places are known and are not looked for again.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// The git directory of this worktree.
    pub(super) git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub(super) common_dir: PathBuf,
    /// Names this worktree in our own folder and in references.
    pub(super) key: String,
    /// How its objects are named; known once git was asked.
    pub(super) format: ObjectFormat,
    identity: [(u64, u64); 2],
}

impl Repository {
    /// The repository whose top is `workspace`.
    pub(super) fn open(workspace: &Path, home: Option<&Path>) -> Result<Repository, RescueError> {
        let top = workspace.canonicalize().map_err(|error| {
            RescueError::Refused(format!("{} cannot be reached: {error}", display_text::path(workspace)))
        })?;
        let is_home = home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == top);
        if is_home || top.parent().is_none() {
            return refused(&top, "is the home folder or the root; name a repository inside it");
        }
        let git_dir = git_dir_of(&top)?;
        let common_dir = match read_small(&git_dir.join("commondir"))? {
            Some(text) => resolve(&git_dir, &text),
            None => git_dir.clone(),
        };
        let user = rustix::process::geteuid().as_raw();
        for path in [&top, &top.join(".git"), &git_dir, &common_dir] {
            let metadata = path.symlink_metadata().map_err(RescueError::io("look at", path))?;
            if metadata.uid() != user {
                return refused(path, "belongs to another user");
            }
        }
        let identity = [identity(&top)?, identity(&git_dir)?];
        let mut sum = Sha1::default();
        sum.update(git_dir.as_os_str().as_bytes());
        let key = sum.hex()[..16].to_owned();
        let format = ObjectFormat::default();
        Ok(Repository { top, git_dir, common_dir, key, format, identity })
    }

    /// The same, of which it is known how its objects are named.
    pub(super) fn with_format(self, format: ObjectFormat) -> Repository {
        Repository { format, ..self }
    }

    /// An empty repository of our own in the new folder `work`.
    pub(super) fn new_own(work: &Path, format: ObjectFormat) -> Result<Repository, RescueError> {
        let git_dir = work.join("git");
        for name in ["objects/pack", "refs"] {
            let path = git_dir.join(name);
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&path)
                .map_err(RescueError::io("make", &path))?;
        }
        for (name, text) in [("HEAD", "ref: refs/heads/unborn\n"), ("config", format.settings())] {
            let path = git_dir.join(name);
            std::fs::write(&path, text).map_err(RescueError::io("write", &path))?;
        }
        let (top, common_dir) = (work.to_owned(), git_dir.clone());
        let identity = [identity(&top)?, identity(&git_dir)?];
        Ok(Repository { top, git_dir, common_dir, key: String::new(), format, identity })
    }

    /// Refuses when objects cannot be written.
    pub(super) fn check_writable(&self) -> Result<(), RescueError> {
        let objects = self.common_dir.join("objects");
        match rustix::fs::access(&objects, rustix::fs::Access::WRITE_OK) {
            Err(errno @ (Errno::ROFS | Errno::ACCESS | Errno::PERM)) => {
                Err(RescueError::ReadOnly(std::io::Error::from(errno).to_string()))
            }
            // Whatever else is wrong shows at the first write.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Refuses when the work tree or the git directory is another one than at first.
    pub(super) fn check_same(&self) -> Result<(), RescueError> {
        if [identity(&self.top)?, identity(&self.git_dir)?] == self.identity {
            return Ok(());
        }
        refused(&self.top, "is another folder than a moment ago")
    }

    /// The file of the index.
    pub(super) fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// The lock that git takes before it changes the index.
    pub(super) fn index_lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// True when something is at this path of the work tree.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.top.join(std::ffi::OsStr::from_bytes(path)).symlink_metadata().is_ok()
    }

    /// The operation of git that is in progress, in words.
    pub(super) fn operation(&self) -> Option<&'static str> {
        OPERATIONS
            .iter()
            .find(|(name, _)| self.git_dir.join(name).symlink_metadata().is_ok())
            .map(|(_, it)| *it)
    }
}

/// Files that show an operation in progress.
const OPERATIONS: [(&str, &str); 7] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
    ("sequencer", "a cherry-pick or revert"),
];

fn refused<T>(path: &Path, words: &str) -> Result<T, RescueError> {
    Err(RescueError::Refused(format!("{} {words}", display_text::path(path))))
}

fn identity(path: &Path) -> Result<(u64, u64), RescueError> {
    let metadata = path.metadata().map_err(RescueError::io("look at", path))?;
    Ok((metadata.dev(), metadata.ino()))
}

fn git_dir_of(top: &Path) -> Result<PathBuf, RescueError> {
    let dot_git = top.join(".git");
    let Ok(metadata) = dot_git.metadata() else {
        return refused(top, "is not the top of a git work tree; name the folder that holds .git");
    };
    let git_dir = if metadata.is_dir() {
        dot_git.canonicalize().map_err(RescueError::io("resolve", &dot_git))?
    } else {
        let text = read_small(&dot_git)?.unwrap_or_default();
        let Some(target) = text.strip_prefix(b"gitdir:") else {
            return refused(&dot_git, "does not name a git directory");
        };
        resolve(top, target)
    };
    match git_dir.join("HEAD").symlink_metadata() {
        Ok(_) => Ok(git_dir),
        Err(_) => refused(&git_dir, "is no git directory: it has no HEAD"),
    }
}

/// The path that `text` names, seen from `base`.
fn resolve(base: &Path, text: &[u8]) -> PathBuf {
    let path = base.join(std::ffi::OsStr::from_bytes(text.trim_ascii()));
    path.canonicalize().unwrap_or(path)
}

/// The content of a small regular file, opened without waiting; `None` when there is none.
pub(super) fn read_small(path: &Path) -> Result<Option<Vec<u8>>, RescueError> {
    read_regular(path, SMALL)
}

/// The content of a regular file of at most `cap` bytes, opened without waiting and through no link.
pub(super) fn read_regular(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, RescueError> {
    open_regular(path, cap)?.map(|mut file| read_to_cap(&mut file, path, cap)).transpose()
}

/// The rest of an open file, at most `cap` bytes.
pub(super) fn read_to_cap(file: &mut File, path: &Path, cap: u64) -> Result<Vec<u8>, RescueError> {
    disk::read_start(file, cap).map_err(RescueError::io("read", path))
}

/// A regular file of at most `cap` bytes, opened without waiting and through no link; `None` when there is none.
pub(super) fn open_regular(path: &Path, cap: u64) -> Result<Option<File>, RescueError> {
    let opened = disk::existing(disk::open(path)).map_err(|error| match disk::thing_in_the_way(&error) {
        Some(_) => no_file(path),
        None => RescueError::io("open", path)(error),
    });
    let Some(file) = opened? else { return Ok(None) };
    let metadata = file.metadata().map_err(RescueError::io("look at", path))?;
    if metadata.len() > cap { Err(no_file(path)) } else { Ok(Some(file)) }
}

fn no_file(path: &Path) -> RescueError {
    RescueError::Refused(format!("{} is no regular file, or too large", display_text::path(path)))
}
