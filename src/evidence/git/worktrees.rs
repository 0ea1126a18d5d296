//! Lists the worktrees of a repository from its files, without starting a program.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::git::{self, Read, Repository, file_trouble, trouble};
use crate::model::{ReadProblem, Unreadable, display_text};

/// A worktree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top folder, resolved if it exists.
    pub path: PathBuf,
    /// True for the main worktree, the one created with the repository.
    pub is_main: bool,
    /// Why it cannot be a workspace (its folder is missing, it points elsewhere), as a message.
    pub problem: Option<String>,
}

/// The worktrees of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktrees {
    /// The main one first, the others by path. A bare repository has no main worktree.
    pub found: Vec<Worktree>,
    /// The folder in which a new one would appear. It may not exist yet.
    pub folder: PathBuf,
    /// The folders in it that lack one of [`WORKTREE_FILES`].
    pub half_made: Vec<PathBuf>,
}

/// The files without which git does not recognise a linked worktree; git writes them one after the other.
pub const WORKTREE_FILES: [&str; 3] = ["gitdir", "HEAD", "commondir"];

/// All worktrees of the repository that contains `path`. Reads a few small files per worktree and starts no program.
///
/// # Errors
/// `NoRepository` if there is no repository; otherwise whatever kept its files from being read.
pub fn worktrees(path: &Path) -> Result<Worktrees, Unreadable> {
    let Some(repository) = find(path)? else {
        return Err(no_repository());
    };
    let mut found = Vec::new();
    if !repository.is_linked() && !repository.is_bare {
        found.push(Worktree { path: repository.top.clone(), is_main: true, problem: None });
    } else if repository.is_linked() {
        found.extend(main_of(&repository)?);
    }
    let folder = repository.common_dir.join("worktrees");
    let (mut linked, mut half_made) = (Vec::new(), Vec::new());
    match std::fs::read_dir(&folder) {
        Ok(entries) => {
            for git_dir in entries.flatten().map(|entry| entry.path()) {
                let worktree = linked_at(&git_dir);
                let has_rest = || WORKTREE_FILES[1..].iter().all(|name| git_dir.join(name).exists());
                if (worktree.is_none() || !has_rest()) && git_dir.is_dir() {
                    half_made.push(git_dir);
                }
                linked.extend(worktree);
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(file_trouble(&folder, &error)),
    }
    linked.sort_by(|one, other| one.path.cmp(&other.path));
    found.extend(linked);
    Ok(Worktrees { found, folder, half_made })
}

/// The top of the work tree that contains `path`; `None` for a bare repository. Looks at no other work tree of
/// the repository.
///
/// # Errors
/// As [`worktrees`].
pub fn work_tree(path: &Path) -> Result<Option<PathBuf>, Unreadable> {
    match find(path)? {
        Some(repository) => Ok((!repository.is_bare).then_some(repository.top)),
        None => Err(no_repository()),
    }
}

fn no_repository() -> Unreadable {
    trouble(ReadProblem::NoRepository, "no git repository is here")
}

/// The repository of `path`; also a bare one, for its linked worktrees.
fn find(path: &Path) -> Read<Option<Repository>> {
    let is_bare_itself =
        path.join("HEAD").is_file() && path.join("objects").is_dir() && !path.join(".git").exists();
    if is_bare_itself {
        let git_dir = disk::resolve(path).map_err(|error| file_trouble(path, &error))?;
        let mut repository = Repository::at(git_dir.clone(), git_dir, PathBuf::new())?;
        repository.is_bare = true;
        return Ok(Some(repository));
    }
    Repository::find(path)
}

/// The main worktree of a linked one's repository; `None` if bare, or if its git directory is not `.git`.
fn main_of(repository: &Repository) -> Read<Option<Worktree>> {
    let is_dot_git = repository.common_dir.file_name().is_some_and(|name| name == ".git");
    let Some(top) = repository.common_dir.parent().filter(|_| is_dot_git) else { return Ok(None) };
    let main = Repository::at(top.to_path_buf(), repository.common_dir.clone(), PathBuf::new())?;
    Ok((!main.is_bare).then_some(Worktree { path: main.top, is_main: true, problem: None }))
}

/// The worktree whose git directory is `git_dir`; `None` if there is none.
fn linked_at(git_dir: &Path) -> Option<Worktree> {
    let text = git::read_small(git_dir, "gitdir").ok()??;
    let dot_git = git::resolve(git_dir, &text);
    let top = dot_git.parent().map(Path::to_path_buf).unwrap_or_default();
    let problem = problem_of(git_dir, &dot_git, &top);
    Some(Worktree { path: top, is_main: false, problem })
}

fn problem_of(git_dir: &Path, dot_git: &Path, top: &Path) -> Option<String> {
    if !top.is_dir() {
        return Some(if git_dir.join("locked").is_file() {
            "its folder is not there and it is locked, so it may come back".to_owned()
        } else {
            "its folder is gone; `git worktree prune` forgets it".to_owned()
        });
    }
    let back = match git::read_small(top, ".git") {
        Ok(Some(text)) => text.strip_prefix(b"gitdir:").map(|target| git::resolve(top, target)),
        Ok(None) => return Some("its .git file is gone; `git worktree repair` makes it again".to_owned()),
        Err(unreadable) => return Some(unreadable.detail),
    };
    // Both are resolved already, unless a folder on the way to `git_dir` is a link.
    let is_back =
        back.is_some_and(|back| back == git_dir || disk::resolve(&back).ok() == disk::resolve(git_dir).ok());
    (!is_back).then(|| {
        format!("{} names another repository; `git worktree repair` may mend it", display_text::path(dot_git))
    })
}
