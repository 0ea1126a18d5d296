//! What git says is configured, as text. Nothing of it is obeyed here.

use super::runner::{Git, GitError, Stdin, succeeded};

/// One line of the configuration, in the order in which git reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// Section and name in lower case, with what stands between them as it is written.
    pub key: String,
    /// Its value; a key without one is `true`.
    pub value: String,
    /// It stands in the repository's own files, or in one that these include.
    pub is_own: bool,
}

/// Everything that is configured for a repository, with what is included.
///
/// # Errors
/// Git gave no answer, or cannot read a file.
pub fn config_entries(git: &Git<'_>) -> Result<Vec<ConfigEntry>, GitError> {
    let output = git.real(["config", "--list", "--show-scope", "-z", "--includes"], Stdin::Lock)?;
    Ok(parse(&succeeded("config", output)?.stdout))
}

/// Scope and setting by turns, each ended by a NUL; key and value are split by a line feed.
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
