//! Repositories of closeout's own, with which git works where it cannot use the one of a workspace.
//!
//! They must not be made inside a repository.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::object_id::ObjectFormat;
use super::repository::Repository;

impl Repository {
    /// Creates an empty repository of closeout's own in the new folder `work`.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn create(work: &Path, format: ObjectFormat) -> io::Result<Repository> {
        let git_dir = work.join("git");
        for name in ["objects/pack", "refs"] {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(git_dir.join(name))?;
        }
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/unborn\n")?;
        std::fs::write(git_dir.join("config"), format.settings())?;
        at(work, git_dir)
    }

    /// The references and objects of `common_dir`, with a HEAD of closeout's own in the folder `work`: for reading where git
    /// takes the whole for no repository because of its HEAD.
    ///
    /// # Errors
    /// What is there cannot be used either, or any other I/O error.
    pub fn with_own_head(work: &Path, common_dir: &Path) -> io::Result<Repository> {
        if !["objects", "refs"].iter().all(|name| common_dir.join(name).is_dir()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let git_dir = work.join("git");
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&git_dir)?;
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/unborn\n")?;
        std::fs::write(git_dir.join("commondir"), common_dir.as_os_str().as_bytes())?;
        at(work, git_dir)
    }
}

fn at(top: &Path, git_dir: PathBuf) -> io::Result<Repository> {
    Repository::at(top.to_owned(), git_dir, PathBuf::new())
        .map_err(|unreadable| io::Error::other(unreadable.detail))
}
