//! The settings of a repository that decide whether a file differs, for a reader that sees none of its other settings.
//!
//! It must not return a setting that runs a program.

use git2::Config;

use crate::git::{self, Git, GitError, Repository, Setting};

/// The `core` settings of the repository that the shadow keeps: those that decide whether a file differs.
const NEEDED: [&str; 15] = [
    "autocrlf", "bigfilethreshold", "checkroundtripencoding", "checkstat", "eol", "excludesfile", "filemode",
    "ignorecase", "ignorestat", "precomposeunicode", "sparsecheckout", "sparsecheckoutcone", "symlinks",
    "trustctime", "untrackedcache",
];

/// What the names of settings begin with that include other files.
const INCLUDE: &[u8] = b"include";

/// The settings that the shadow keeps, with includes resolved. `is_careful` leaves the reading to git.
///
/// # Errors
/// Git did not respond, or cannot read a file.
pub(super) fn kept(git: &Git<'_>, is_careful: bool) -> Result<Vec<Setting>, GitError> {
    let own = if let Some(own) = of_one_file(git.repo).filter(|_| !is_careful) {
        own
    } else {
        let own = git::config_entries(git)?.into_iter().filter(|entry| entry.is_own);
        own.map(|entry| (entry.key, entry.value)).collect()
    };
    let of_core =
        own.into_iter().filter_map(|(key, value)| Some((key.strip_prefix("core.")?.to_owned(), value)));
    let is_usable =
        |(name, value): &Setting| git::rule_file_in_the_way(name, value, &git.repo.top, git.home).is_none();
    Ok(of_core.filter(|it| NEEDED.contains(&it.0.as_str()) && is_usable(it)).collect())
}

/// The repository's own settings, in the order in which git reads them; `None` where only git can tell: they are of several
/// files, or damaged.
fn of_one_file(repository: &Repository) -> Option<Vec<Setting>> {
    let has_own = repository.git_dir.join("config.worktree").symlink_metadata().is_ok();
    let text = git::read_small(&repository.common_dir, "config").ok()??;
    if has_own || text.to_ascii_lowercase().windows(INCLUDE.len()).any(|part| part == INCLUDE) {
        return None;
    }
    let config = Config::open(&repository.common_dir.join("config")).ok()?;
    let mut settings = Vec::new();
    config
        .entries(None)
        .ok()?
        .for_each(|entry| {
            let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            let value =
                if entry.has_value() { String::from_utf8_lossy(entry.value_bytes()) } else { "true".into() };
            settings.push((name, value.into_owned()));
        })
        .ok()?;
    Some(settings)
}
