//! Problems that keep a repository from being read. Every failure becomes such a value, so an unreadable
//! repository is never taken for a clean one (`SECURITY.md` 1.4).

use std::io;
use std::path::Path;

use crate::disk;
use crate::model::{ReadProblem, Unreadable, display_text};

/// What was read, or why it could not be.
pub type Read<T> = Result<T, Unreadable>;

/// The problem that git could not be read.
pub fn trouble(problem: ReadProblem, detail: impl Into<String>) -> Unreadable {
    Unreadable { name: "git".to_owned(), problem, detail: detail.into() }
}

/// The problem of a file that git needs and that could not be opened or read.
pub fn file_trouble(path: &Path, error: &io::Error) -> Unreadable {
    let shown = display_text::path(path);
    let problem = disk::file_problem(error);
    if problem == ReadProblem::NotAFile {
        return not_a_file(path);
    }
    if problem == ReadProblem::Link {
        let detail =
            format!("{shown} is a symbolic link, or a folder on the way to it is one; it is not followed");
        return trouble(problem, detail);
    }
    trouble(problem, format!("cannot read {shown}: {error}"))
}

/// The problem of a file of closeout's own that could not be written.
pub(super) fn write_trouble(path: &Path, error: &io::Error) -> Unreadable {
    trouble(ReadProblem::Io, format!("cannot write {}: {error}", display_text::path(path)))
}

/// The problem of a FIFO, device, socket or folder in the place of a file. Git would wait for it forever.
pub fn not_a_file(path: &Path) -> Unreadable {
    let shown = display_text::path(path);
    trouble(
        ReadProblem::NotAFile,
        format!("{shown} is no regular file: git would hang on it or fail; put a file in its place"),
    )
}

/// The problem of a repository that belongs to someone else, by git's own rule, and what to do about it.
pub fn foreign_owner() -> Unreadable {
    trouble(
        ReadProblem::Refused,
        "the repository belongs to another user, so its configuration is not trusted; if you trust it, run: \
         git config --global --add safe.directory <its path>",
    )
}

/// Describes a damaged configuration file; `message` names it and the line.
pub fn damaged_config(message: &str) -> String {
    format!(
        "a configuration file of git is damaged: {message}; mend or remove that line, then `git config --list` \
         shows whether git can read it"
    )
}

/// The text that replaces a message which could quote a file behind a link in the git directory.
pub fn not_repeated(link: &Path) -> String {
    let shown = display_text::path(link);
    format!("fatal: {shown} is a symbolic link, so what git says of it is not repeated here")
}
