//! Which configuration libgit2 reads: the user's from the home that was named, the repository's own
//! only as far as it decides whether a file differs.

use std::path::Path;

use git2::{Config, ConfigLevel};

use crate::git::Repository;

/// Makes libgit2 read the user's configuration in `home`, if it would not by itself.
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
