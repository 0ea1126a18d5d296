//! Which workspaces an entry of the user's file is for. Pure; linear in the length of the path.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use regex::bytes::Regex;

use crate::disk::push_name;

/// The longest pattern accepted, in bytes.
const MAX_PATTERN: usize = 4096;

/// An absolute path in which `*` and `?` match within one folder and `**` matches any number of folders,
/// including none.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// Parses a pattern. The error says what is wrong, in words that follow the key.
    pub(super) fn parse(text: &str, home: Option<&Path>) -> Result<Pattern, String> {
        let mut rule = String::from("(?s)^");
        let rest = match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => {
                rule.push_str(&home_rule(home)?);
                rest
            }
            (Some(_), None) => return Err("begins with `~/`, and no home directory is known".to_owned()),
            (None, _) => text.strip_prefix('/').ok_or_else(|| {
                "must be an absolute path or begin with `~/`; `*` and `?` match within one folder, `**` any \
                 folders"
                    .to_owned()
            })?,
        };
        if text.len() > MAX_PATTERN {
            return Err(format!("is longer than {MAX_PATTERN} bytes"));
        }
        for folder in rest.split('/').filter(|folder| !folder.is_empty() && *folder != ".") {
            match folder {
                ".." => return Err("must have no `..` in it".to_owned()),
                "**" => rule.push_str("(?-u:/.*)?"),
                name => {
                    rule.push('/');
                    push_name(&mut rule, name);
                }
            }
        }
        rule.push('$');
        Regex::new(&rule).map(Pattern).map_err(|_| "is too long".to_owned())
    }

    /// Whether the pattern matches this workspace.
    pub(super) fn matches(&self, workspace: &Path) -> bool {
        self.0.is_match(workspace.as_os_str().as_bytes())
    }
}

fn home_rule(home: &Path) -> Result<String, String> {
    let home = home
        .to_str()
        .ok_or_else(|| "begins with `~/`, and the home directory has no name in UTF-8".to_owned())?;
    Ok(regex::escape(home.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::parse(pattern, Some(Path::new("/home/ann.b/"))).unwrap().matches(Path::new(path))
    }

    #[test]
    fn stars_stay_in_one_folder_and_double_stars_do_not() {
        assert!(matches("/w/*", "/w/a"));
        assert!(!matches("/w/*", "/w/a/b"));
        assert!(!matches("/w/*", "/w"));
        assert!(matches("/w/**", "/w"));
        assert!(matches("/w/**", "/w/a/b"));
        assert!(!matches("/w/**", "/wide"));
        assert!(matches("/w/**/x", "/w/a/b/x"));
        assert!(matches("/w/**/x", "/w/x"));
        assert!(matches("/w/?-作業/", "/w/a-作業"));
    }

    #[test]
    fn the_home_directory_is_taken_by_its_letters() {
        assert!(matches("~/app", "/home/ann.b/app"));
        assert!(!matches("~/app", "/home/annxb/app"));
    }

    #[test]
    fn what_is_no_absolute_path_is_refused() {
        for pattern in ["", "app", "~", "~bob/x", "./a", "/a/../b"] {
            assert!(Pattern::parse(pattern, Some(Path::new("/home/a"))).is_err(), "{pattern:?}");
        }
        assert!(Pattern::parse("~/a", None).is_err());
    }
}
