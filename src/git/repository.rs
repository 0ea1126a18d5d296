//! Finds a repository and its parts: work tree, git directory, common directory, formats.
//!
//! It must not run git, and reads nothing that could hang. A folder without `.git` is never taken for a
//! repository, even if it looks like a bare one, because its configuration could name programs
//! (`SECURITY.md` 1.2).

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::dot_git::{git_dir_of, resolve};
use super::file::read_small;
use super::format::Format;
use super::object_folders::{object_folders, waited_for};
use super::object_id::{ObjectFormat, Sha1};
use super::trouble::{Read, file_trouble, not_a_file, trouble};
use crate::disk::write::Sharing;
use crate::disk::{self, Folder};
use crate::model::{ReadProblem, Unreadable, display_text};

/// The longest configuration, in bytes. Git reads any length, so that what stands behind a part that was read could
/// be anything; and it takes minutes for tens of megabytes.
const CONFIG_CAP: u64 = 4 << 20;

/// Device and inode of the work tree, the git directory and the shared one.
type Identity = [Option<(u64, u64)>; 3];

/// Where a repository keeps its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The top of the work tree, which contains `.git`.
    pub top: PathBuf,
    /// This worktree's git directory, resolved.
    pub git_dir: PathBuf,
    /// The git directory shared by all worktrees. For the main worktree the same as `git_dir`.
    pub common_dir: PathBuf,
    /// The folder that was asked about, relative to the top.
    pub prefix: PathBuf,
    /// The format of object ids.
    pub format: ObjectFormat,
    /// How references are stored.
    pub refs: RefStorage,
    /// Whether it has an extension that not every git knows.
    pub is_extended: bool,
    /// Whether it has no work tree of its own (linked worktrees may still exist).
    pub is_bare: bool,
    /// Files named in the configuration that every reader opens.
    pub named_files: Vec<PathBuf>,
    /// The exclude file named in the repository's own configuration, as written there.
    pub excludes_file: Option<PathBuf>,
    /// Sixteen hexadecimal digits that identify this worktree in closeout's own folder and in references.
    pub key: String,
    /// Who may use the files that are created in it, once git was asked ([`Git::sharing`](super::Git::sharing)).
    pub(super) sharing: OnceLock<Sharing>,
    identity: Identity,
}

/// How a repository stores its references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefStorage {
    /// In files, which are read here.
    Files,
    /// In files behind links (`git-new-workdir`, `repo`). Only the git program reads them, since it reveals
    /// nothing of a file but object ids.
    LinkedFiles,
    /// As reftable, which only the git program reads.
    Reftable,
}

impl Repository {
    /// The repository that contains `folder`; `None` if there is none. The nearest `.git` decides, even if it is
    /// broken.
    ///
    /// # Errors
    /// `folder` cannot be reached or is a bare repository, or the repository cannot be read.
    pub fn find(folder: &Path) -> Read<Option<Repository>> {
        Repository::find_beside(folder, None)
    }

    /// The same, where `sibling` was read just before: what a linked worktree shares with it is not read again.
    ///
    /// # Errors
    /// As [`Repository::find`].
    pub fn find_beside(folder: &Path, sibling: Option<&Repository>) -> Read<Option<Repository>> {
        let start = resolved(folder)?;
        let device = start.metadata().map_err(|error| file_trouble(&start, &error))?.dev();
        for top in start.ancestors() {
            // Git does not search beyond a file system boundary either.
            if *top != *start && !top.metadata().is_ok_and(|metadata| metadata.dev() == device) {
                break;
            }
            if let Some(git_dir) = git_dir_of(top)? {
                let prefix = start.strip_prefix(top).unwrap_or(Path::new("")).to_path_buf();
                return Repository::at_beside(top.to_path_buf(), git_dir, prefix, sibling).map(Some);
            }
        }
        if looks_like_git_dir(&start) { Err(bare()) } else { Ok(None) }
    }

    /// The repository whose top is `folder`; `None` if there is none. Parent folders are not searched,
    /// since they may be a hostile repository.
    ///
    /// # Errors
    /// As [`Repository::find`].
    pub fn open(folder: &Path) -> Read<Option<Repository>> {
        let top = resolved(folder)?;
        match git_dir_of(&top)? {
            Some(git_dir) => Repository::at(top, git_dir, PathBuf::new()).map(Some),
            None => Ok(None),
        }
    }

    /// The repository of the worktree at `top`, given its git directory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn at(top: PathBuf, git_dir: PathBuf, prefix: PathBuf) -> Read<Repository> {
        Repository::at_beside(top, git_dir, prefix, None)
    }

    fn at_beside(
        top: PathBuf,
        git_dir: PathBuf,
        prefix: PathBuf,
        sibling: Option<&Repository>,
    ) -> Read<Repository> {
        let common_dir = match read_small(&git_dir, "commondir")? {
            Some(text) => resolve(&git_dir, &text),
            None => git_dir.clone(),
        };
        if let Some(sibling) = sibling.filter(|it| is_beside(it, &git_dir, &common_dir)) {
            let identity = [identity(&top), identity(&git_dir), sibling.identity[2]];
            let key = Repository::key_of(&git_dir);
            return Ok(Repository { top, git_dir, prefix, key, identity, is_bare: false, ..sibling.clone() });
        }
        let format = format_of(&common_dir)?;
        let is_link = |name: &str| common_dir.join(name).is_symlink();
        let refs = if format.is_reftable {
            RefStorage::Reftable
        } else if ["refs", "packed-refs", "logs"].into_iter().any(is_link) {
            RefStorage::LinkedFiles
        } else {
            RefStorage::Files
        };
        Ok(Repository {
            is_bare: format.is_bare && git_dir == common_dir,
            format: format.objects,
            refs,
            is_extended: format.is_extended,
            // Relative names start from the folder of the file that contains them.
            excludes_file: format.excludes_file.clone(),
            named_files: format.named_files.iter().map(|name| common_dir.join(name)).collect(),
            key: Repository::key_of(&git_dir),
            sharing: OnceLock::new(),
            identity: [&top, &git_dir, &common_dir].map(|path| identity(path)),
            top,
            git_dir,
            common_dir,
            prefix,
        })
    }

    /// The key of the worktree with this git directory.
    pub fn key_of(git_dir: &Path) -> String {
        Sha1::of(git_dir.as_os_str().as_bytes())[..16].to_owned()
    }

    /// The same repository for the work tree `top`, under this key.
    #[must_use]
    pub fn with_top(self, top: PathBuf, key: String) -> Repository {
        let [_, git_dir, common_dir] = self.identity;
        Repository { identity: [identity(&top), git_dir, common_dir], top, key, ..self }
    }

    /// The same repository with the parts of another one that all its worktrees share.
    pub(super) fn sharing_with(self, common_dir: PathBuf) -> Repository {
        Repository { common_dir, ..self }
    }

    /// Whether references are plain files, which are read here.
    pub fn has_ref_files(&self) -> bool {
        self.refs == RefStorage::Files
    }

    /// Whether its git directory is the folder `.git` of its own work tree, and no link led there. What stands at `.git`
    /// now says nothing: it can have been a link when it was found.
    pub fn is_in_place(&self) -> bool {
        self.git_dir == self.top.join(".git")
    }

    /// Whether this is a worktree made by `git worktree add`.
    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// The first of its paths that belongs to another user, if any. Git itself does not trust such a
    /// repository.
    pub fn foreign_place(&self) -> Option<PathBuf> {
        let user = rustix::process::geteuid().as_raw();
        let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.uid() == user);
        let dot_git = self.top.join(".git");
        [&self.top, &dot_git, &self.git_dir, &self.common_dir].into_iter().find(|path| !is_own(path)).cloned()
    }

    /// Refuses bare repositories, and those in which a reader would hang.
    ///
    /// # Errors
    /// [`ReadProblem::NoRepository`], [`ReadProblem::NotAFile`] or [`ReadProblem::Refused`].
    pub fn check(&self, looks_at_work_tree: bool) -> Read<()> {
        self.check_beside(None, looks_at_work_tree)
    }

    /// The same, where `sibling` was checked just before: what a linked worktree shares with it is not checked again.
    ///
    /// # Errors
    /// As [`Repository::check`].
    pub fn check_beside(&self, sibling: Option<&Repository>, looks_at_work_tree: bool) -> Read<()> {
        if !sibling.is_some_and(|it| is_beside(it, &self.git_dir, &self.common_dir)) {
            self.check_shared()?;
        }
        for name in ["HEAD", "index", "logs/HEAD"] {
            check_file(&self.git_dir.join(name))?;
        }
        check_config(&self.git_dir.join("config.worktree"))?;
        if looks_at_work_tree {
            for name in ["info/exclude", "info/attributes"] {
                check_file(&self.common_dir.join(name))?;
            }
            for name in [".gitignore", ".gitattributes", ".gitmodules"] {
                check_file(&self.top.join(name))?;
            }
        }
        Ok(())
    }

    /// Checks what all worktrees of the repository share.
    fn check_shared(&self) -> Read<()> {
        if self.is_bare {
            return Err(bare());
        }
        for name in ["config", "packed-refs", "shallow", "info/grafts", "objects/info/alternates"] {
            check_file(&self.common_dir.join(name))?;
        }
        if let Some(path) = waited_for(&object_folders(&self.common_dir)) {
            return Err(not_a_file(&path));
        }
        for path in &self.named_files {
            check_config(path)?;
        }
        Ok(())
    }

    /// Checks that the work tree and the git directories are still the ones found first.
    ///
    /// # Errors
    /// [`ReadProblem::Refused`] if either was replaced.
    pub fn check_same(&self) -> Read<()> {
        let now = [&self.top, &self.git_dir, &self.common_dir].map(|path| identity(path));
        if now == self.identity && !now.contains(&None) {
            return Ok(());
        }
        let shown = display_text::path(&self.top);
        Err(trouble(ReadProblem::Refused, format!("{shown} is another folder than a moment ago")))
    }

    /// The two git directories, held open: a link that comes in their place leads nowhere else.
    ///
    /// # Errors
    /// One of them is a link or another folder by now, or any other I/O error.
    pub fn held(&self) -> io::Result<[Folder; 2]> {
        let [_, git_dir, common_dir] = self.identity;
        Ok([held(&self.git_dir, git_dir)?, held(&self.common_dir, common_dir)?])
    }

    /// The path of the index.
    pub fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// The lock file that git creates before it changes the index.
    pub fn index_lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// Whether anything exists at this path of the work tree.
    pub fn has(&self, path: &[u8]) -> bool {
        self.top.join(OsStr::from_bytes(path)).symlink_metadata().is_ok()
    }
}

fn resolved(folder: &Path) -> Read<PathBuf> {
    disk::resolve(folder).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            return trouble(ReadProblem::Io, "the folder does not exist");
        }
        file_trouble(folder, &error)
    })
}

fn bare() -> Unreadable {
    trouble(
        ReadProblem::NoRepository,
        "this is a bare repository: it has no work tree; name one of its worktrees instead",
    )
}

/// The format of the repository. If its configuration is a link, nothing but the format is used.
fn format_of(common_dir: &Path) -> Read<Format> {
    let path = common_dir.join("config");
    let (opened, is_link) = match disk::existing(disk::open_sized(&path)) {
        Err(error) if disk::file_problem(&error) == ReadProblem::Link => {
            (disk::existing(disk::open_linked(&path)).map(|file| file.map(|file| (file, 0))), true)
        }
        opened => (opened, false),
    };
    let read = |(file, length): (File, u64)| disk::read_sized(&file, length, CONFIG_CAP + 1);
    let text = opened.and_then(|file| file.map(read).transpose());
    let text = text.map_err(|error| file_trouble(&path, &error))?.unwrap_or_default();
    if text.len() as u64 > CONFIG_CAP {
        return Err(too_long(&path));
    }
    let format = Format::parse(&text)?;
    Ok(if is_link { Format { named_files: Vec::new(), ..format } } else { format })
}

/// Opens a folder that must be the one with this identity.
fn held(path: &Path, known: Option<(u64, u64)>) -> io::Result<Folder> {
    let folder = Folder::open_resolved(path)?;
    let stat = folder.stat(".")?;
    if known == Some((stat.st_dev, stat.st_ino)) {
        return Ok(folder);
    }
    let message = format!("{} is another folder than a moment ago", display_text::path(path));
    Err(io::Error::other(message))
}

/// Device and inode of a folder; `None` if it does not exist.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Whether a folder has what every git directory has.
pub fn looks_like_git_dir(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Whether the worktree with these directories is a linked one of the repository of `sibling`.
fn is_beside(sibling: &Repository, git_dir: &Path, common_dir: &Path) -> bool {
    sibling.common_dir == common_dir && git_dir != common_dir
}

/// Refuses a configuration, or a file that one names, that is no regular file or longer than any that is meant.
fn check_config(path: &Path) -> Read<()> {
    if check_file(path)? > CONFIG_CAP { Err(too_long(path)) } else { Ok(()) }
}

fn too_long(path: &Path) -> Unreadable {
    let detail = format!("{} is longer than {} MiB", display_text::path(path), CONFIG_CAP >> 20);
    trouble(ReadProblem::TooLarge, detail)
}

/// Refuses anything but a regular file, and gives its length. Links are followed, as git follows them, and a missing
/// file is fine.
fn check_file(path: &Path) -> Read<u64> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
        Ok(_) => Err(not_a_file(path)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(file_trouble(path, &error)),
        Err(_) => Ok(0),
    }
}
