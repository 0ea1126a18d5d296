//! What keeps a repository from being read. Every failure is such a value: a repository that cannot be read is never
//! taken for a clean one (`SECURITY.md` 1.4).

use std::io;
use std::path::Path;

use crate::disk;
use crate::model::{ReadProblem, Unreadable, display_text};

/// A reading, or why there is none.
pub type Read<T> = Result<T, Unreadable>;

/// Git could not be read, for this reason.
pub fn trouble(problem: ReadProblem, detail: impl Into<String>) -> Unreadable {
    Unreadable { name: "git".to_owned(), problem, detail: detail.into() }
}

/// A file that git needs could not be opened or read.
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

/// A file of closeout's own could not be written.
pub(super) fn write_trouble(path: &Path, error: &io::Error) -> Unreadable {
    trouble(ReadProblem::Io, format!("cannot write {}: {error}", display_text::path(path)))
}

/// A FIFO, device, socket or folder stands where git expects a file; git would wait on it for ever.
pub fn not_a_file(path: &Path) -> Unreadable {
    let shown = display_text::path(path);
    trouble(
        ReadProblem::NotAFile,
        format!("{shown} is no regular file: git would hang on it or fail; put a file in its place"),
    )
}

/// The repository belongs to somebody else; git's own rule, with what to do.
pub fn foreign_owner() -> Unreadable {
    trouble(
        ReadProblem::Refused,
        "the repository belongs to another user, so its configuration is not trusted; if you trust it, run: \
         git config --global --add safe.directory <its path>",
    )
}

/// A configuration file is damaged; `message` names it, with the line.
pub fn damaged_config(message: &str) -> String {
    format!(
        "a configuration file of git is damaged: {message}; mend or remove that line, then `git config --list` \
         shows whether git can read it"
    )
}
