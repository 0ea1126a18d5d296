//! What libgit2 says keeps it from reading a repository.

use crate::git::{Repository, damaged_config, damaged_index, foreign_owner, not_repeated, trouble};
use crate::model::{ReadProblem, Unreadable};

/// What libgit2 said of the repository of `repository`, with what to do where that is known.
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

/// Whether libgit2 refused a format that the git program may know.
pub(super) fn is_unsupported(error: &git2::Error) -> bool {
    let message = error.message();
    message.contains("unsupported")
        || message.contains("unknown object format")
        || message.contains("not supported")
        || message.contains("unknown repository version")
        || message.contains("mandatory extension")
}
