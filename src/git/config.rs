//! Reads the git configuration, as text. Nothing here acts on it.

use super::call_error::{GitError, succeeded};
use super::runner::{Git, Stdin};
use crate::process::Output;

/// One setting, in the order in which git reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// Section and name in lower case; a subsection between them keeps its case.
    pub key: String,
    /// Its value; `true` for a key without one.
    pub value: String,
    /// Whether it comes from the repository's own files, or from one they include.
    pub is_own: bool,
}

/// All settings that apply to a repository, including files it includes.
///
/// # Errors
/// Git did not respond, or cannot read a file.
pub fn config_entries(git: &Git<'_>) -> Result<Vec<ConfigEntry>, GitError> {
    Ok(entries_of(&succeeded("config", config_list(git)?)?))
}

/// What git answers when it is asked for all settings.
///
/// # Errors
/// Git gave no answer. One that it could not give is in the output.
pub fn config_list(git: &Git<'_>) -> Result<Output, GitError> {
    git.real(["config", "--list", "--show-scope", "-z", "--includes"], Stdin::Lock)
}

/// The settings in an answer to [`config_list`].
pub fn entries_of(output: &Output) -> Vec<ConfigEntry> {
    parse(&output.stdout)
}

/// Parses alternating scopes and settings, each terminated by NUL. A line feed separates key and value.
fn parse(answer: &[u8]) -> Vec<ConfigEntry> {
    let mut fields = answer.split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let text = String::from_utf8_lossy(setting);
        let (key, value) = text.split_once('\n').unwrap_or((&text, "true"));
        let is_own = scope == b"local" || scope == b"worktree";
        entries.push(ConfigEntry { key: key.to_owned(), value: value.to_owned(), is_own });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_told_with_where_it_stands() {
        let answer = b"global\0core.filemode\nfalse\0local\0core.bare\0worktree\0filter.X.clean\na\nb\0";
        let entries = parse(answer);
        let shown: Vec<_> = entries.iter().map(|it| (&*it.key, &*it.value, it.is_own)).collect();
        assert_eq!(
            shown,
            [
                ("core.filemode", "false", false),
                ("core.bare", "true", true),
                ("filter.X.clean", "a\nb", true)
            ]
        );
    }
}
