//! What git asks of the file HEAD before it takes a folder for a git directory.
//!
//! It must not follow a link or wait for what is no file, and returns no text of the file.

use std::path::Path;

use super::file::read_small;
use super::object_id::is_id;
use crate::model::{ReadProblem, display_text};

/// What to do where git can use nothing because of HEAD.
pub(super) const TO_MEND_HEAD: &str =
    "git can use nothing here until HEAD is a file with the line `ref: refs/heads/BRANCH`";

/// Why git takes this folder for no git directory because of its HEAD, and what to do about it; `None` if it does not.
pub fn head_in_the_way(git_dir: &Path) -> Option<String> {
    let path = git_dir.join("HEAD");
    let is_branch = |name: &[u8]| name.trim_ascii_start().starts_with(b"refs/");
    let why = match read_small(git_dir, "HEAD") {
        Ok(None) => "is missing".to_owned(),
        Ok(Some(text)) => {
            let id = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            if text.strip_prefix(b"ref:").is_some_and(is_branch) || is_id(&String::from_utf8_lossy(id)) {
                return None;
            }
            "names no branch and no commit".to_owned()
        }
        Err(unreadable) if unreadable.problem == ReadProblem::Link => match path.read_link() {
            Ok(target) if target.starts_with("refs") => return None,
            Ok(_) | Err(_) => "is a symbolic link that leads to no branch".to_owned(),
        },
        Err(unreadable) if unreadable.problem == ReadProblem::NotAFile => "is no file".to_owned(),
        Err(unreadable) => format!("cannot be used ({})", unreadable.detail),
    };
    let shown = display_text::path(&path);
    Some(format!("{shown} {why}; {TO_MEND_HEAD}"))
}
