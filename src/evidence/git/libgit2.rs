//! Adapts libgit2 to the in-process reader: which configuration it reads, what its errors mean, and how its
//! differences map to [`ChangeKind`].
//!
//! It must not repeat what a libgit2 error may quote from a file outside the repository.

use std::path::Path;

use git2::{Config, ConfigLevel, Delta, Oid};

use crate::git::{Repository, damaged_config, damaged_index, foreign_owner, not_repeated, trouble};
use crate::model::{ChangeKind, CommitId, ReadProblem, Unreadable};

/// libgit2's form of an id.
pub(super) fn oid(id: CommitId) -> Result<Oid, git2::Error> {
    Oid::from_bytes(id.as_bytes())
}

/// The commit that libgit2 calls `oid`.
pub(super) fn id_of(oid: Oid) -> Result<CommitId, git2::Error> {
    CommitId::of_bytes(oid.as_bytes()).ok_or_else(|| git2::Error::from_str("the null id names no commit"))
}

/// Makes libgit2 read the user's configuration in `home`, unless it would do so by itself.
pub(super) fn use_home(
    handle: &git2::Repository,
    repository: &Repository,
    home: Option<&Path>,
) -> Result<(), git2::Error> {
    if is_own_home(home) { Ok(()) } else { handle.set_config(&config_under(repository, home)?) }
}

/// Whether libgit2 finds the user's configuration in this home by itself.
fn is_own_home(home: Option<&Path>) -> bool {
    let in_home = |name: &str| home.map(|home| home.join(name)).filter(|path| path.is_file());
    match Config::find_global() {
        Ok(found) => Some(found) == in_home(".gitconfig"),
        Err(_) if in_home(".gitconfig").is_some() => false,
        Err(_) => Config::find_xdg().ok() == in_home(".config/git/config"),
    }
}

/// The configuration of a repository that has no settings of a single worktree.
pub(super) fn config_of(repository: &Repository, home: Option<&Path>) -> Result<Config, git2::Error> {
    if !is_own_home(home) {
        return config_under(repository, home);
    }
    let mut config = Config::open_default()?;
    config.add_file(&repository.common_dir.join("config"), ConfigLevel::Local, false)?;
    Ok(config)
}

/// The configuration of a repository for a user whose home is not this process's own.
fn config_under(repository: &Repository, home: Option<&Path>) -> Result<Config, git2::Error> {
    let mut config = Config::new()?;
    let user = home.map(|home| {
        [(home.join(".config/git/config"), ConfigLevel::XDG), (home.join(".gitconfig"), ConfigLevel::Global)]
    });
    let own = [
        (repository.common_dir.join("config"), ConfigLevel::Local),
        (repository.git_dir.join("config.worktree"), ConfigLevel::Worktree),
    ];
    for (path, level) in user.into_iter().flatten().chain(own) {
        if path.is_file() {
            config.add_file(&path, level, false)?;
        }
    }
    Ok(config)
}

/// Converts a libgit2 error; adds what to do where that is known.
pub(super) fn libgit2_trouble(repository: &Repository, error: &git2::Error) -> Unreadable {
    let is_of_system = matches!(error.class(), git2::ErrorClass::Os | git2::ErrorClass::Filesystem);
    let is_missing = matches!(error.code(), git2::ErrorCode::NotFound | git2::ErrorCode::Invalid);
    let link = repository.linked_file();
    let message = link.map_or_else(|| error.message().to_owned(), |link| not_repeated(&link));
    let problem = if error.code() == git2::ErrorCode::Owner {
        return foreign_owner();
    } else if is_unsupported(error) {
        ReadProblem::Unsupported
    } else if error.class() == git2::ErrorClass::Index {
        return damaged_index(repository, &message);
    } else if error.class() == git2::ErrorClass::Config {
        return trouble(ReadProblem::Invalid, damaged_config(&message));
    } else if is_of_system && !is_missing {
        ReadProblem::Io
    } else {
        ReadProblem::Invalid
    };
    trouble(problem, message)
}

/// Whether libgit2 refused a format that the git program may know.
pub(super) fn is_unsupported(error: &git2::Error) -> bool {
    let message = error.message();
    message.contains("unsupported")
        || message.contains("unknown object format")
        || message.contains("not supported")
        || message.contains("unknown repository version")
        || message.contains("mandatory extension")
        // Folders more than a hundred deep.
        || message.contains("nesting too deep")
}

/// What a difference between HEAD and index is.
pub(super) fn staged_kind(delta: Delta) -> Option<ChangeKind> {
    match delta {
        Delta::Added => Some(ChangeKind::Added),
        Delta::Deleted => Some(ChangeKind::Deleted),
        Delta::Modified => Some(ChangeKind::Modified),
        Delta::Typechange => Some(ChangeKind::TypeChanged),
        Delta::Renamed => Some(ChangeKind::Renamed),
        // Conflicts show in the work tree.
        Delta::Conflicted
        | Delta::Copied
        | Delta::Ignored
        | Delta::Unmodified
        | Delta::Unreadable
        | Delta::Untracked => None,
    }
}

/// What a difference between index and work tree is.
pub(super) fn delta_kind(delta: Delta) -> Option<ChangeKind> {
    match delta {
        Delta::Conflicted => Some(ChangeKind::Conflicted),
        Delta::Untracked | Delta::Added | Delta::Copied => Some(ChangeKind::Untracked),
        Delta::Deleted => Some(ChangeKind::Deleted),
        Delta::Typechange => Some(ChangeKind::TypeChanged),
        Delta::Modified | Delta::Unreadable => Some(ChangeKind::Modified),
        Delta::Renamed => Some(ChangeKind::Renamed),
        Delta::Unmodified | Delta::Ignored => None,
    }
}
