//! Words for what keeps git from being read. Every failure of this module is such a value: a
//! repository that cannot be read is evidence, never "clean" (`SECURITY.md` 1.4).

use std::path::Path;

use super::index_file;
use super::layout::Layout;
use crate::model::{ReadProblem, Unreadable, display_text};

/// A reading, or why there is none.
pub(super) type Read<T> = Result<T, Unreadable>;

/// Git could not be read, for this reason.
pub(super) fn trouble(problem: ReadProblem, detail: impl Into<String>) -> Unreadable {
    Unreadable { name: "git".to_owned(), problem, detail: detail.into() }
}

/// A file that git needs could not be read.
pub(super) fn file_trouble(path: &Path, error: &std::io::Error) -> Unreadable {
    let problem = if error.kind() == std::io::ErrorKind::PermissionDenied {
        ReadProblem::Refused
    } else {
        ReadProblem::Io
    };
    trouble(problem, format!("cannot read {}: {error}", display_text::path(path)))
}

/// A FIFO, device, socket or folder stands where git expects a file; git would wait on it for ever.
pub(super) fn not_a_file(path: &Path) -> Unreadable {
    trouble(
        ReadProblem::NotAFile,
        format!(
            "{} is no regular file: git would hang on it or fail; put a file in its place",
            display_text::path(path)
        ),
    )
}

/// What libgit2 said of the repository of `layout`, with what to do where that is known.
pub(super) fn libgit2_trouble(layout: &Layout, error: &git2::Error) -> Unreadable {
    let is_of_system = matches!(error.class(), git2::ErrorClass::Os | git2::ErrorClass::Filesystem);
    let is_missing = matches!(error.code(), git2::ErrorCode::NotFound | git2::ErrorCode::Invalid);
    let problem = if error.code() == git2::ErrorCode::Owner {
        return foreign_owner();
    } else if is_unsupported(error) {
        ReadProblem::Unsupported
    } else if error.class() == git2::ErrorClass::Index {
        return index_file::damaged(layout, error.message());
    } else if error.class() == git2::ErrorClass::Config {
        return trouble(ReadProblem::Invalid, damaged_config(error.message()));
    } else if is_of_system && !is_missing {
        ReadProblem::Io
    } else {
        ReadProblem::Invalid
    };
    trouble(problem, error.message())
}

/// The repository belongs to somebody else; git's own rule, with what to do.
pub(super) fn foreign_owner() -> Unreadable {
    trouble(
        ReadProblem::Refused,
        "the repository belongs to another user, so its configuration is not trusted; if you trust it, run: \
         git config --global --add safe.directory <its path>",
    )
}

/// A configuration file is damaged; `said` names it, with the line.
pub(super) fn damaged_config(said: &str) -> String {
    format!(
        "a configuration file of git is damaged: {said}; mend or remove that line, then `git config --list` \
         shows whether git can read it"
    )
}

/// Whether libgit2 refused a format that the git program may know.
pub(super) fn is_unsupported(error: &git2::Error) -> bool {
    let message = error.message();
    message.contains("unsupported")
        || message.contains("unknown object format")
        || message.contains("not supported")
        || message.contains("unknown repository version")
        || message.contains("mandatory extension")
}
