//! Adapts libgit2 to the in-process reader: which configuration it reads, what its errors mean, and how its
//! statuses map to [`ChangeKind`].
//!
//! It must not repeat what a libgit2 error may quote from a file outside the repository.

use std::path::Path;

use git2::{Config, ConfigLevel, Delta, Status, StatusOptions, StatusShow};

use super::reader::Entry;
use crate::git::{Gitlink, Repository, damaged_config, damaged_index, foreign_owner, not_repeated, trouble};
use crate::model::{ChangeKind, ReadProblem, Unreadable};

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

/// What a status of libgit2 tells: how HEAD, index and work tree differ, as far as `show` asks.
pub(super) fn all_statuses(
    repo: &git2::Repository,
    gitlinks: &[Gitlink],
    show: StatusShow,
) -> Result<Vec<Entry>, git2::Error> {
    let mut options = StatusOptions::new();
    options.show(show);
    options.include_untracked(true).recurse_untracked_dirs(false).update_index(false);
    options.include_ignored(false).include_unmodified(false).include_unreadable(false);
    // libgit2 would enter submodules according to settings that the agent can write (`ignore`), and block
    // on a named pipe there.
    options.exclude_submodules(!gitlinks.is_empty());
    let statuses = repo.statuses(Some(&mut options))?;
    let mut entries = Vec::with_capacity(statuses.len());
    for entry in statuses.iter() {
        let path = entry.path_bytes();
        let status = entry.status();
        let mut unstaged = unstaged_kind(status);
        // In a conflict over a submodule, libgit2 takes the folder for an untracked repository.
        let is_link = |link: &Gitlink| path.strip_suffix(b"/") == Some(link.path.as_slice());
        if unstaged == Some(ChangeKind::Untracked) && gitlinks.iter().any(is_link) {
            unstaged = None;
        }
        let staged = staged_kind(status);
        if staged.is_some() || unstaged.is_some() {
            entries.push(Entry { path: path.to_vec(), staged, unstaged });
        }
    }
    Ok(entries)
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

/// How the index differs from HEAD.
fn staged_kind(status: Status) -> Option<ChangeKind> {
    if status.is_conflicted() {
        None
    } else if status.is_index_new() {
        Some(ChangeKind::Added)
    } else if status.is_index_deleted() {
        Some(ChangeKind::Deleted)
    } else if status.is_index_typechange() {
        Some(ChangeKind::TypeChanged)
    } else if status.is_index_modified() {
        Some(ChangeKind::Modified)
    } else if status.is_index_renamed() {
        Some(ChangeKind::Renamed)
    } else {
        None
    }
}

/// How the work tree differs from the index.
fn unstaged_kind(status: Status) -> Option<ChangeKind> {
    if status.is_conflicted() {
        Some(ChangeKind::Conflicted)
    } else if status.is_wt_new() {
        Some(ChangeKind::Untracked)
    } else if status.is_wt_deleted() {
        Some(ChangeKind::Deleted)
    } else if status.is_wt_typechange() {
        Some(ChangeKind::TypeChanged)
    } else if status.is_wt_modified() || status.contains(Status::WT_UNREADABLE) {
        Some(ChangeKind::Modified)
    } else if status.is_wt_renamed() {
        Some(ChangeKind::Renamed)
    } else {
        None
    }
}

/// What a difference between index and work tree is; the same as [`unstaged_kind`] makes of its status.
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
