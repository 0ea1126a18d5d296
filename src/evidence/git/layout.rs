//! Where a repository keeps what: top of the work tree, git directory, common directory, formats.
//!
//! Everything here is plain file reading that cannot hang: files are opened without waiting and must
//! be regular. A folder without `.git` is never taken for a repository, even if it looks like a bare
//! one: its configuration could name programs (`SECURITY.md` 1.2).

use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::trouble::{Read, file_trouble, not_a_file, trouble};
use crate::disk;
use crate::model::{ReadProblem, display_text};

/// The most that is read of a file that git keeps small.
const SMALL: u64 = 64 << 10;

/// Where a repository keeps what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The top of the work tree: the folder that holds `.git`.
    pub(super) top: PathBuf,
    /// The git directory of this worktree.
    pub(super) git_dir: PathBuf,
    /// The git directory that all worktrees share; the same for the main one.
    pub(super) common_dir: PathBuf,
    /// The workspace, from the top.
    pub(super) prefix: PathBuf,
    /// References are kept as reftable.
    pub(super) is_reftable: bool,
    /// Object ids are SHA-256.
    pub(super) is_sha256: bool,
    /// Files that the configuration names and every reader opens.
    pub(super) named_files: Vec<PathBuf>,
    /// The repository has no work tree of its own (linked worktrees may still exist).
    pub(super) is_bare: bool,
}

impl Layout {
    /// The repository that `workspace` lies in; `None` when there is none.
    pub(super) fn find(workspace: &Path) -> Read<Option<Layout>> {
        let start = match workspace.canonicalize() {
            Ok(start) => start,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(trouble(ReadProblem::Io, "the folder does not exist"));
            }
            Err(error) => return Err(file_trouble(workspace, &error)),
        };
        let device = start.metadata().map_err(|error| file_trouble(&start, &error))?.dev();
        for folder in start.ancestors() {
            // Git does not search beyond a file system either.
            if !folder.metadata().is_ok_and(|metadata| metadata.dev() == device) {
                break;
            }
            if let Some(git_dir) = git_dir_of(folder)? {
                let prefix = start.strip_prefix(folder).unwrap_or(Path::new("")).to_path_buf();
                return Layout::at(folder.to_path_buf(), git_dir, prefix).map(Some);
            }
        }
        if looks_like_git_dir(&start) {
            return Err(bare());
        }
        Ok(None)
    }

    /// The layout of the worktree at `top`, whose git directory is known.
    pub(super) fn at(top: PathBuf, git_dir: PathBuf, prefix: PathBuf) -> Read<Layout> {
        let common_dir = match read_small(&git_dir.join("commondir"))? {
            Some(text) => resolve(&git_dir, &text),
            None => git_dir.clone(),
        };
        let config_path = common_dir.join("config");
        let format = Format::parse(&read_small(&config_path)?.unwrap_or_default());
        Ok(Layout {
            is_bare: format.is_bare && git_dir == common_dir,
            is_reftable: format.is_reftable,
            is_sha256: format.is_sha256,
            // Names are seen from the folder of the file that names them.
            named_files: format.named_files.iter().map(|name| common_dir.join(name)).collect(),
            top,
            git_dir,
            common_dir,
            prefix,
        })
    }

    /// Whether this is a worktree made by `git worktree add`.
    pub(super) fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// Whether everything belongs to this user, as git itself demands.
    pub(super) fn is_own(&self) -> bool {
        let user = rustix::process::geteuid().as_raw();
        let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.uid() == user);
        is_own(&self.top)
            && is_own(&self.top.join(".git"))
            && is_own(&self.git_dir)
            && is_own(&self.common_dir)
    }

    /// Refuses repositories in which a reader would hang, and bare ones.
    pub(super) fn check(&self, looks_at_work_tree: bool) -> Read<()> {
        if self.is_bare {
            return Err(bare());
        }
        for name in ["HEAD", "index", "config.worktree", "logs/HEAD"] {
            check_file(&self.git_dir.join(name))?;
        }
        for name in ["config", "packed-refs", "shallow", "objects/info/alternates"] {
            check_file(&self.common_dir.join(name))?;
        }
        for path in &self.named_files {
            check_file(path)?;
        }
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

    /// How many entries the index has, by its header; `None` when there is no readable index.
    pub(super) fn n_index_entries(&self) -> Option<u32> {
        let header = read_regular(&self.git_dir.join("index"), 12).ok()??;
        let (signature, rest) = header.split_at_checked(4)?;
        let n_entries = rest.get(4..8)?.try_into().map(u32::from_be_bytes).ok()?;
        (signature == b"DIRC").then_some(n_entries)
    }
}

/// What the words say of a repository without a work tree.
fn bare() -> crate::model::Unreadable {
    trouble(
        ReadProblem::NoRepository,
        "this is a bare repository: it has no work tree; name one of its worktrees instead",
    )
}

/// What the shared configuration says of formats. Git reads these keys without includes.
#[derive(Default)]
struct Format {
    named_files: Vec<PathBuf>,
    is_bare: bool,
    is_reftable: bool,
    is_sha256: bool,
}

impl Format {
    fn parse(text: &[u8]) -> Format {
        let mut format = Format::default();
        let mut section = String::new();
        for line in String::from_utf8_lossy(text).lines() {
            let mut line = line.trim();
            if let Some(rest) = line.strip_prefix('[') {
                let Some((name, rest)) = rest.split_once(']') else { continue };
                section = name.trim().to_ascii_lowercase();
                line = rest.trim();
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let key = key.trim().to_ascii_lowercase();
            let value = value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches('"');
            let is_true = ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word));
            match (section.as_str(), key.as_str()) {
                ("core", "bare") => format.is_bare = is_true,
                ("extensions", "refstorage") => {
                    format.is_reftable = value.to_ascii_lowercase().starts_with("reftable");
                }
                ("core", "excludesfile" | "attributesfile") => format.named_files.push(PathBuf::from(value)),
                (section, "path") if section.starts_with("include") => {
                    format.named_files.push(PathBuf::from(value));
                }
                ("extensions", "objectformat") => format.is_sha256 = value.eq_ignore_ascii_case("sha256"),
                _ => {}
            }
        }
        format
    }
}

/// The git directory that `folder/.git` is or names; `None` when the search goes on above.
pub(super) fn git_dir_of(folder: &Path) -> Read<Option<PathBuf>> {
    let dot_git = folder.join(".git");
    let metadata = match dot_git.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(file_trouble(&dot_git, &error));
        }
        Err(_) => return Ok(None),
    };
    if metadata.is_dir() {
        return git_dir_is(&dot_git);
    }
    let Some(text) = read_small(&dot_git)? else { return Ok(None) };
    let Some(target) = text.strip_prefix(b"gitdir:") else {
        return Err(trouble(
            ReadProblem::Invalid,
            format!("{} does not name a git directory", display_text::path(&dot_git)),
        ));
    };
    let git_dir = resolve(folder, target);
    match git_dir_is(&git_dir)? {
        Some(git_dir) => Ok(Some(git_dir)),
        None => Err(trouble(
            ReadProblem::NoRepository,
            format!(
                "the git directory {} of this worktree is gone; `git worktree repair` may find it",
                display_text::path(&git_dir)
            ),
        )),
    }
}

/// `git_dir` itself when it is one; an error when it was one and lost its HEAD.
fn git_dir_is(git_dir: &Path) -> Read<Option<PathBuf>> {
    match git_dir.join("HEAD").symlink_metadata() {
        Ok(_) => Ok(Some(git_dir.to_path_buf())),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(file_trouble(&git_dir.join("HEAD"), &error))
        }
        Err(_) if git_dir.join("objects").is_dir() || git_dir.join("commondir").is_file() => Err(trouble(
            ReadProblem::Invalid,
            format!("{} is missing: the repository is damaged", display_text::path(&git_dir.join("HEAD"))),
        )),
        Err(_) => Ok(None),
    }
}

fn looks_like_git_dir(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// The path that `text` (of a `gitdir` or `commondir` file) names, seen from `base`.
pub(super) fn resolve(base: &Path, text: &[u8]) -> PathBuf {
    let path = base.join(std::ffi::OsStr::from_bytes(text.trim_ascii()));
    path.canonicalize().unwrap_or(path)
}

/// The content of a small regular file; `None` when it does not exist.
pub(super) fn read_small(path: &Path) -> Read<Option<Vec<u8>>> {
    read_regular(path, SMALL)
}

/// The first `cap` bytes of a regular file; `None` when it does not exist.
pub(super) fn read_regular(path: &Path, cap: u64) -> Read<Option<Vec<u8>>> {
    opened(path, |file| disk::read_start(file, cap))
}

/// The last `cap` bytes of a regular file, and whether that is all; `None` when it does not exist.
pub(super) fn read_tail(path: &Path, cap: u64) -> Read<Option<(Vec<u8>, bool)>> {
    opened(path, |file| disk::read_end(file, cap))
}

/// What `read` finds in a file that is opened without waiting on it, through links, as git does. `None` when
/// it does not exist, an error when it is not regular.
fn opened<T>(path: &Path, read: impl FnOnce(&File) -> std::io::Result<T>) -> Read<Option<T>> {
    let found =
        disk::existing(disk::open_linked(path)).and_then(|file| file.map(|file| read(&file)).transpose());
    found.map_err(|error| match disk::thing_in_the_way(&error) {
        Some(_) => not_a_file(path),
        None => file_trouble(path, &error),
    })
}

/// Refuses what is there and is no regular file; links are followed, as readers follow them.
fn check_file(path: &Path) -> Read<()> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(not_a_file(path)),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Err(file_trouble(path, &error)),
        Err(_) => Ok(()),
    }
}
